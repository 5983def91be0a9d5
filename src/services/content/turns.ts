import { setImmediate } from 'node:timers/promises'

/**
 * Time between two yields. A request needs about five iterations of the event loop, so the work delays a request by
 * about 25 ms.
 */
const TURN_MS = 5

/**
 * Runs all steps and returns the result. Yields to the event loop between two steps if 5 ms have passed since the last
 * yield.
 * @param signal aborts the work between steps; its reason is thrown
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
