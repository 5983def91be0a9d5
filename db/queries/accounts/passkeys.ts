import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Database, PasskeyChallengesTable, PasskeysTable } from '../../types.js'
import { ACCOUNT, type AccountWithState, STATE } from './users.js'
import type { SignIn } from './ways-in.js'

const PASSKEY = ['id', 'name', 'backed_up', 'created_at', 'last_used_at'] as const

/** A passkey as its owner sees it. */
export type OwnPasskey = Pick<Selectable<PasskeysTable>, (typeof PASSKEY)[number]>

/** The passkeys of a user, oldest first. */
export async function listPasskeys(db: Kysely<Database>, userId: number): Promise<OwnPasskey[]> {
  return db.selectFrom('passkeys').select(PASSKEY).where('user_id', '=', userId).orderBy('id').execute()
}

/** What authenticators know of the passkeys of a user. */
export async function listCredentials(
  db: Kysely<Database>,
  userId: number,
): Promise<Pick<Selectable<PasskeysTable>, 'credential_id' | 'transports' | 'user_handle'>[]> {
  return db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports', 'user_handle'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

/**
 * Stores what is to be signed, for so many minutes; false when as many of the address as `most` are open.
 * @param challenge of a login without a user
 */
export async function insertChallenge(
  db: Kysely<Database>,
  challenge: Omit<Insertable<PasskeyChallengesTable>, 'expires_at'>,
  { minutes, most }: { minutes: number; most: number },
): Promise<boolean> {
  const { challenge: bytes, purpose, user_id, user_handle, network } = challenge
  const { numAffectedRows } = await sql`
    insert into passkey_challenges (challenge, purpose, user_id, user_handle, network, expires_at)
    select ${bytes}::bytea, ${purpose}::text, ${user_id}::integer, ${user_handle}::bytea, ${network}::text,
      now() + make_interval(mins => ${minutes})
    where (
      select count(*) from (
        select from passkey_challenges where network = ${network} and expires_at > now() limit ${most}
      ) as open
    ) < ${most}`.execute(db)
  return numAffectedRows === 1n
}

/** Takes a challenge away, so that it counts once; undefined when there is none, or its time is over. */
export async function takeChallenge(
  db: Kysely<Database>,
  challenge: Buffer,
  purpose: PasskeyChallengesTable['purpose'],
): Promise<Pick<Selectable<PasskeyChallengesTable>, 'user_id' | 'user_handle'> | undefined> {
  const row = await db
    .deleteFrom('passkey_challenges')
    .where('challenge', '=', challenge)
    .where('purpose', '=', purpose)
    .returning(['user_id', 'user_handle', sql<boolean>`expires_at > now()`.as('is_open')])
    .executeTakeFirst()
  return row?.is_open ? row : undefined
}

/** Stores a passkey; undefined when its credential is stored already. */
export async function insertPasskey(
  db: Kysely<Database>,
  passkey: Insertable<PasskeysTable>,
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

/** The passkey of that credential, and whose it is. */
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
 * Notes a login by the passkey; false when the counter has not grown, or the passkey is gone. A counter that stays at 0
 * counts nothing.
 */
export async function noteUse(
  db: Kysely<Database>,
  id: number,
  { counter, backed_up }: { counter: number; backed_up: boolean },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update passkeys set counter = ${counter}, backed_up = ${backed_up}, last_used_at = now()
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`.execute(db)
  return numAffectedRows === 1n
}

/** Deletes the passkeys of a user, or the one of that id; how many there were. */
export async function deletePasskeys(db: Kysely<Database>, userId: number, id?: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .$if(id !== undefined, (query) => query.where('id', '=', id as number))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** By what somebody may log in, with passkeys by id and identities by issuer. */
export type HeldWaysIn = Omit<SignIn, 'passkeys' | 'identities'> & { passkeys: number[]; issuers: string[] }

/** By what somebody may log in, held until the transaction ends; undefined when there is no such user. */
export async function lockWaysIn(transaction: Transaction<Database>, userId: number): Promise<HeldWaysIn | undefined> {
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

/** Whether the password of the user is refused from now on. */
export async function setPasskeyOnly(
  transaction: Transaction<Database>,
  userId: number,
  passkeyOnly: boolean,
): Promise<void> {
  await transaction.updateTable('users').set({ passkey_only: passkeyOnly }).where('id', '=', userId).execute()
}
