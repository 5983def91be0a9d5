import { parentPort } from 'node:worker_threads'

/**
 * In a worker thread of `Threads`: handles each task and posts the result of `handle`. In another thread: does nothing.
 * An error of `handle` ends the thread and reaches the caller of `Threads.run`.
 */
export function handleTasks<Task, Result>(handle: (task: Task) => Result | Promise<Result>): void {
  parentPort?.on('message', async (task: Task) => parentPort?.postMessage(await handle(task)))
}
