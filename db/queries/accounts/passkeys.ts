import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'
import type { SignIn } from './login-methods.js'
import { ACCOUNT, type AccountWithState, STATE } from './users.js'

// Raw SQL: one statement deletes the oldest challenges (`offset … for update skip locked`) and inserts the new one.

const PASSKEY = ['id', 'name', 'backed_up', 'created_at', 'last_used_at'] as const

export type OwnPasskey = Pick<Selectable<Database['passkeys']>, (typeof PASSKEY)[number]>

export async function listPasskeys(db: Kysely<Database>, userId: number): Promise<OwnPasskey[]> {
  return db.selectFrom('passkeys').select(PASSKEY).where('user_id', '=', userId).orderBy('id').execute()
}

export async function listCredentials(
  db: Kysely<Database>,
  userId: number,
): Promise<Pick<Selectable<Database['passkeys']>, 'credential_id' | 'transports' | 'user_handle'>[]> {
  return db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports', 'user_handle'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

/**
 * Stores a challenge for a login or a registration. Deletes the oldest challenges for logins from the same network, or
 * for registrations of the same user, so that at most `most` remain; neither kind displaces the other.
 * @param challenge its `user_id` must be null for a login
 */
export async function insertChallenge(
  db: Kysely<Database>,
  challenge: Omit<Insertable<Database['passkey_challenges']>, 'expires_at'>,
  { minutes, most }: { minutes: number; most: number },
): Promise<void> {
  const { challenge: bytes, purpose, user_id, user_handle, network } = challenge
  const isOfSame = purpose === 'login' ? sql`network = ${network}` : sql`user_id = ${user_id}`
  await sql`
    with evicted as (
      delete from passkey_challenges where challenge in (
        select challenge from passkey_challenges where purpose = ${purpose} and ${isOfSame}
        order by expires_at desc offset ${most - 1} for update skip locked
      )
    )
    insert into passkey_challenges (challenge, purpose, user_id, user_handle, network, expires_at)
    values (${bytes}, ${purpose}, ${user_id}, ${user_handle}, ${network}, now() + make_interval(mins => ${minutes}))`.execute(
    db,
  )
}

/**
 * Deletes and returns a challenge, so that it is valid once; undefined if it is unknown, expired or of another purpose.
 */
export async function takeChallenge(
  db: Kysely<Database>,
  challenge: Buffer,
  purpose: Database['passkey_challenges']['purpose'],
): Promise<Pick<Selectable<Database['passkey_challenges']>, 'user_id' | 'user_handle'> | undefined> {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('challenge', '=', challenge)
    .where('purpose', '=', purpose)
    .returning(['user_id', 'user_handle', sql<boolean>`expires_at > now()`.as('is_open')])
    .executeTakeFirst()
  return row?.is_open ? row : undefined
}

/** Stores a passkey; returns undefined if its credential exists already. */
export async function insertPasskey(
  db: Kysely<Database>,
  passkey: Insertable<Database['passkeys']>,
): Promise<OwnPasskey | undefined> {
  return db
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.constraint('passkeys_credential_id_key').doNothing())
    .returning(PASSKEY)
    .executeTakeFirst()
}

export interface UsedPasskey {
  id: number
  user: AccountWithState
  public_key: Buffer
  user_handle: Buffer
  counter: number
}

export async function findPasskey(db: Kysely<Database>, credentialId: Buffer): Promise<UsedPasskey | undefined> {
  const row = await db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'passkeys.user_id')
    .select(['passkeys.id as passkey_id', 'public_key', 'user_handle', 'counter'])
    .select([...ACCOUNT, ...STATE].map((column) => `users.${column}` as const))
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { passkey_id: id, public_key, user_handle, counter, ...user } = row
  return { id, user, public_key, user_handle, counter: Number(counter) }
}

/**
 * Records a login with the passkey; returns false if the counter has not grown or the passkey is gone. Does not check a
 * counter that stays at 0.
 */
export async function recordUse(
  db: Kysely<Database>,
  id: number,
  { counter, backed_up }: { counter: number; backed_up: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter, backed_up, last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('counter', counter === 0 ? '=' : '<', counter)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function deletePasskeys(db: Kysely<Database>, userId: number, id?: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .$if(id !== undefined, (query) => query.where('id', '=', id as number))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export type LockedLoginMethods = Omit<SignIn, 'passkeys' | 'identities'> & { passkeys: number[]; issuers: string[] }

/**
 * Returns the login methods of a user. Locks the user's row until the transaction ends, which serialises changes of
 * login methods.
 */
export async function lockLoginMethods(
  transaction: Transaction<Database>,
  userId: number,
): Promise<LockedLoginMethods | undefined> {
  const user = await transaction
    .selectFrom('users')
    .select(['password_hash', 'passkey_only', 'emergency'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (user === undefined) return undefined
  const passkeys = await transaction.selectFrom('passkeys').select('id').where('user_id', '=', userId).execute()
  const identities = await transaction.selectFrom('identities').select('issuer').where('user_id', '=', userId).execute()
  return {
    password: user.password_hash !== null,
    passkey_only: user.passkey_only,
    emergency: user.emergency,
    passkeys: passkeys.map(({ id }) => id),
    issuers: identities.map(({ issuer }) => issuer),
  }
}

export async function setPasskeyOnly(
  transaction: Transaction<Database>,
  userId: number,
  passkeyOnly: boolean,
): Promise<void> {
  await transaction.updateTable('users').set({ passkey_only: passkeyOnly }).where('id', '=', userId).execute()
}
