/** Work that is repeated until `stop` is called */
export interface Repetition {
  /** Starts no further run. Resolves when the current run has ended. */
  stop(): Promise<void>
}

/**
 * Runs work at an interval of 75 to 125 % of `intervalMs`, but not while the previous run lasts. The timer does not
 * keep the process alive.
 * @param work must not reject
 */
export function repeat(work: () => Promise<void>, intervalMs: number): Repetition {
  let running: Promise<void> | undefined
  const run = () => {
    running ??= work().finally(() => {
      running = undefined
    })
  }
  // The random factor keeps instances from running at the same moment.
  const timer = setInterval(run, intervalMs * (0.75 + Math.random() / 2)).unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
