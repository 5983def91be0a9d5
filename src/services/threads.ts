import { type Transferable, Worker } from 'node:worker_threads'

/** Idle time after which a thread ends; until then, the next task does not have to wait for a new thread */
const IDLE_MS = 10_000

export interface ThreadsOptions {
  /** Module of the thread: handles each message, a task, and posts one message, the result (`handleTasks`) */
  module: URL
  /** Limit of the JavaScript heap of each thread, in MB */
  heapMb: number
}

export interface TaskOptions {
  signal?: AbortSignal | undefined
  /** Maximum time of the task, and the error if it takes longer; Infinity means no limit */
  limit?: { ms: number; error: Error }
  /** Error if the task exceeds the heap limit; default: the error of Node.js */
  noMemory?: Error
  transferList?: Transferable[]
}

/**
 * Worker threads for tasks that take much processor time or read untrusted files. A thread has no environment variables
 * and runs one task at a time. It is kept for the next task, because starting it takes longer than most tasks; it ends
 * after an error, after an aborted task and after `IDLE_MS` without a task, and does not keep the process alive. The
 * caller limits the number of concurrent tasks.
 */
export class Threads<Task, Result> {
  readonly #options: ThreadsOptions
  readonly #idle: { worker: Worker; end: NodeJS.Timeout }[] = []

  constructor(options: ThreadsOptions) {
    this.#options = options
  }

  /**
   * Runs a task. If it fails, the thread has ended when the promise is rejected.
   * @throws the reason of the signal if it is aborted
   * @throws `limit.error` if the task takes longer, including the time to start the thread
   * @throws `noMemory` if the task exceeds the heap limit
   * @throws the uncaught errors of the thread
   */
  async run(task: Task, { signal, limit, noMemory, transferList = [] }: TaskOptions = {}): Promise<Result> {
    signal?.throwIfAborted()
    const worker = this.#take()
    let timer: NodeJS.Timeout | undefined
    let abort = () => {}
    try {
      const result = await new Promise<Result>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', (error: NodeJS.ErrnoException) =>
          reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? (noMemory ?? error) : error),
        )
        worker.once('exit', (code) => reject(new Error(`the thread ended with ${code}`)))
        abort = () => reject(signal?.reason)
        signal?.addEventListener('abort', abort)
        if (limit !== undefined && Number.isFinite(limit.ms)) timer = setTimeout(() => reject(limit.error), limit.ms)
        worker.postMessage(task, transferList)
      })
      this.#keep(worker)
      return result
    } catch (error) {
      await worker.terminate()
      throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #take(): Worker {
    const kept = this.#idle.pop()
    if (kept === undefined) {
      const { module, heapMb } = this.#options
      return new Worker(module, { execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: heapMb } })
    }
    clearTimeout(kept.end)
    removeListeners(kept.worker)
    kept.worker.ref()
    return kept.worker
  }

  #keep(worker: Worker): void {
    removeListeners(worker)
    const kept = { worker, end: setTimeout(() => forget(), IDLE_MS).unref() }
    const forget = () => {
      clearTimeout(kept.end)
      this.#idle.splice(this.#idle.indexOf(kept), 1)
      removeListeners(worker)
      void worker.terminate()
    }
    worker.once('error', forget)
    worker.once('exit', forget)
    worker.unref()
    this.#idle.push(kept)
  }
}

function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}
