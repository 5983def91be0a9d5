import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { type OpenDatabase, openDatabase } from '../../db/client.js'
import type { Database } from '../../db/types.js'
import { buildApp } from '../../src/app.js'
import { hashPassword } from '../../src/services/accounts/passwords.js'
import { createDatabase, onServer } from './database.js'
import { callerOf, ROOT, SECRET } from './service.js'

/** What an earlier version sent to the database. */
export interface Statement {
  sql: string
  values: unknown[]
}

const TRANSACTION = /^(begin|commit|rollback)/

const FOLDER = path.join(ROOT, 'test', 'versions')

/** The database of an earlier version, from its dump. */
export async function loadVersion({ db }: OpenDatabase, version: string): Promise<void> {
  const dump = await readFile(path.join(FOLDER, `${version}.sql`), 'utf8')
  await db.connection().execute(async (connection) => {
    await sql.raw(dump).execute(connection)
    // The dump empties it for the whole session.
    await sql`set search_path to "$user", public`.execute(connection)
  })
}

export async function readStatements(version: string): Promise<Statement[]> {
  return JSON.parse(await readFile(path.join(FOLDER, `${version}.statements.json`), 'utf8'))
}

/** Calls every endpoint of the specification and the accounts, as a learner and an administrator would. */
async function useService(db: Kysely<Database>, app: Awaited<ReturnType<typeof buildApp>>): Promise<void> {
  const password = 'ein gutes Passwort'
  await db
    .updateTable('users')
    .set({ password_hash: await hashPassword(password) })
    .execute()
  const anonymous = callerOf(app)
  const login = async (username: string) => {
    const { headers } = await anonymous.post('/api/auth/login', { username, password })
    return callerOf(app, String(headers['set-cookie']).split(';', 1)[0])
  }
  const admin = await login('chef')
  await admin.post('/api/admin/import')
  await admin.get('/api/admin/users')
  const created = await admin.post('/api/admin/users', { username: 'neu', display_name: 'Neu', password })
  await admin.delete(`/api/admin/users/${created.body.id}`)
  const learner = await login('erika')
  for (const url of ['decks', 'decks/git', 'decks/export-anki', 'quiz/generate', 'quiz/generate?deck=git']) {
    await learner.get(`/api/${url}`)
  }
  await learner.post('/api/quiz/submit', { total: 8, correct: 1, deck: 'git' })
  for (const url of [
    'quiz/history',
    'cheatsheets',
    'cheatsheets/git-befehle',
    'cheatsheets/search?q=stash',
    'auth/me',
  ]) {
    await learner.get(`/api/${url}`)
  }
  await learner.post('/api/auth/password', { current_password: password, new_password: 'ein anderes Passwort' })
  await learner.post('/api/auth/logout')
  await anonymous.get('/readyz')
}

/**
 * Writes `test/versions/<version>.statements.json` and prints how to make the dump beside it. To be done for each
 * release, on the server of `TEST_DATABASE_URL`: `node dist/test/support/record-version.js 0002`, the number being that
 * of the newest migration. The dump of this version must be there already.
 */
export async function recordStatements(serverUrl: string, version: string): Promise<void> {
  const name = `record_${version}`
  const databaseUrl = await createDatabase(serverUrl, name)
  const statements = new Map<string, Statement>()
  // Before a client is made: it binds the method.
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  pg.Client.prototype.query = function record(this: pg.Client, text: unknown, values?: unknown[]) {
    if (typeof text === 'string' && values !== undefined && !TRANSACTION.test(text)) {
      statements.set(text, { sql: text, values: values.map(toJson) })
    }
    return query.call(this, text, values)
  } as never
  const database = await openDatabase({ databaseUrl, dataDir: '', poolMax: 1, onIdleError: () => {} })
  try {
    await loadVersion(database, version)
    statements.clear()
    const app = await buildApp({
      config: {
        contentDir: path.join(ROOT, 'content'),
        corsOrigins: [],
        rateLimit: 0,
        timeZone: 'Europe/Berlin',
        trustProxy: [],
      },
      sessionSecrets: [SECRET],
      database,
      logger: false,
    })
    await app.ready()
    await useService(database.db, app)
    await app.close()
  } finally {
    await onServer(serverUrl, `drop database ${name} with (force)`)
  }
  const file = path.join(FOLDER, `${version}.statements.json`)
  await writeFile(file, `${JSON.stringify([...statements.values()], null, 1)}\n`)
}

/** A value that `pg` sends as the same text. */
function toJson(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (Array.isArray(value)) return value.slice(0, 3).map(toJson)
  return typeof value === 'bigint' ? String(value) : value
}
