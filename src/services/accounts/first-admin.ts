import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { hasUsers, insertUser } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { parseNewUser } from '../../domain/accounts/accounts.js'
import { hashPassword } from './passwords.js'

export interface FirstLogin {
  username: string
  password: string
}

/**
 * Creates the first administrator if there is no user: the configured one, or `admin` with a generated password if
 * `mayGeneratePassword` is true. Only one of several instances that start concurrently creates it.
 * @returns name and generated password, to be shown once; undefined if this call created no user or the password is
 * configured
 */
export async function createFirstAdmin(
  db: Kysely<Database>,
  options: { configured: FirstLogin | undefined; mayGeneratePassword: boolean },
): Promise<FirstLogin | undefined> {
  if (await hasUsers(db)) return undefined
  const { configured, mayGeneratePassword } = options
  const login = configured ?? (mayGeneratePassword ? { username: 'admin', password: randomPassword() } : undefined)
  if (login === undefined) return undefined
  const { password, ...user } = parseNewUser({ ...login, display_name: login.username, is_admin: true })
  const id = await insertUser(db, { ...user, password_hash: await hashPassword(password), emergency: true })
  return id !== undefined && configured === undefined ? login : undefined
}

/** Returns 96 random bits as 16 characters that need no quoting in a shell. */
function randomPassword(): string {
  return randomBytes(12).toString('base64url')
}
