import { setImmediate } from 'node:timers/promises'

/** A request takes about five iterations of the event loop. */
const TURN_MS = 5

/** Runs all steps and yields to the event loop every few milliseconds. @param signal ends the work with its reason */
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
