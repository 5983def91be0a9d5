import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 10
/** Two minutes of pauses: longer than any state takes to occur on a busy machine */
const MAX_LOOKS = 12_000

/**
 * Waits until the condition holds.
 * @throws Error if it does not hold within two minutes
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if (await condition()) return
    await sleep(PAUSE_MS)
  }
  throw new Error(`The condition does not hold: ${condition}`)
}
