import type { Insertable, Kysely } from 'kysely'
import { isStorable } from '../../src/text.js'
import type { Database, UsersTable } from '../types.js'

/** A user as the API shows it. */
export interface Account {
  id: number
  username: string
  display_name: string
  is_admin: boolean
  created_at: Date
}

const ACCOUNT = ['id', 'username', 'display_name', 'is_admin', 'created_at'] as const

export async function listUsers(db: Kysely<Database>): Promise<Account[]> {
  return db.selectFrom('users').select(ACCOUNT).orderBy('id').execute()
}

export async function hasUsers(db: Kysely<Database>): Promise<boolean> {
  const first = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return first !== undefined
}

/** The user of that name together with the password's hash. */
export async function findCredentials(
  db: Kysely<Database>,
  username: string,
): Promise<(Account & { password_hash: string }) | undefined> {
  if (!isStorable(username)) return undefined
  return db
    .selectFrom('users')
    .select([...ACCOUNT, 'password_hash'])
    .where('username', '=', username)
    .executeTakeFirst()
}

export async function findPasswordHash(db: Kysely<Database>, id: number): Promise<string | undefined> {
  const row = await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst()
  return row?.password_hash
}

/** The new user's id; undefined when the name is taken, also when another creation of it wins at the same moment. */
export async function insertUser(db: Kysely<Database>, user: Insertable<UsersTable>): Promise<number | undefined> {
  const row = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.constraint('users_username_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function updatePasswordHash(db: Kysely<Database>, id: number, passwordHash: string): Promise<void> {
  await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id).execute()
}

/** Deletes the user and with it progress, results and sessions; whether there was one. */
export async function deleteUser(db: Kysely<Database>, id: number): Promise<boolean> {
  const result = await db.deleteFrom('users').where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows > 0n
}
