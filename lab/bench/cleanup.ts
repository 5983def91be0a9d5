/** What must not outlive the benchmark: processes, databases, folders. */
const tasks: (() => unknown)[] = []
let isEnding = false

/** Registers what ends something that was just started; once the benchmark ends, it is ended at once. */
export function atEnd(task: () => unknown): void {
  if (isEnding) task()
  else tasks.push(task)
}

/** A mark for `cleanUp`: what is registered from now on. */
export function markTasks(): number {
  return tasks.length
}

/** Ends what was registered since the mark, the last one first; a failure keeps none of the others from ending. */
export async function cleanUp(mark = 0): Promise<void> {
  for (const task of tasks.splice(mark).reverse()) {
    try {
      await task()
    } catch (error) {
      process.stderr.write(`${error}\n`)
    }
  }
}

/** On Ctrl-C and the like: ends everything and then the process, with the status that a shell gives to such an end. */
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

/** Whether a signal has arrived: what fails from then on fails because of it. */
export function isInterrupted(): boolean {
  return isEnding
}
