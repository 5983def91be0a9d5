import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { FitTask, TaskResult } from './tasks.js'
import type { ThreadMessage } from './thread.js'

/** Heap limit of the thread, which holds all reviews of a learner */
const MAX_HEAP_MB = 1_024
/** Time for an aborted fit to end its process before the caller may terminate the thread */
const STOP_MS = 2_000

/** A worker thread that replays review logs and fits weights, one learner at a time. */
export class FitWorker {
  readonly #worker = new Worker(new URL('./thread.js', import.meta.url), {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })

  /**
   * Runs a task and returns its result. A second task must not start before the first task has ended.
   * @param lines chunks of the learner's log, each of complete lines; empty if the task needs no log
   * @throws the reason of the signal if it is aborted
   * @throws Error if the thread fails or ends
   */
  async run(task: FitTask, lines: AsyncIterable<string> | Iterable<string>, signal?: AbortSignal): Promise<TaskResult> {
    signal?.throwIfAborted()
    const worker = this.#worker
    const listeners = new AbortController()
    // The thread may fail while the log is being sent.
    const result = new Promise<TaskResult>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the thread that fits parameters has ended')))
    })
    result.catch(() => {})
    try {
      this.#send({ begin: true })
      for await (const piece of lines) {
        signal?.throwIfAborted()
        this.#send({ lines: piece })
      }
      // The listener below is not called for an earlier abort.
      signal?.throwIfAborted()
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener(
          'abort',
          () => {
            this.#send({ stop: true })
            void sleep(STOP_MS, undefined, { ref: false }).then(() => reject(signal.reason))
          },
          { signal: listeners.signal },
        )
      })
      this.#send({ task })
      return await Promise.race([result, aborted])
    } finally {
      listeners.abort()
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      signal?.throwIfAborted()
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(message: ThreadMessage): void {
    this.#worker.postMessage(message)
  }
}
