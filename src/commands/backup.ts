import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { BackupError, parseHeader, type RowCounts } from '../../db/backup/format.js'
import { holdWebhooks, nameRestore } from '../../db/backup/hold-webhooks.js'
import { readStore } from '../../db/backup/read-store.js'
import { writeStore } from '../../db/backup/write-store.js'
import { countOtherSessions, type OpenDatabase } from '../../db/client.js'
import { migrateTo, migrateToLatest } from '../../db/migrate.js'
import { logReset } from '../../db/queries/changes.js'
import { setStep } from '../../db/queries/setup.js'
import { syncPath } from '../../db/sync-path.js'
import type { Database } from '../../db/types.js'
import type { Config } from '../config.js'
import { refuseExisting } from './refuse-existing.js'
import { openForCommand, RefusedError } from './store.js'

type Print = (line: string) => void

const STANDARD_STREAM = '-'
const STOP_FIRST = 'Bitte den Dienst dafür anhalten.'
const STOP_OR_SERVER = 'Bitte den Dienst dafür anhalten; mit PostgreSQL (DATABASE_URL) geht es im laufenden Betrieb.'

/**
 * Writes a backup of the whole store to `file`, or to standard output for `-`. Does not migrate the store. Deletes the
 * incomplete file if the backup fails.
 * @throws BackupError if the file cannot be written, or the store has no schema
 * @throws RefusedError if the file exists or another process holds the embedded store
 */
export async function backUpStore(
  config: Config,
  file: string,
  options: { json?: boolean },
  print: Print,
): Promise<void> {
  if (file === STANDARD_STREAM) return backUpConfigured(config, process.stdout)
  await refuseExisting(file)
  const unfinished = `${file}.part`
  try {
    const handle = await open(unfinished, 'w', 0o600)
    await backUpConfigured(config, handle.createWriteStream({ flush: true })).finally(() => closeQuietly(handle))
    await rename(unfinished, file)
    // Flushes the directory, so that the renamed file survives a crash.
    await syncPath(path.dirname(file))
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {})
    throw describeWriteFault(error, file)
  }
  print(options.json ? JSON.stringify({ file }) : `Gesichert: ${file}`)
}

async function backUpConfigured(config: Config, target: Writable): Promise<void> {
  const database = await openForCommand(config, STOP_OR_SERVER)
  try {
    await backUp(database, target)
  } finally {
    await database.close()
  }
}

/** Closes the handle and ignores errors, because the stream may have closed it already. */
async function closeQuietly(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => {})
}

function describeWriteFault(error: unknown, file: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  const isOfFile = /^(open|write|fsync|rename|close)$/.test(syscall ?? '')
  return isOfFile ? new BackupError(`Die Datei ${file} lässt sich nicht schreiben (${code}).`) : error
}

async function backUp({ db }: OpenDatabase, target: Writable): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const chunks = Readable.from(joinLines(readStore(transaction, new Date())), { objectMode: false })
      await pipeline(chunks, createGzip(), target, {
        end: target !== process.stdout,
      })
    })
  // Fails on a standby, and on a store of an earlier version; the backup is complete anyway.
  await setStep(db, 'backup', { done: true }).catch(() => {})
}

