import { setImmediate } from 'node:timers/promises'

/** Time between two yields. A request needs several iterations of the event loop and may wait this long in each. */
const TURN_MS = 5

/**
 * Runs all steps and returns the result. Yields to the event loop between two steps if 5 ms have passed since the last
 * yield.
 * @param signal aborts the work between steps; the signal's reason is thrown
 */
export async function runInTurns<T>(steps: Iterator<unknown, T>, signal?: AbortSignal): Promise<T> {
  let turnEnds = performance.now() + TURN_MS
  for (;;) {
    signal?.throwIfAborted()
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() < turnEnds) continue
    await setImmediate()
    turnEnds = performance.now() + TURN_MS
  }
}
