import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenDatabase } from '../../db/client.js'

const QUIET_MS = 300

/**
 * Waits until no statement has been sent and no connection has been in use for a while.
 * @param count function of `countStatements`
 */
export async function waitForQuiet({ poolState }: OpenDatabase, count: () => number): Promise<void> {
  const isBusy = () => poolState().total > poolState().idle
  let before = -1
  while (count() > before || isBusy()) {
    before = count()
    await sleep(QUIET_MS)
  }
}
