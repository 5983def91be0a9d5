import { parentPort } from 'node:worker_threads'

/**
 * In a worker thread of `Threads`: answers each task with the result of `handle`. In another thread: does nothing. An
 * error of `handle` ends the thread and reaches the caller of `Threads.run`.
 */
export function answerTasks<Task, Result>(handle: (task: Task) => Result | Promise<Result>): void {
  parentPort?.on('message', async (task: Task) => parentPort?.postMessage(await handle(task)))
}
