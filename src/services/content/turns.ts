import { setImmediate } from 'node:timers/promises'

/** A request takes about five rounds of the event loop. */
const TURN_MS = 5

/** Takes all steps, and lets others have the event loop whenever they have waited for some milliseconds. */
export async function runInTurns<T>(steps: Iterator<unknown, T>): Promise<T> {
  let turnEnds = performance.now() + TURN_MS
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() < turnEnds) continue
    await setImmediate()
    turnEnds = performance.now() + TURN_MS
  }
}
