export interface StudiedDay {
  reviews: number
  duration_ms: number
}

/** Assumed milliseconds per review, used if there is no day with reviews */
const DEFAULT_REVIEW_MS = 10_000

/** Returns the usual milliseconds per review: the median of the daily means. */
export function usualTime(days: readonly StudiedDay[]): number {
  const times = days
    .filter(({ reviews, duration_ms }) => reviews > 0 && duration_ms > 0)
    .map(({ reviews, duration_ms }) => duration_ms / reviews)
    .sort((a, b) => a - b)
  if (times.length === 0) return DEFAULT_REVIEW_MS
  const middle = Math.floor(times.length / 2)
  const upper = times[middle] as number
  return times.length % 2 === 1 ? upper : (upper + (times[middle - 1] as number)) / 2
}
