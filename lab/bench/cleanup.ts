const tasks: (() => unknown)[] = []
let isEnding = false

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

export function isInterrupted(): boolean {
  return isEnding
}
