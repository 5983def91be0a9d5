import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenDatabase, openDatabase } from '../../db/client.js'
import { EmbeddedStoreInUseError } from '../../db/embedded/index.js'
import { isCurrent, listAppliedMigrations, migrateToLatest } from '../../db/migrate.js'
import type { Config } from '../config.js'
import { describeDatabaseFault } from './database-fault.js'

/** A refused command; the message is German. */
export class RefusedError extends Error {}

/**
 * Opens and migrates the database, calls `work` with the names of the migrations that were missing, and closes the
 * database.
 * @param insteadCall the equivalent API call, for use while the service holds the embedded store; null if there is none
 * @throws RefusedError if another process holds the embedded store
 * @throws UnusableDatabaseError under the conditions of `migrateToLatest`
 */
export async function withDatabase<T>(
  config: Config,
  insteadCall: string | null,
  work: (db: OpenDatabase['db'], migrated: string[]) => Promise<T>,
): Promise<T> {
  const hint =
    insteadCall === null ? 'Den Dienst dafür anhalten.' : `Solange der Dienst läuft, tut dies dasselbe: ${insteadCall}`
  const database = await openForCommand(config, hint)
  try {
    const migrated = await database.withoutLimit(migrateToLatest)
    return await work(database.db, migrated)
  } finally {
    await database.close()
  }
}

const FROZEN_AFTER_MS = 600_000

/**
 * Opens the configured store without migrating it.
 * @param insteadHint German advice to show if the service holds the embedded store
 * @throws RefusedError if another process holds the embedded store
 */
export async function openForCommand(config: Config, insteadHint: string): Promise<OpenDatabase> {
  try {
    return await openDatabase({
      databaseUrl: config.databaseUrl,
      dataDir: config.dataDir,
      poolMax: 1,
      prepare: config.databasePrepare,
      // A restore may have to migrate the restored store, which can take long; no requests are waiting.
      frozenAfterMs: FROZEN_AFTER_MS,
      onIdleError: () => {},
    })
  } catch (error) {
    if (error instanceof EmbeddedStoreInUseError) {
      throw new RefusedError(`${error.message} ${insteadHint}`)
    }
    throw error
  }
}

const NO_STORE = 'Es gibt noch keinen Datenbestand.'

/**
 * Runs `work` on the configured store if it exists, can be opened and has the current schema; otherwise returns the
 * reason for the operator. Neither creates nor migrates the store.
 */
export async function withExistingStore<T>(
  config: Config,
  work: (db: OpenDatabase['db']) => Promise<T>,
): Promise<{ result: T; reason?: never } | { result?: never; reason: string }> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'pglite'))) return { reason: NO_STORE }
  let database: OpenDatabase
  try {
    database = await openForCommand(config, 'Solange der Dienst läuft, kann nur er ihn lesen.')
  } catch (error) {
    return { reason: (error as Error).message }
  }
  try {
    const reason = await findObstacle(database.db).catch(
      (error: Error) => describeDatabaseFault(error) ?? error.message,
    )
    return reason === undefined ? { result: await work(database.db) } : { reason }
  } finally {
    await database.close()
  }
}

async function findObstacle(db: OpenDatabase['db']): Promise<string | undefined> {
  const applied = await listAppliedMigrations(db)
  if (applied.length === 0) return NO_STORE
  return isCurrent(applied) ? undefined : 'Das Schema des Datenbestands ist nicht das dieses Programms.'
}