/** Joins lines into larger chunks, because each chunk has a fixed cost in the pipeline. */
async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const line of lines) {
    chunk += `${line}\n`
    if (chunk.length < 65_536) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

/**
 * Restores a backup into the configured store and migrates it to the current schema. A backup of a PostgreSQL server
 * can be restored into the embedded store and vice versa.
 * @param file path, or `-` for standard input
 * @throws RefusedError if another process uses the store, unless a server is configured and `force` is set
 * @throws BackupError, UnusableDatabaseError under the conditions of `restore`
 */
export async function restoreStore(
  config: Config,
  file: string,
  options: { replace?: boolean; force?: boolean; json?: boolean },
  print: Print,
): Promise<void> {
  const database = await openForCommand(config, STOP_FIRST)
  try {
    if (!options.force) await refuseWhileInUse(database)
    const counts = await restore(database.db, file, options.replace === true)
    if (options.json) return print(JSON.stringify({ counts }))
    for (const [table, count] of Object.entries(counts)) print(`${table}: ${count}`)
    print('Eingespielt; die Zeilen jeder Tabelle sind gezählt und stimmen mit der Sicherung überein.')
    if ((counts.webhooks ?? 0) > 0) print('Webhooks sind pausiert: unter „Verwaltung → Webhooks“ fortsetzen.')
  } finally {
    await database.close()
  }
}

/**
 * Checks only a database server, because `openForCommand` has locked an embedded store.
 * @throws RefusedError if the database has other sessions of this program
 */
async function refuseWhileInUse({ db, embedded }: OpenDatabase): Promise<void> {
  if (embedded) return
  const sessions = await countOtherSessions(db)
  if (sessions === 0) return
  throw new RefusedError(
    `DATABASE_URL: Ein Dienst benutzt diese Datenbank (Verbindungen: ${sessions}). Bitte erst anhalten; --force spielt trotzdem ein.`,
  )
}

/**
 * Restores a backup into an open store and pauses its webhooks. Writes all rows in one transaction, and migrates the store
 * before and after it.
 * @param replace whether existing rows may be deleted; otherwise the store must have no users, decks and cheat sheets
 * @throws BackupError if the file is unreadable, damaged, inconsistent or of a newer version, or the store is not empty
 * @throws UnusableDatabaseError under the conditions of `migrateTo`
 */
export async function restore(db: Kysely<Database>, file: string, replace: boolean): Promise<RowCounts> {
  const source = file === STANDARD_STREAM ? process.stdin : createReadStream(file)
  const unzipped = createGunzip()
  // Errors are ignored here, because reading the lines reports them as well.
  pipeline(source, unzipped).catch(() => {})
  const lines = splitLines(unzipped.setEncoding('utf8') as AsyncIterable<string>)
  try {
    const first = await lines.next()
    await migrateTo(db, parseHeader(first.value ?? '').migrations)
    const { counts, held } = await db.transaction().execute(async (transaction) => {
      const counts = await writeStore(transaction, lines, { replace })
      // A process that dies before the next step must not leave a store that sends events of the backup.
      return { counts, held: await holdWebhooks(transaction) }
    })
    await migrateToLatest(db)
    await nameRestore(db, held)
    await logReset(db)
    return counts
  } catch (error) {
    throw describeFault(error, file)
  } finally {
    source.destroy()
  }
}

/** Splits at `\n` only; `node:readline` also splits at U+2028. */
async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  // Parts are joined once per line, because the line of a picture arrives in hundreds of chunks.
  let parts: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...lines] = chunk.split('\n')
    parts.push(first)
    const last = lines.pop()
    if (last === undefined) continue
    yield parts.join('')
    yield* lines
    parts = [last]
  }
  const rest = parts.join('')
  if (rest !== '') yield rest
}

/**
 * SQLSTATE classes 22 and 23: invalid values and violated constraints.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const DATA_FAULT = /^2[23]/

function describeFault(error: unknown, file: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (error instanceof pg.DatabaseError && DATA_FAULT.test(code ?? '')) {
    return new BackupError(`Die Sicherung passt nicht zusammen, nichts wurde geändert: ${message}`)
  }
  if (syscall === 'open' || syscall === 'read') return new BackupError(`Die Datei ${file} ist nicht lesbar (${code}).`)
  if (code === 'Z_BUF_ERROR')
    return new BackupError('Die Sicherung ist unvollständig oder beschädigt; nichts wurde geändert.')
  if (code?.startsWith('Z_')) return new BackupError('Die Datei ist keine Sicherung dieses Programms oder beschädigt.')
  return error
}
