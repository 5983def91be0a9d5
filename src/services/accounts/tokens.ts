import type { Kysely } from 'kysely'
import { type Actor, type AuditedAction, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockSession } from '../../../db/queries/accounts/sessions.js'
import {
  type ApiToken,
  deleteTokens,
  findTokenOwner,
  hasToken,
  insertToken,
  markServiceToken,
  replaceTokenHash,
} from '../../../db/queries/accounts/tokens.js'
import type { Account } from '../../../db/queries/accounts/users.js'
import type { Database } from '../../../db/types.js'
import { NOT_LOGGED_IN, TOKEN_NOT_FOUND } from '../../domain/accounts/refusals.js'
import { SCIM_SCOPE, type Scope } from '../../domain/accounts/scopes.js'
import { createToken, hashToken } from '../../domain/accounts/tokens.js'
import { createOnce, type FormRequest } from '../create-once.js'

export interface NewToken {
  name: string
  /** Null for a token that does not expire */
  lifetimeDays: number | null
  scopes: Scope[]
}

/**
 * Creates an API token. Adds an audit entry if the user is an administrator. Only the hash of the returned `token` is
 * stored, so a repeated request replaces the `token` of the one that it created. The lock on the session ensures that a
 * concurrent password reset either ends the session first or deletes this token.
 * @throws NOT_LOGGED_IN if the session has ended
 * @throws ClientIdUsed if the client id belongs to another token
 */
export async function createOwnToken(
  db: Kysely<Database>,
  actor: Actor,
  user: Account,
  sessionId: number,
  newToken: NewToken,
  request?: FormRequest,
): Promise<Omit<ApiToken, 'last_used_at'> & { token: string }> {
  const token = createToken()
  const token_hash = hashToken(token) as Buffer
  return db.transaction().execute(async (transaction) => {
    const id = await createOnce(transaction, request, {
      kind: 'token',
      input: newToken,
      create: async () => {
        const { id, name } = await insertToken(transaction, { user_id: user.id, token_hash, ...newToken })
        if (user.is_admin) await insertAuditEntry(transaction, actor, creationOf({ id, name }, newToken))
        return id
      },
      name: async (id) => ((await hasToken(transaction, user.id, id)) ? { id } : undefined),
    })
    if (!(await lockSession(transaction, user.id, sessionId))) throw NOT_LOGGED_IN
    const row = await replaceTokenHash(transaction, id, token_hash)
    // A password reset has deleted the token and ended the session.
    if (row === undefined) throw NOT_LOGGED_IN
    return { ...row, token }
  })
}

/** Returns the action for the audit trail. Names the scope of tokens for identity providers, which change accounts. */
function creationOf({ id, name }: { id: number; name: string }, { scopes }: Pick<NewToken, 'scopes'>): AuditedAction {
  const details = scopes.includes(SCIM_SCOPE) ? { details: { scopes } } : {}
  return { action: 'token.create', target_id: id, target: name, ...details }
}

/**
 * Creates a token with the scope `scim` for the administrator who has emergency access, otherwise for the first one, and
 * returns it. Emergency accounts cannot be disabled by SCIM. Only the hash of the token is stored.
 * @returns undefined if no administrator can answer for the token
 */
export async function createScimToken(
  db: Kysely<Database>,
  actor: Actor,
  name: string,
  today: string,
): Promise<string | undefined> {
  const token = createToken()
  const token_hash = hashToken(token) as Buffer
  return db.transaction().execute(async (transaction) => {
    const owner = await findTokenOwner(transaction, today)
    if (owner === undefined) return undefined
    const scopes: Scope[] = [SCIM_SCOPE]
    const { id } = await insertToken(transaction, { user_id: owner.id, name, token_hash, lifetimeDays: null, scopes })
    const details = { scopes, owner: owner.username }
    await insertAuditEntry(transaction, actor, { action: 'token.create', target_id: id, target: name, details })
    return token
  })
}

/**
 * Marks or unmarks a token of a user as a service token and writes an audit entry.
 * @throws TOKEN_NOT_FOUND if the user has no such token
 */
export async function markToken(
  db: Kysely<Database>,
  actor: Actor,
  { userId, id, isService }: { userId: number; id: number; isService: boolean },
): Promise<ApiToken> {
  return db.transaction().execute(async (transaction) => {
    const token = await markServiceToken(transaction, userId, id, isService)
    if (token === undefined) throw TOKEN_NOT_FOUND
    const details = { user_id: userId, is_service: isService }
    await insertAuditEntry(transaction, actor, { action: 'token.service', target_id: id, target: token.name, details })
    return token
  })
}

/** Deletes an API token of the user, if it exists. Adds an audit entry if the user is an administrator. */
export async function removeOwnToken(db: Kysely<Database>, actor: Actor, user: Account, id: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const deleted = await deleteTokens(transaction, user.id, id)
    if (deleted === 0 || !user.is_admin) return
    await insertAuditEntry(transaction, actor, { action: 'token.delete', target_id: id })
  })
}
