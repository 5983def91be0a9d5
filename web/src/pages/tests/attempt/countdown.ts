/** Announcements for screen readers, by remaining seconds */
const SPOKEN: Record<number, string> = { 300: 'Noch 5 Minuten.', 60: 'Noch 1 Minute.' }

/**
 * Maximum difference in milliseconds between the progress of the wall clock and that of the monotonic clock. A larger
 * difference means that the device has slept, or that its clock was set.
 */
const GAP_MS = 5_000

interface Times {
  /** Monotonic clock in milliseconds, which may stop while the device sleeps */
  elapsed: number
  wall: number
}

/**
 * Counts down from the remaining seconds that the service has sent. The device's wall clock, which may be wrong, is
 * used by `isDoubtful` only.
 */
export class Countdown {
  #seconds: number
  #from: Times

  constructor(seconds: number, now: Times) {
    this.#seconds = seconds
    this.#from = now
  }

  sync(seconds: number, now: Times): void {
    this.#seconds = seconds
    this.#from = now
  }

  secondsAt({ elapsed }: Times): number {
    return Math.max(0, this.#seconds - Math.floor((elapsed - this.#from.elapsed) / 1_000))
  }

  /** Returns whether the device has slept, or its clock was set, since the last `sync`. */
  isDoubtful(now: Times): boolean {
    return Math.abs(now.wall - this.#from.wall - (now.elapsed - this.#from.elapsed)) > GAP_MS
  }
}

/**
 * Returns the announcement when the remaining seconds fall from one value to the next; undefined if no announcement is
 * due. If several are due, returns the one with the fewest seconds.
 * @example spokenBetween(302, 299) // 'Noch 5 Minuten.'
 */
export function spokenBetween(before: number, now: number): string | undefined {
  const passed = Object.keys(SPOKEN)
    .map(Number)
    .filter((at) => now <= at && at < before)
  return passed.length === 0 ? undefined : SPOKEN[Math.min(...passed)]
}
