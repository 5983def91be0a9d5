/** Cleanup tasks for processes, databases and folders */
const tasks: (() => unknown)[] = []
let isEnding = false

/** Registers a cleanup task; runs it at once if a signal has ended the benchmark. */
export function atEnd(task: () => unknown): void {
  if (isEnding) task()
  else tasks.push(task)
}

/** Returns a position for `cleanUp`, which then runs only the tasks registered after this call. */
export function markTasks(): number {
  return tasks.length
}

/** Runs the tasks registered after `markTasks` in reverse order; a failing task does not stop the others. */
export async function cleanUp(mark = 0): Promise<void> {
  for (const task of tasks.splice(mark).reverse()) {
    try {
      await task()
    } catch (error) {
      process.stderr.write(`${error}\n`)
    }
  }
}

/** On a signal cleans up and exits with the status of that signal. */
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

/** Returns whether a signal has arrived, so that later errors are its consequence. */
export function isInterrupted(): boolean {
  return isEnding
}
