import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Kysely } from 'kysely'
import { hasUsers, insertUser } from '../db/queries/users.js'
import type { Database } from '../db/types.js'
import { parseNewUser } from './accounts.js'
import type { Config } from './config.js'
import { hashPassword } from './passwords.js'

const SECRET_FILE = 'session-secret'

/** The secrets of the configuration; the embedded mode makes one and keeps it beside its store. */
export async function loadSessionSecrets(config: Config): Promise<string[]> {
  if (config.sessionSecrets.length > 0) return config.sessionSecrets
  const file = path.join(config.dataDir, SECRET_FILE)
  const stored = await readFile(file, 'utf8').catch(() => '')
  if (stored.length >= 64) return [stored]
  const secret = randomBytes(32).toString('hex')
  await writeFile(file, secret, { mode: 0o600 })
  return [secret]
}

/**
 * Creates the first administrator when there is no user at all: the configured one, or in embedded mode `admin` with a
 * random password. Of several instances that start at once, one creates it.
 * @returns the name and the password that was made up, to be shown once; undefined when nothing is to be shown
 */
export async function createFirstAdmin(
  db: Kysely<Database>,
  config: Config,
): Promise<{ username: string; password: string } | undefined> {
  if (await hasUsers(db)) return undefined
  const generated = config.databaseUrl === undefined ? { username: 'admin', password: randomPassword() } : undefined
  const login = config.firstAdmin ?? generated
  if (login === undefined) return undefined
  const { password, ...user } = parseNewUser({ ...login, display_name: login.username, is_admin: true })
  const id = await insertUser(db, { ...user, password_hash: await hashPassword(password) })
  return id !== undefined && config.firstAdmin === undefined ? login : undefined
}

/** 96 random bits, 16 characters that need no quotes in a shell. */
function randomPassword(): string {
  return randomBytes(12).toString('base64url')
}
