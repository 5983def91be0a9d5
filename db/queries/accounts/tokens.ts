import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Scope } from '../../../src/domain/accounts/scopes.js'
import type { Recheck } from '../../../src/domain/sign-in/settings.js'
import type { Database } from '../../types.js'
import { isUnconfirmed } from './confirmed.js'
import { isEnabled } from './enabled.js'
import type { AccountWithState } from './users.js'

// Raw SQL: one statement reads the token and records its use; every request with a token runs it.

const TOKEN = ['id', 'name', 'created_at', 'last_used_at', 'expires_at', 'scopes', 'is_service'] as const

/** Tokens that other systems use, also when the owner does not log in */
const IS_SERVICE = sql<boolean>`(is_service or 'scim' = any(scopes))`

export type ApiToken = Pick<Selectable<Database['api_tokens']>, (typeof TOKEN)[number]>

export interface SentToken {
  id: number
  name: string
  scopes: Scope[]
  user: AccountWithState
  /** Whether the provider must confirm the owner again; see `isUnconfirmed`. Never for a service token or one of the scope `scim` */
  is_unconfirmed: boolean
}

/**
 * Returns the token with its user, unless the token is unknown or has expired. Also records the use of the token, at
 * most once a minute: of two concurrent requests, the second waits for the first and then skips its own update.
 */
export async function findSentToken(
  db: Kysely<Database>,
  tokenHash: Buffer,
  recheck: Recheck | undefined,
): Promise<SentToken | undefined> {
  const { rows } = await sql<
    AccountWithState & { token_id: number; token_name: string; scopes: Scope[]; is_unconfirmed: boolean }
  >`
    with found as (
      select api_tokens.id as token_id, api_tokens.name as token_name, scopes, users.id, username, display_name, is_admin, is_author, is_auditor,
        auditor_until, users.created_at,
        must_change_password and password_hash is not null as must_change_password, last_seen_on, disabled_on,
        language, language_used,
        not is_service and 'scim' <> all(scopes) and ${isUnconfirmed(recheck)} as is_unconfirmed
      from api_tokens join users on users.id = user_id
      where token_hash = ${tokenHash} and (expires_at is null or expires_at > now())
    ), used as (
      update api_tokens set last_used_at = now() from found
      where api_tokens.id = token_id and (last_used_at is null or last_used_at <= now() - interval '1 minute')
    )
    select token_id, token_name, scopes, id, username, display_name, is_admin, is_author, is_auditor, auditor_until, created_at,
      must_change_password, last_seen_on, disabled_on, language, language_used, is_unconfirmed
    from found`.execute(db)
  if (rows[0] === undefined) return undefined
  const { token_id, token_name, scopes, is_unconfirmed, ...user } = rows[0]
  return { id: token_id, name: token_name, scopes, user, is_unconfirmed }
}

/** Includes expired tokens that have not been deleted yet. */
export async function listTokens(db: Kysely<Database>, userId: number): Promise<ApiToken[]> {
  return db.selectFrom('api_tokens').select(TOKEN).where('user_id', '=', userId).orderBy('id').execute()
}

/** Returns id and name of the service tokens of a user, and of those of the scope `scim`. */
export async function listServiceTokens(
  db: Kysely<Database>,
  userId: number,
): Promise<Pick<ApiToken, 'id' | 'name'>[]> {
  return db
    .selectFrom('api_tokens')
    .select(['id', 'name'])
    .where('user_id', '=', userId)
    .where(IS_SERVICE)
    .orderBy('id')
    .execute()
}

/** Returns the tokens of several users under the same conditions, with the names of their owners. */
export async function listServiceTokensOf(
  db: Kysely<Database>,
  userIds: readonly number[],
): Promise<(Pick<ApiToken, 'id' | 'name'> & { username: string })[]> {
  if (userIds.length === 0) return []
  return db
    .selectFrom('api_tokens')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['api_tokens.id', 'name', 'username'])
    .where('user_id', '=', sql<number>`any(${userIds}::integer[])`)
    .where(IS_SERVICE)
    .orderBy('username')
    .orderBy('api_tokens.id')
    .execute()
}

/** `lifetimeDays` is null for a token that does not expire. */
export async function insertToken(
  db: Kysely<Database>,
  token: { user_id: number; name: string; token_hash: Buffer; lifetimeDays: number | null; scopes: Scope[] },
): Promise<ApiToken> {
  const { lifetimeDays, ...row } = token
  const expires_at = lifetimeDays === null ? null : sql<Date>`now() + make_interval(hours => ${24 * lifetimeDays})`
  return db
    .insertInto('api_tokens')
    .values({ ...row, expires_at })
    .returning(TOKEN)
    .executeTakeFirstOrThrow()
}

/**
 * Returns the enabled administrator who answers for tokens of the command line: one without a planned deactivation comes
 * first, then one with emergency access.
 */
export async function findTokenOwner(
  transaction: Transaction<Database>,
  today: string,
): Promise<{ id: number; username: string } | undefined> {
  return transaction
    .selectFrom('users')
    .select(['id', 'username'])
    .where('is_admin', '=', true)
    .where(isEnabled(today))
    .orderBy(sql`disabled_on is not null`)
    .orderBy('emergency', 'desc')
    .orderBy('id')
    .limit(1)
    .forKeyShare()
    .executeTakeFirst()
}

/** Returns the token; undefined if the user has no such token. */
export async function markServiceToken(
  transaction: Transaction<Database>,
  userId: number,
  id: number,
  is_service: boolean,
): Promise<ApiToken | undefined> {
  return transaction
    .updateTable('api_tokens')
    .set({ is_service })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(TOKEN)
    .executeTakeFirst()
}

export async function hasToken(db: Kysely<Database>, userId: number, id: number): Promise<boolean> {
  const token = await db
    .selectFrom('api_tokens')
    .select('id')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return token !== undefined
}

/** Returns the token; undefined if it does not exist. */
export async function replaceTokenHash(
  db: Kysely<Database>,
  id: number,
  token_hash: Buffer,
): Promise<ApiToken | undefined> {
  return db.updateTable('api_tokens').set({ token_hash }).where('id', '=', id).returning(TOKEN).executeTakeFirst()
}

export async function deleteTokens(db: Kysely<Database>, userId: number, id?: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('api_tokens')
    .where('user_id', '=', userId)
    .$if(id !== undefined, (query) => query.where('id', '=', id as number))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
