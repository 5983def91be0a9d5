import { delayAfter, type Obstacle } from './verdict.js'

export interface Pause {
  obstacle: Obstacle
  /** Delay in milliseconds that the service has requested */
  retryAfter?: number
}

export interface SendLoopPorts {
  /**
   * Sends what waits, and calls `onSent` after each request that ended the waiting of something. Resolves to undefined
   * when nothing more can be sent, or to the reason for a pause.
   */
  sendWaiting(onSent: () => void): Promise<Pause | undefined>
  now(): number
  random(): number
  /** Runs the work after `ms` milliseconds; the returned function cancels it */
  later(work: () => void, ms: number): () => void
  /** Called after each request that was sent with success, and at the end of each run */
  onChange(obstacle: Obstacle | undefined): void
}

/**
 * Why something is sent now. `added` respects a pause. `changed` means that the obstacle may be gone, for example after
 * a login; it ends a pause unless the service has requested the pause. `urgent` ends every pause.
 */
export type Reason = 'added' | 'changed' | 'urgent'

/** Runs `sendWaiting`, one run at a time, and repeats it after a failure with growing delays. */
export class SendLoop {
  readonly #ports: SendLoopPorts
  #run: Promise<void> | undefined
  #isRerunRequested = false
  #failures = 0
  #pause: Pause | undefined
  #pausedUntil = 0
  #cancelRetry: () => void = () => undefined

  constructor(ports: SendLoopPorts) {
    this.#ports = ports
  }

  /** Starts sending. Resolves when the run ends: nothing more can be sent, or an obstacle pauses the sending. */
  wake(reason: Reason): Promise<void> {
    const isRequested = this.#pause?.retryAfter !== undefined
    if (reason === 'urgent' || (reason === 'changed' && !isRequested)) this.#pausedUntil = 0
    if (this.#run !== undefined) this.#isRerunRequested = true
    else if (this.#ports.now() >= this.#pausedUntil) this.#run = this.#send()
    return this.#run ?? Promise.resolve()
  }

  async #send(): Promise<void> {
    this.#cancelRetry()
    do {
      this.#isRerunRequested = false
      this.#pause = await this.#ports.sendWaiting(() => this.#onSent()).catch((): Pause => ({ obstacle: 'service' }))
    } while (this.#isRerunRequested && this.#pause === undefined)
    // `#run` is reset in the same task as the check above, so that a later `wake` starts a new run.
    this.#run = undefined
    this.#failures = this.#pause === undefined ? 0 : this.#failures + 1
    if (this.#pause !== undefined) this.#planRetry(this.#pause)
    this.#ports.onChange(this.#pause?.obstacle)
  }

  #onSent(): void {
    this.#failures = 0
    this.#ports.onChange(undefined)
  }

  #planRetry({ retryAfter }: Pause): void {
    const { now, random, later } = this.#ports
    const delay = delayAfter(this.#failures, random(), retryAfter)
    this.#pausedUntil = now() + delay
    this.#cancelRetry = later(() => void this.wake('urgent'), delay)
  }
}
