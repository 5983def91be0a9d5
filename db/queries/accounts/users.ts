import { type Insertable, type Kysely, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import type { Admin } from '../../../src/domain/sign-in/last-admin.js'
import type { Language } from '../../../src/domain/text/language.js'
import { hasLongRun } from '../../../src/domain/text/nfc.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { deleteConfirmation } from '../mail/addresses.js'
import { readInBatches } from '../read-in-batches.js'

// Raw SQL: rows come from arrays (`unnest`), and names are compared by an expression that has an index.

export const ACCOUNT = ['id', 'username', 'display_name', 'is_admin', 'created_at'] as const

export type Account = Pick<Selectable<Database['users']>, (typeof ACCOUNT)[number]>

export const STATE = [
  ...(['is_author', 'is_auditor', 'auditor_until', 'must_change_password', 'last_seen_on', 'disabled_on'] as const),
  ...(['language', 'language_used'] as const),
] as const

export type AccountWithState = Account & Pick<Selectable<Database['users']>, (typeof STATE)[number]>

const LOGIN = ['passkey_only', 'emergency', 'link_next_login'] as const

/** Whether the next provider login may still link the account. */
export const MAY_LINK = sql<boolean>`coalesce(link_next_login and link_allowed_at > now() - interval '7 days', false)`

/** Normalised user name; unique */
const NORMAL_NAME = sql<string>`normalize(username, NFC)`

export async function listUsers(db: Kysely<Database>): Promise<Account[]> {
  return readInBatches<Account>((last, limit) =>
    db
      .selectFrom('users')
      .select(ACCOUNT)
      .$if(last !== undefined, (query) => query.where('id', '>', (last as Account).id))
      .orderBy('id')
      .limit(limit)
      .execute(),
  )
}

export async function listUsersWithState(
  db: Kysely<Database>,
): Promise<(AccountWithState & Pick<Selectable<Database['users']>, 'email'>)[]> {
  return db
    .selectFrom('users')
    .select([...ACCOUNT, ...STATE, 'email'])
    .orderBy('id')
    .execute()
}

export async function hasUsers(db: Kysely<Database>): Promise<boolean> {
  const first = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return first !== undefined
}

export async function hasAdmins(db: Kysely<Database>): Promise<boolean> {
  const first = await db.selectFrom('users').select('id').where('is_admin', '=', true).limit(1).executeTakeFirst()
  return first !== undefined
}

export async function findCredentials(
  db: Kysely<Database>,
  username: string,
): Promise<
  (AccountWithState & Pick<Selectable<Database['users']>, 'password_hash' | (typeof LOGIN)[number]>) | undefined
> {
  if (!isStorable(username) || hasLongRun(username)) return undefined
  return db
    .selectFrom('users')
    .select([...ACCOUNT, ...STATE, 'password_hash', 'passkey_only', 'emergency', MAY_LINK.as('link_next_login')])
    .where(NORMAL_NAME, '=', sql<string>`normalize(${username}::text, NFC)`)
    .executeTakeFirst()
}

/** Returns null for a user without a password, and undefined if the user does not exist. */
export async function findPasswordHash(db: Kysely<Database>, id: number): Promise<string | null | undefined> {
  const row = await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst()
  return row?.password_hash
}

export async function findLoginMethods(
  db: Kysely<Database>,
  id: number,
): Promise<
  | Pick<Selectable<Database['users']>, 'password_hash' | 'passkey_only' | 'emergency' | 'must_change_password'>
  | undefined
> {
  return db
    .selectFrom('users')
    .select(['password_hash', 'passkey_only', 'emergency', 'must_change_password'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Stores a user and returns its id; undefined if the name is taken, even by a concurrent request. */
export async function insertUser(
  db: Kysely<Database>,
  user: Insertable<Database['users']>,
): Promise<number | undefined> {
  const row = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Returns the stored forms of those names that are taken. Compares names in NFC. */
export async function findTakenNames(db: Kysely<Database>, usernames: string[]): Promise<string[]> {
  const { rows } = await sql<{ username: string }>`
    select username from users
    where normalize(username, NFC) in (select normalize(name, NFC) from unnest(${usernames}::text[]) as name)`.execute(
    db,
  )
  return rows.map(({ username }) => username)
}

/**
 * Locks all personnel numbers until the transaction ends, so that `findTakenNumbers` stays true. Must precede the locks of
 * administrators and of rows of `users`, so that all transactions lock in this order.
 */
export async function lockPersonnelNumbers(transaction: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('svc-training personnel numbers'))`.execute(transaction)
}

/** Returns those of the personnel numbers that accounts have, with the id of the account. */
export async function findTakenNumbers(
  db: Kysely<Database>,
  numbers: string[],
): Promise<{ id: number; personnel_number: string }[]> {
  return db
    .selectFrom('users')
    .select(['id', 'personnel_number'])
    .where('personnel_number', '=', sql<string>`any(${numbers}::text[])`)
    .$narrowType<{ personnel_number: string }>()
    .execute()
}

/**
 * Locks the external ids of all users until the transaction ends, so that no other transaction gives a free id to an
 * account. Must precede the other locks of accounts.
 */
export async function lockExternalIds(transaction: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('svc-training external ids'))`.execute(transaction)
}

/**
 * Locks the creation of accounts by lists and by SCIM until the transaction ends. Must follow the locks of external ids
 * and personnel numbers and precede those of rows of `users`.
 */
export async function lockUserNames(transaction: Transaction<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('svc-training users'))`.execute(transaction)
}

/** Returns those of the external ids that accounts have. */
export async function findTakenIds(db: Kysely<Database>, externalIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('external_id')
    .where('external_id', '=', sql<string>`any(${externalIds}::text[])`)
    .$narrowType<{ external_id: string }>()
    .execute()
  return rows.map(({ external_id }) => external_id)
}

/** Returns the id of the account with the external id. */
export async function findByExternalId(db: Kysely<Database>, externalId: string): Promise<number | undefined> {
  const row = await db.selectFrom('users').select('id').where('external_id', '=', externalId).executeTakeFirst()
  return row?.id
}

/**
 * Stores new users in order and returns their ids by name; names that are already taken are missing. Holds a lock until
 * the transaction ends, so that concurrent calls wait: calls that share names could otherwise deadlock.
 */
export async function insertUsers(
  transaction: Transaction<Database>,
  users: Required<
    Pick<
      Insertable<Database['users']>,
      | 'username'
      | 'display_name'
      | 'password_hash'
      | 'is_admin'
      | 'is_author'
      | 'is_auditor'
      | 'auditor_until'
      | 'must_change_password'
      | 'disabled_on'
      | 'email'
      | 'personnel_number'
      | 'external_id'
    >
  >[],
): Promise<Map<string, number>> {
  await lockUserNames(transaction)
  const column = <K extends keyof (typeof users)[number]>(name: K) => users.map((user) => user[name])
  const { rows } = await sql<{ id: number; username: string }>`
    insert into users (
      username, display_name, password_hash, is_admin, is_author, is_auditor, auditor_until, must_change_password,
      disabled_on, email, personnel_number, external_id
    )
    select username, display_name, password_hash, is_admin, is_author, is_auditor, auditor_until, must_change_password,
      disabled_on, email, personnel_number, external_id
    from unnest(
      ${column('username')}::text[], ${column('display_name')}::text[], ${column('password_hash')}::text[],
      ${column('is_admin')}::boolean[], ${column('is_author')}::boolean[], ${column('is_auditor')}::boolean[],
      ${column('auditor_until')}::date[], ${column('must_change_password')}::boolean[],
      ${column('disabled_on')}::date[], ${column('email')}::text[], ${column('personnel_number')}::text[],
      ${column('external_id')}::text[]
    ) with ordinality as given (
      username, display_name, password_hash, is_admin, is_author, is_auditor, auditor_until, must_change_password,
      disabled_on, email, personnel_number, external_id, position
    )
    order by position
    on conflict do nothing
    returning id, username`.execute(transaction)
  return new Map(rows.map(({ id, username }) => [username, id]))
}

/**
 * Replaces the password hash after the user chose a new password; returns false if the user is gone or the hash has
 * changed.
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

export async function findAccount(db: Kysely<Database>, id: number): Promise<Account | undefined> {
  return db.selectFrom('users').select(ACCOUNT).where('id', '=', id).executeTakeFirst()
}

/** Returns the user and prevents the deletion of the account until the transaction ends. */
export async function lockAccount(transaction: Transaction<Database>, id: number): Promise<Account | undefined> {
  return transaction.selectFrom('users').select(ACCOUNT).where('id', '=', id).forKeyShare().executeTakeFirst()
}

/**
 * Changes and returns a user; undefined if there is no such user. Columns with undefined values stay unchanged. A new
 * address is unconfirmed unless `email_confirmed_at` is given.
 */
export async function updateUser(
  db: Kysely<Database>,
  id: number,
  values: Pick<
    Updateable<Database['users']>,
    | 'username'
    | 'display_name'
    | 'is_admin'
    | 'is_author'
    | 'is_auditor'
    | 'auditor_until'
    | 'password_hash'
    | 'must_change_password'
    | 'passkey_only'
    | 'link_next_login'
    | 'emergency'
    | 'extra_time_percent'
    | 'disabled_on'
    | 'email'
    | 'email_confirmed_at'
    | 'personnel_number'
    | 'external_id'
    | 'language'
    | 'awaits_link'
  >,
): Promise<Account | undefined> {
  if (Object.values(values).every((value) => value === undefined)) return findAccount(db, id)
  const allowed = values.link_next_login === true ? { link_allowed_at: sql<Date>`now()` } : {}
  const { email } = values
  // Only the deactivation by SCIM is lifted by SCIM. Its service marks the account after this statement.
  const ended = values.disabled_on === undefined ? {} : { scim_disabled: false, scim_former_day: null }
  const unconfirmed =
    email === undefined
      ? {}
      : { email_confirmed_at: sql<Date | null>`case when email = ${email} then email_confirmed_at end` }
  const user = await db
    .updateTable('users')
    .set({ ...unconfirmed, ...values, ...allowed, ...ended })
    .where('id', '=', id)
    .returning(ACCOUNT)
    .executeTakeFirst()
  // A given address, even an unchanged one, cancels a pending confirmation.
  if (values.email !== undefined) await deleteConfirmation(db, id)
  return user
}

/** Returns the day from which the user is disabled, and locks the user's row. */
export async function lockDeactivation(
  transaction: Transaction<Database>,
  id: number,
): Promise<Pick<Selectable<Database['users']>, 'disabled_on'> | undefined> {
  return transaction.selectFrom('users').select('disabled_on').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

export async function endLinkNextLogin(db: Kysely<Database>, id: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ link_next_login: false })
    .where('id', '=', id)
    .where('link_next_login', '=', true)
    .execute()
}

/**
 * Records the day of the user's last activity and the language of the app. Skips a locked row, so that no request waits;
 * the next request records both.
 */
export async function recordActivity(
  db: Kysely<Database>,
  id: number,
  { day, language }: { day: string; language: Language | null },
): Promise<void> {
  await db
    .updateTable('users')
    .set({ last_seen_on: sql`greatest(last_seen_on, ${day})`, language_used: language })
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('users')
        .select('id')
        .where('id', '=', id)
        .where((eb) =>
          eb.or([
            eb('last_seen_on', 'is', null),
            eb('last_seen_on', '<', day),
            eb('language_used', 'is distinct from', language),
          ]),
        )
        .forNoKeyUpdate()
        .skipLocked(),
    )
    .execute()
}

/** Selects the administrators without a day of deactivation. */
function selectAdmins(db: Kysely<Database>) {
  return db
    .selectFrom('users')
    .select(['id', sql<boolean>`emergency and not passkey_only and password_hash is not null`.as('is_emergency')])
    .where('is_admin', '=', true)
    .where('disabled_on', 'is', null)
    .orderBy('id')
}

export async function listAdmins(db: Kysely<Database>): Promise<Admin[]> {
  return selectAdmins(db).execute()
}

/**
 * Returns the administrators without a day of deactivation and locks them until the transaction ends, so that
 * concurrent changes cannot remove the last one.
 */
export async function lockAdmins(transaction: Transaction<Database>): Promise<Admin[]> {
  return selectAdmins(transaction).forNoKeyUpdate().execute()
}

/** Deletes the sessions, API tokens and calendar addresses of accounts. */
export async function deleteAccesses(transaction: Transaction<Database>, userIds: readonly number[]): Promise<void> {
  for (const table of ['sessions', 'api_tokens', 'calendar_tokens'] as const) {
    await transaction.deleteFrom(table).where('user_id', '=', sql<number>`any(${userIds}::integer[])`).execute()
  }
}

/** Deletes a user with the dependent rows, such as progress and sessions, and returns the user name. */
export async function deleteUser(db: Kysely<Database>, id: number): Promise<string | undefined> {
  const row = await db.deleteFrom('users').where('id', '=', id).returning('username').executeTakeFirst()
  return row?.username
}
