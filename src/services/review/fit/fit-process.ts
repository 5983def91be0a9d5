import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Fitted } from './train.js'

const PROGRAM = fileURLToPath(new URL('./train.js', import.meta.url))

/**
 * A process that fits, one fit after another: the library aborts its process if the thread of a running fit ends. The
 * process starts with the first fit, is kept for the next one, and ends with the thread that has started it.
 */
export class FitProcess {
  #process: ChildProcess | undefined

  /**
   * Fits weights to reviews.
   * @param csv reviews as `toTrainingCsv` returns them
   * @param signal kills the process; the next fit starts another one
   * @throws AbortError if the signal is aborted
   * @throws Error if the fit fails or the process ends
   */
  async fit(csv: string, signal: AbortSignal): Promise<number[]> {
    signal.throwIfAborted()
    this.#process ??= fork(PROGRAM, { env: {}, execArgv: [] })
    const child = this.#process
    const done = new AbortController()
    try {
      const answered = once(child, 'message', { signal })
      const ended = once(child, 'exit', { signal: done.signal }).then((): never => {
        throw new Error('the process that fits has ended')
      })
      child.send(csv)
      const [fitted] = (await Promise.race([answered, ended])) as [Fitted]
      if ('failed' in fitted) throw new Error(fitted.failed)
      return fitted.weights
    } catch (error) {
      this.close()
      throw error
    } finally {
      done.abort()
    }
  }

  close(): void {
    this.#process?.kill('SIGKILL')
    this.#process = undefined
  }
}
