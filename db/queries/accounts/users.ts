import { type Insertable, type Kysely, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import type { Admin } from '../../../src/domain/sign-in/last-admin.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database, UsersTable } from '../../types.js'

export const ACCOUNT = ['id', 'username', 'display_name', 'is_admin', 'created_at'] as const

/** A user as the API shows it. */
export type Account = Pick<Selectable<UsersTable>, (typeof ACCOUNT)[number]>

export const STATE = ['must_change_password', 'last_seen_on'] as const

/** The same with what is kept about the account besides. */
export type AccountWithState = Account & Pick<Selectable<UsersTable>, (typeof STATE)[number]>

/** What decides by what the user may log in. */
const LOGIN = ['passkey_only', 'emergency', 'link_next_login'] as const

/** What is unique of a name. */
const NORMAL_NAME = sql<string>`normalize(username, NFC)`

/** All users by id. */
export async function listUsers(db: Kysely<Database>): Promise<Account[]> {
  return db.selectFrom('users').select(ACCOUNT).orderBy('id').execute()
}

/** Whether there is any user at all. */
export async function hasUsers(db: Kysely<Database>): Promise<boolean> {
  const first = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return first !== undefined
}

/** Whether there is an administrator. */
export async function hasAdmins(db: Kysely<Database>): Promise<boolean> {
  const first = await db.selectFrom('users').select('id').where('is_admin', '=', true).limit(1).executeTakeFirst()
  return first !== undefined
}

/** The user of that name, composed or decomposed, together with the password's hash. */
export async function findCredentials(
  db: Kysely<Database>,
  username: string,
): Promise<(AccountWithState & Pick<Selectable<UsersTable>, 'password_hash' | (typeof LOGIN)[number]>) | undefined> {
  if (!isStorable(username)) return undefined
  return db
    .selectFrom('users')
    .select([...ACCOUNT, ...STATE, 'password_hash', ...LOGIN])
    .where(NORMAL_NAME, '=', sql<string>`normalize(${username}::text, NFC)`)
    .executeTakeFirst()
}

/** Undefined when there is no such user, null when the user has no password. */
export async function findPasswordHash(db: Kysely<Database>, id: number): Promise<string | null | undefined> {
  const row = await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst()
  return row?.password_hash
}

/** By what the user may prove who it is, and whether the password must be changed; undefined when there is no such user. */
export async function findWaysIn(
  db: Kysely<Database>,
  id: number,
): Promise<
  Pick<Selectable<UsersTable>, 'password_hash' | 'passkey_only' | 'emergency' | 'must_change_password'> | undefined
> {
  return db
    .selectFrom('users')
    .select(['password_hash', 'passkey_only', 'emergency', 'must_change_password'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The new user's id; undefined when the name is taken, also when another creation of it wins at the same moment. */
export async function insertUser(db: Kysely<Database>, user: Insertable<UsersTable>): Promise<number | undefined> {
  const row = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Which of these names users have, composed or decomposed; each as the user's is written. */
export async function findTakenNames(db: Kysely<Database>, usernames: string[]): Promise<string[]> {
  const { rows } = await sql<{ username: string }>`
    select username from users
    where normalize(username, NFC) in (select normalize(name, NFC) from unnest(${usernames}::text[]) as name)`.execute(
    db,
  )
  return rows.map(({ username }) => username)
}

/**
 * Stores new users in their order; of each the id, by name, unless the name is taken. Other lists wait until the
 * transaction ends: two that share names could otherwise wait for each other.
 */
export async function insertUsers(
  transaction: Transaction<Database>,
  users: Required<
    Pick<Insertable<UsersTable>, 'username' | 'display_name' | 'password_hash' | 'is_admin' | 'must_change_password'>
  >[],
): Promise<Map<string, number>> {
  await sql`select pg_advisory_xact_lock(hashtext('svc-training users'))`.execute(transaction)
  const column = <K extends keyof (typeof users)[number]>(name: K) => users.map((user) => user[name])
  const { rows } = await sql<{ id: number; username: string }>`
    insert into users (username, display_name, password_hash, is_admin, must_change_password)
    select username, display_name, password_hash, is_admin, must_change_password
    from unnest(
      ${column('username')}::text[], ${column('display_name')}::text[], ${column('password_hash')}::text[],
      ${column('is_admin')}::boolean[], ${column('must_change_password')}::boolean[]
    ) with ordinality as given (username, display_name, password_hash, is_admin, must_change_password, position)
    order by position
    on conflict do nothing
    returning id, username`.execute(transaction)
  return new Map(rows.map(({ id, username }) => [username, id]))
}

/**
 * Replaces a hash by that of a password which the user has chosen; false when there is no such user any more or the hash
 * has changed meanwhile.
 */
export async function replacePasswordHash(
  db: Kysely<Database>,
  id: number,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ password_hash: to, must_change_password: false })
    .where('id', '=', id)
    .where('password_hash', '=', from)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Undefined when there is no such user. */
export async function findAccount(db: Kysely<Database>, id: number): Promise<Account | undefined> {
  return db.selectFrom('users').select(ACCOUNT).where('id', '=', id).executeTakeFirst()
}

/** The changed user; undefined when there is none. Values that are undefined stay as they are. */
export async function updateUser(
  db: Kysely<Database>,
  id: number,
  values: Pick<
    Updateable<UsersTable>,
    | 'display_name'
    | 'is_admin'
    | 'password_hash'
    | 'must_change_password'
    | 'passkey_only'
    | 'link_next_login'
    | 'emergency'
  >,
): Promise<Account | undefined> {
  if (Object.values(values).every((value) => value === undefined)) return findAccount(db, id)
  return db.updateTable('users').set(values).where('id', '=', id).returning(ACCOUNT).executeTakeFirst()
}

/** The next login by the provider has come, or is needed no more: no later one takes the account over. */
export async function endLinkNextLogin(db: Kysely<Database>, id: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ link_next_login: false })
    .where('id', '=', id)
    .where('link_next_login', '=', true)
    .execute()
}

/**
 * Notes that the user was here on that day. Not when the row is locked: nobody waits for the note, and the next request
 * makes it.
 */
export async function noteSeen(db: Kysely<Database>, id: number, day: string): Promise<void> {
  await sql`
    update users set last_seen_on = ${day}::date
    where id = (
      select id from users where id = ${id} and (last_seen_on is null or last_seen_on < ${day}::date)
      for no key update skip locked
    )`.execute(db)
}

/**
 * All administrators, who stay what they are until the transaction ends: of two changes at once the second
 * sees what the first has left.
 */
export async function lockAdmins(transaction: Transaction<Database>): Promise<Admin[]> {
  return transaction
    .selectFrom('users')
    .select(['id', sql<boolean>`emergency and not passkey_only and password_hash is not null`.as('is_emergency')])
    .where('is_admin', '=', true)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Deletes the user and with it progress, results, sessions and tokens; the name, or undefined when there was none. */
export async function deleteUser(db: Kysely<Database>, id: number): Promise<string | undefined> {
  const row = await db.deleteFrom('users').where('id', '=', id).returning('username').executeTakeFirst()
  return row?.username
}
