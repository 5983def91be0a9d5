/** Remaining seconds at which the time is spoken */
const SPOKEN: Record<number, string> = { 300: 'Noch 5 Minuten.', 60: 'Noch 1 Minute.' }

/** Difference between the wall clock and the page's clock that tells a sleep of the device, or a changed clock */
const GAP_MS = 5_000

interface Times {
  /** Milliseconds that only grow, and may stand still while the device sleeps */
  elapsed: number
  wall: number
}

/**
 * Counts down from the seconds that the service has left. The clock of the device, which may be wrong, only shows
 * whether it slept.
 */
export class Countdown {
  #seconds: number
  #from: Times

  constructor(seconds: number, now: Times) {
    this.#seconds = seconds
    this.#from = now
  }

  /** Sets the seconds that the service has just told. */
  sync(seconds: number, now: Times): void {
    this.#seconds = seconds
    this.#from = now
  }

  secondsAt({ elapsed }: Times): number {
    return Math.max(0, this.#seconds - Math.floor((elapsed - this.#from.elapsed) / 1_000))
  }

  /** Returns whether the device slept since the service was asked, or its clock was changed: it must be asked again. */
  isDoubtful(now: Times): boolean {
    return Math.abs(now.wall - this.#from.wall - (now.elapsed - this.#from.elapsed)) > GAP_MS
  }
}

/**
 * Returns what is spoken when the remaining seconds fall from one value to the next.
 * @example spokenBetween(302, 299) // 'Noch 5 Minuten.'
 */
export function spokenBetween(before: number, now: number): string | undefined {
  const passed = Object.keys(SPOKEN)
    .map(Number)
    .filter((at) => now <= at && at < before)
  return passed.length === 0 ? undefined : SPOKEN[Math.min(...passed)]
}
