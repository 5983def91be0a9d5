import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import type { Database, SessionsTable, SignInMethod } from '../../types.js'
import type { AccountWithState } from './users.js'

/** A session that was read, and whose it is. */
export interface FoundSession {
  id: number
  user: AccountWithState
  begun_at: Date
  expires_at: Date
  authenticated_at: Date
  /** Whether the person has proven who it is in the last ten minutes. */
  is_fresh: boolean
  provider_session: string | null
  /** Whether a provider has said who it is, and so has a session, too. */
  is_of_provider: boolean
}

type SessionRow = AccountWithState & Omit<FoundSession, 'user'> & { session_id: number }

/**
 * A session that has not expired, and began at most `maxDays` ago, with its user, read in one statement. As text, since
 * every request sends it: the query builder took 11 µs for it, the text takes 1.5 µs.
 */
export async function findSession(
  db: Kysely<Database>,
  idHash: Buffer,
  maxDays: number,
): Promise<FoundSession | undefined> {
  const { rows } = await sql<SessionRow>`
    select sessions.id as session_id, users.id, username, display_name, is_admin, users.created_at,
      must_change_password and authenticated_by = 'password' as must_change_password,
      last_seen_on, expires_at, sessions.created_at as begun_at, authenticated_at,
      authenticated_at > now() - interval '10 minutes' as is_fresh, provider_session,
      authenticated_by = 'oidc' or provider_session is not null as is_of_provider
    from sessions join users on users.id = sessions.user_id
    where id_hash = ${idHash} and expires_at > now()
      and sessions.created_at > now() - make_interval(days => ${maxDays})`.execute(db)
  if (rows[0] === undefined) return undefined
  const {
    session_id: id,
    expires_at,
    begun_at,
    authenticated_at,
    is_fresh,
    provider_session,
    is_of_provider,
    ...user
  } = rows[0]
  return { id, user, begun_at, expires_at, authenticated_at, is_fresh, provider_session, is_of_provider }
}

/** With what somebody has proven who it is; a session begins only while it is still the user's. */
export type Proof =
  | { passwordHash: string }
  /** Undefined when the provider does not say when it has last asked for a proof. */
  | { identityId: number; authenticatedAt: Date | undefined }
  | { passkeyId: number }

/**
 * Stores a session that a login begins; false when the proof (a password, an identity, a passkey) has been replaced or
 * removed meanwhile, or the user deleted. The lock lets a reset that is under way decide first: it ends the sessions
 * that it finds.
 */
export async function insertSession(
  db: Kysely<Database>,
  session: Insertable<SessionsTable>,
  proof: Proof,
): Promise<boolean> {
  const { id_hash, user_id, expires_at, address, user_agent, provider_session = null } = session
  const { numAffectedRows } = await sql`
    insert into sessions (
      id_hash, user_id, expires_at, address, user_agent, authenticated_by, authenticated_at, provider_session)
    select ${id_hash}::bytea, id, ${expires_at}::timestamptz, ${address}::text, ${user_agent}::text,
      ${methodOf(proof)}::text, ${timeOf(proof)}, ${provider_session}::text
    from users where id = ${user_id} and ${isOfUser(proof)} for share of users`.execute(db)
  return numAffectedRows === 1n
}

function methodOf(proof: Proof): SignInMethod {
  if ('passwordHash' in proof) return 'password'
  return 'identityId' in proof ? 'oidc' : 'passkey'
}

/** A provider that still knows the person asks for nothing: that is no new proof. */
function timeOf(proof: Proof): RawBuilder<unknown> {
  if (!('identityId' in proof)) return sql`now()`
  return proof.authenticatedAt === undefined
    ? sql`to_timestamp(0)`
    : sql`least(now(), ${proof.authenticatedAt}::timestamptz)`
}

function isOfUser(proof: Proof): RawBuilder<unknown> {
  if ('passwordHash' in proof) return sql`password_hash = ${proof.passwordHash} and not passkey_only`
  const [table, id] = 'identityId' in proof ? [sql`identities`, proof.identityId] : [sql`passkeys`, proof.passkeyId]
  return sql`exists (select from ${table} as proof where proof.id = ${id} and proof.user_id = users.id)`
}

/**
 * Whether the session has not ended. Until the transaction is over no reset of the password can end it: the user's row is
 * locked, in the order in which a deletion of the user locks.
 */
export async function keepSession(transaction: Transaction<Database>, userId: number, id: number): Promise<boolean> {
  await transaction.selectFrom('users').select('id').where('id', '=', userId).forShare().execute()
  const session = await transaction.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()
  return session !== undefined
}

/** Moves the end of a session; nothing happens when it has ended meanwhile. */
export async function renewSession(
  db: Kysely<Database>,
  session: Pick<Insertable<SessionsTable>, 'id_hash' | 'expires_at'>,
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ expires_at: session.expires_at })
    .where('id_hash', '=', session.id_hash)
    .execute()
}

/** Ends one session, if it is there. */
export async function deleteSession(db: Kysely<Database>, idHash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('id_hash', '=', idHash).execute()
}

/** Ends the sessions of a user, except one. */
export async function deleteOtherSessions(db: Kysely<Database>, userId: number, keptIdHash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('id_hash', '!=', keptIdHash).execute()
}

const SESSION = ['id', 'address', 'user_agent', 'created_at', 'expires_at'] as const

/** A session as its user sees it. */
export type OwnSession = Pick<Selectable<SessionsTable>, (typeof SESSION)[number]>

/** The sessions of a user that have not expired, newest first. */
export async function listSessions(db: Kysely<Database>, userId: number): Promise<OwnSession[]> {
  return db
    .selectFrom('sessions')
    .select(SESSION)
    .where('user_id', '=', userId)
    .where('expires_at', '>', (eb) => eb.fn<Date>('now'))
    .orderBy('id', 'desc')
    .execute()
}

/** Ends the sessions of a user, or the one of that id; how many there were. */
export async function deleteSessions(db: Kysely<Database>, userId: number, id?: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(id !== undefined, (query) => query.where('id', '=', id as number))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
