import { setImmediate } from 'node:timers/promises'

/** Time between two yields. A request needs several iterations of the event loop and may wait this long in each. */
const TURN_MS = 5

/**
 * Runs all steps and returns the result. Yields to the event loop between two steps if a turn has passed since the last
 * yield.
 * @param signal aborts the work between steps; the signal's reason is thrown
 * @param turnMs duration of a turn; default: 5 ms
 */
export async function runInTurns<T>(
  steps: Iterator<unknown, T>,
  signal?: AbortSignal,
  turnMs: number = TURN_MS,
): Promise<T> {
  let turnEnds = performance.now() + turnMs
  for (;;) {
    signal?.throwIfAborted()
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() < turnEnds) continue
    await setImmediate()
    turnEnds = performance.now() + turnMs
  }
}
