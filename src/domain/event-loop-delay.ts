/** Intended interval between two samples */
export const SAMPLE_INTERVAL_MS = 500
/** Number of consecutive late samples that show a delay. A single long task causes only one late sample. */
const MIN_LATE_SAMPLES = 2

/** Detects from the times of regular samples that the event loop is delayed for longer than one task. */
export class EventLoopDelay {
  readonly #maxDelayMs: number
  #lastSample: number
  #lateSamples = 0

  /** @param now start of the first interval, in milliseconds of a monotonic clock */
  constructor(maxDelayMs: number, now: number) {
    this.#maxDelayMs = maxDelayMs
    this.#lastSample = now
  }

  sample(now: number): void {
    const isLate = now - this.#lastSample > SAMPLE_INTERVAL_MS + this.#maxDelayMs
    this.#lateSamples = isLate ? this.#lateSamples + 1 : 0
    this.#lastSample = now
  }

  isTooLong(): boolean {
    return this.#lateSamples >= MIN_LATE_SAMPLES
  }
}
