import type { Config } from '../config.js'
import { createScimToken } from '../services/accounts/tokens.js'
import { commandLineActor } from './actor.js'
import { RefusedError, withDatabase } from './store.js'
import { momentOf } from './today.js'

/**
 * Creates a token for SCIM and prints nothing else. Its name, which contains the time, is in the audit trail.
 * @throws RefusedError if there is no enabled administrator
 */
export async function addScimToken(config: Config, print: (line: string) => void): Promise<void> {
  const { at, today } = momentOf(config)
  const name = `SCIM (Kommandozeile, ${at.toISOString()})`
  const token = await withDatabase(config, 'POST /api/auth/tokens', (db) =>
    createScimToken(db, commandLineActor(), name, today),
  )
  if (token === undefined) throw new RefusedError('Es gibt keinen Administrator, dem der Token gehören kann.')
  print(token)
}
