import type { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { OpenDatabase } from '../../db/client.js'
import { until } from './until.js'

const QUIET_MS = 300

/**
 * Waits until no statement was sent during the last `QUIET_MS` and no connection is in use.
 * @param count `count` of a `StatementCounter`
 */
export async function waitForQuiet({ poolState }: OpenDatabase, count: () => number): Promise<void> {
  const isBusy = () => poolState().total > poolState().idle
  let before = -1
  while (count() > before || isBusy()) {
    before = count()
    await sleep(QUIET_MS)
  }
}

/** Waits until the server has noticed that all clients have disconnected. */
export async function waitForDisconnect(server: Server): Promise<void> {
  const countConnections = promisify(server.getConnections.bind(server))
  await until(async () => (await countConnections()) === 0)
}
