/** A day's work as the statistics tell it. */
export interface StudiedDay {
  reviews: number
  duration_ms: number
}

/** For whoever has not studied yet. */
const FIRST_GUESS_MS = 10_000

/** The usual time for a card, in milliseconds: the median over the days with times. */
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
