/** Runs all steps of a generator without a pause and returns its result; `runInTurns` lets other work run in between. */
export function runSteps<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
