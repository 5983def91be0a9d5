import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'
import { type AccountWithState, STATE } from './users.js'

// Raw SQL: an advisory lock is a function call without a table.

export type Subject = Pick<Selectable<Database['identities']>, 'issuer' | 'subject'>

const IDENTITY = ['id', 'issuer', 'subject', 'created_at', 'last_used_at'] as const

export type OwnIdentity = Pick<Selectable<Database['identities']>, (typeof IDENTITY)[number]>

export type IdentifiedUser = AccountWithState & {
  identity_id: number
  email: string | null
  personnel_number: string | null
}

/** Locks the identity until the transaction ends, so that concurrent requests cannot link it twice. */
export async function lockSubject(transaction: Transaction<Database>, { issuer, subject }: Subject): Promise<void> {
  const key = `${issuer} ${subject}`
  await sql`select pg_advisory_xact_lock(hashtext('svc-training identity'), hashtext(${key}))`.execute(transaction)
}

export async function findIdentifiedUser(
  db: Kysely<Database>,
  { issuer, subject }: Subject,
): Promise<IdentifiedUser | undefined> {
  return db
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .select([
      'identities.id as identity_id',
      ...(['users.id', 'username', 'display_name', 'is_admin', 'users.created_at'] as const),
      ...STATE,
      ...(['email', 'personnel_number'] as const),
    ])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

/** Stores an identity, which must not be linked yet. */
export async function insertIdentity(
  transaction: Transaction<Database>,
  userId: number,
  { issuer, subject }: Subject,
): Promise<number> {
  const { id } = await transaction
    .insertInto('identities')
    .values({ user_id: userId, issuer, subject })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Records that the provider has confirmed the person. */
export async function recordIdentityUse(db: Kysely<Database>, id: number): Promise<void> {
  const now = sql<Date>`now()`
  await db.updateTable('identities').set({ last_used_at: now, confirmed_at: now }).where('id', '=', id).execute()
}

export async function listIdentities(db: Kysely<Database>, userId: number): Promise<OwnIdentity[]> {
  return db.selectFrom('identities').select(IDENTITY).where('user_id', '=', userId).orderBy('id').execute()
}

export async function hasIdentity(db: Kysely<Database>, userId: number, issuer: string): Promise<boolean> {
  const found = await db
    .selectFrom('identities')
    .select('id')
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .executeTakeFirst()
  return found !== undefined
}

export async function deleteIdentity(
  transaction: Transaction<Database>,
  userId: number,
  id: number,
): Promise<Subject | undefined> {
  return transaction
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(['issuer', 'subject'])
    .executeTakeFirst()
}

/** Deletes all identities of a user and returns their number. */
export async function deleteIdentities(transaction: Transaction<Database>, userId: number): Promise<number> {
  const { numDeletedRows } = await transaction.deleteFrom('identities').where('user_id', '=', userId).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns the users to whose identity or provider session a logout token refers. */
export async function findUsersOfLogout(
  db: Kysely<Database>,
  { issuer, subject, session }: { issuer: string; subject: string | undefined; session: string | undefined },
): Promise<{ id: number; username: string }[]> {
  const ofSubject = db
    .selectFrom('identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject ?? null)
  const ofSession = db
    .selectFrom('sessions')
    .select('user_id')
    .where('provider_session', '=', session ?? null)
  return db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', 'in', ofSubject.union(ofSession))
    .orderBy('id')
    .execute()
}

/** Records a logout token as used; returns false if it has been used before. */
export async function spendLogoutToken(db: Kysely<Database>, tokenHash: Buffer, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('spent_logout_tokens')
    .values({ token_hash: tokenHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
