import { setImmediate } from 'node:timers/promises'

/** Time between two yields; short, because a request needs several iterations of the event loop. */
const TURN_MS = 1

/**
 * Runs all steps and returns the result. Yields to the event loop between two steps if a turn has passed since the last
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

/** Returns the results of `convert` for all items; converts them in turns. */
export async function mapInTurns<T, R>(
  items: Iterable<T>,
  convert: (item: T, index: number) => R,
  signal?: AbortSignal,
): Promise<R[]> {
  const results: R[] = []
  function* steps(): Generator<void, R[]> {
    for (const item of items) {
      results.push(convert(item, results.length))
      yield
    }
    return results
  }
  return runInTurns(steps(), signal)
}
