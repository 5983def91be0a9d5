/** A day of the statistics. */
export interface StudiedDay {
  reviews: number
  duration_ms: number
}

/** Milliseconds per card that are assumed before the first review */
const FIRST_GUESS_MS = 10_000

/** Returns the usual milliseconds per card: the median of the daily means, or an assumption without any. */
export function usualTime(days: readonly StudiedDay[]): number {
  const times = days
    .filter(({ reviews, duration_ms }) => reviews > 0 && duration_ms > 0)
    .map(({ reviews, duration_ms }) => duration_ms / reviews)
    .sort((a, b) => a - b)
  if (times.length === 0) return FIRST_GUESS_MS
  const middle = Math.floor(times.length / 2)
  const upper = times[middle] as number
  return times.length % 2 === 1 ? upper : (upper + (times[middle - 1] as number)) / 2
}
