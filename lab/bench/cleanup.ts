/** Cleanup tasks, which end processes and remove databases and folders */
const tasks: (() => unknown)[] = []
let isEnding = false

/** Registers a cleanup task. Runs the task at once if a signal has already started the cleanup. */
export function atEnd(task: () => unknown): void {
  if (isEnding) task()
  else tasks.push(task)
}

/** Returns a position for `cleanUp`, which then runs only the tasks registered after this call. */
export function markTasks(): number {
  return tasks.length
}

/**
 * Runs the tasks that were registered since `markTasks` returned `mark`, latest first; by default, runs all tasks.
 * Prints the error of a failing task and continues.
 */
export async function cleanUp(mark = 0): Promise<void> {
  for (const task of tasks.splice(mark).reverse()) {
    try {
      await task()
    } catch (error) {
      process.stderr.write(`${error}\n`)
    }
  }
}

/** Registers signal handlers that clean up and exit with status 128 plus the number of the signal. */
export function cleanUpOnSignals(): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.on(signal, async () => {
      if (isEnding) return
      isEnding = true
      await cleanUp()
      process.exit(128 + number)
    })
  }
}

/** Returns whether a signal has arrived; later errors are then consequences of the cleanup. */
export function isInterrupted(): boolean {
  return isEnding
}
