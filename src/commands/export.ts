import { mkdtemp, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Kysely } from 'kysely'
import { findCredentials } from '../../db/queries/accounts/users.js'
import { findDeckBySlug } from '../../db/queries/content/decks.js'
import { findSource } from '../../db/queries/content/sources.js'
import { syncPath } from '../../db/sync-path.js'
import type { Database } from '../../db/types.js'
import type { Config } from '../config.js'
import type { ExportFormat } from '../domain/content/export-formats.js'
import { DECK_NOT_FOUND, SOURCE_NOT_FOUND } from '../domain/content/refusals.js'
import { writeExport } from '../services/content/exports/write-export.js'
import { refuseExisting } from './refuse-existing.js'
import { RefusedError, withDatabase } from './store.js'
import { momentOf } from './today.js'

export interface ExportOptions {
  deck?: string
  source?: number
  user?: string
  format?: ExportFormat
  json?: boolean
}

const BY_EXTENSION: Record<string, ExportFormat> = { '.apkg': 'apkg', '.csv': 'csv', '.zip': 'markdown' }

/**
 * Exports cards to `file`, completely or not at all. A `markdown` export without `deck` also contains sheets and tests.
 * Without the option `format`, the extension of the file selects the format.
 * @throws RefusedError if the options are contradictory, the format or the user is unknown, the file exists, or another
 * process holds the embedded store
 * @throws DECK_NOT_FOUND, SOURCE_NOT_FOUND if the given deck or source does not exist
 */
export async function exportToFile(
  config: Config,
  file: string,
  options: ExportOptions,
  print: (line: string) => void,
): Promise<void> {
  const format = options.format ?? BY_EXTENSION[path.extname(file).toLowerCase()]
  if (format === undefined)
    throw new RefusedError('Das Format ist nicht bekannt: bitte .apkg, .csv, .zip oder --format')
  if (options.source !== undefined && options.deck !== undefined)
    throw new RefusedError('--source und --deck schließen sich aus.')
  if (options.user !== undefined && format !== 'apkg') throw new RefusedError('--user gilt nur für das Format apkg.')
  await refuseExisting(file)
  // The folder is beside the file, so that the final rename stays on one file system.
  const folder = await mkdtemp(path.resolve(`${file}.part-`))
  try {
    await withDatabase(config, 'GET /api/content/export', async (db) => {
      const deckId = await findDeckId(db, options.deck)
      const userId = await findUserId(db, options.user)
      const sourceId = await findSourceId(db, options.source)
      const hasHidden = sourceId !== undefined && format === 'markdown'
      const scope = { deckId, sourceId, hasHidden, hasTests: true }
      const request = { format, ...scope, userId, timeZone: config.timeZone, now: momentOf(config).at }
      const written = await writeExport(db, request, folder)
      await flush(written)
      await rename(written, file)
    })
    await syncPath(path.dirname(file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  print(options.json ? JSON.stringify({ file }) : `Exportiert: ${file}`)
}

async function findDeckId(db: Kysely<Database>, slug: string | undefined): Promise<number | undefined> {
  if (slug === undefined) return undefined
  const deck = await findDeckBySlug(db, slug)
  if (deck === undefined) throw DECK_NOT_FOUND
  return deck.id
}

async function findSourceId(db: Kysely<Database>, id: number | undefined): Promise<number | undefined> {
  if (id === undefined) return undefined
  const source = await findSource(db, id)
  if (source === undefined) throw SOURCE_NOT_FOUND
  return source.id
}

async function findUserId(db: Kysely<Database>, username: string | undefined): Promise<number | undefined> {
  if (username === undefined) return undefined
  const user = await findCredentials(db, username)
  if (user === undefined) throw new RefusedError(`Es gibt keinen Benutzer ${username}.`)
  return user.id
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.sync().finally(() => handle.close())
}
