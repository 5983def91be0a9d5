import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than any state takes to occur on a busy machine */
const LIMIT_MS = 120_000
const PAUSE_MS = 10

/**
 * Waits until the condition holds.
 * @throws Error if it does not hold within two minutes
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`After ${LIMIT_MS / 1000} s still not: ${condition}`)
    await sleep(PAUSE_MS)
  }
}
