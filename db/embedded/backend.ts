import { Worker } from 'node:worker_threads'
import type { StoreWorkerOptions, StoreWorkerRequest, WorkerReply } from './worker.js'

/** A PGlite instance in a worker thread. */
export interface Backend {
  /** Executes whole protocol messages; `onOutput` receives the response in chunks before the promise resolves. */
  execute(messages: Uint8Array<ArrayBuffer>, onOutput: (output: Uint8Array) => void): Promise<void>
  /** Ends the client's session: rolls back the open transaction, drops prepared statements and settings. */
  reset(): Promise<void>
  /** Flushes everything to disk and ends the thread. */
  close(): Promise<void>
  /** Sets whether the thread keeps the process alive. */
  hold(keep: boolean): void
  /** Resolves with the reason if the thread ended without close(); pending calls are rejected with the same reason. */
  died: Promise<Error>
}

/**
 * Starts PGlite and waits until it is ready.
 * @throws Error if PGlite cannot be started
 */
export async function startBackend(options: StoreWorkerOptions): Promise<Backend> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options, execArgv: [] })
  const pending: { resolve: () => void; reject: (error: Error) => void; onOutput?: (output: Uint8Array) => void }[] = []
  let closed = false
  let failure: Error | undefined
  let reportDeath: (error: Error) => void
  const died = new Promise<Error>((resolve) => {
    reportDeath = resolve
  })

  const fail = (reason: string) => {
    failure ??= new Error(`embedded database ended: ${reason}`)
    for (const call of pending.splice(0)) call.reject(failure)
    if (!closed) reportDeath(failure)
  }
  worker.on('message', (reply: WorkerReply) => {
    if (typeof reply === 'object' && 'fatal' in reply) return fail(reply.fatal)
    if (typeof reply === 'object') pending[0]?.onOutput?.(reply.output)
    if (typeof reply === 'string' || reply.done) pending.shift()?.resolve()
  })
  worker.on('error', (error) => fail(error.message))
  worker.on('exit', (code) => fail(`exit code ${code}`))

  const wait = (onOutput?: (output: Uint8Array) => void) =>
    new Promise<void>((resolve, reject) => {
      if (failure) reject(failure)
      else pending.push({ resolve, reject, ...(onOutput && { onOutput }) })
    })
  const call = (request: StoreWorkerRequest, onOutput?: (output: Uint8Array) => void) => {
    const reply = wait(onOutput)
    if (!failure) worker.postMessage(request)
    return reply
  }

  await wait()
  return {
    execute: (messages, onOutput) => call(messages, onOutput),
    reset: () => call('reset'),
    close: async () => {
      const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      worker.ref()
      await call('close')
      closed = true
      await ended
    },
    hold: (keep) => (keep ? worker.ref() : worker.unref()),
    died,
  }
}
