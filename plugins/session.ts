import { hash } from 'node:crypto'
import cookie from '@fastify/cookie'
import session, { type FastifySessionObject, type SessionStore } from '@fastify/session'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Insertable, Kysely } from 'kysely'
import {
  deleteSession,
  deleteSessions,
  type FoundSession,
  findSession,
  insertSession,
  type Proof,
  renewSession,
} from '../db/queries/accounts/sessions.js'
import type { AccountWithState } from '../db/queries/accounts/users.js'
import type { Database, SessionsTable } from '../db/types.js'
import { isDisabled } from '../src/domain/accounts/deactivation.js'
import { NOT_LOGGED_IN, PASSKEY_REFUSED, WRONG_LOGIN } from '../src/domain/accounts/refusals.js'
import type { Login } from '../src/services/accounts/log-in.js'
import {
  type CookieOptions,
  clearSessionCookies,
  keepLastOfEachCookie,
  secureCookies,
  sessionCookieName,
} from './session-cookie.js'

declare module 'fastify' {
  interface FastifyReply {
    /** Clears the session cookie, also under the name that a former configuration used. */
    clearSessionCookies(): void
  }
  interface Session {
    userId?: number
    /** Data read from the store; undefined for a session that this request has created */
    stored?: StoredSession
    /** Set only while a login creates the session */
    address?: string
    userAgent?: string | undefined
    providerSession?: string | null | undefined
    /** Set only while a login creates the session: the credential that must still be valid */
    proof?: Proof
  }
}

const MAX_USER_AGENT_LENGTH = 500
const DAY_MS = 24 * 60 * 60 * 1000
const LIFETIME_MS = 7 * DAY_MS
/** Minimum extension for which a renewal is written */
const MIN_RENEWAL_MS = 60_000

export interface SessionPluginOptions extends CookieOptions {
  /** The first secret signs cookies; all of them verify. */
  secrets: string[]
  /** Maximum age of a session in days since its login, regardless of renewals */
  maxDays: number
  /** Returns the current calendar day as `YYYY-MM-DD`. */
  today: () => string
}

/** Data that was read with a session; it does not change during a request. */
interface StoredSession {
  user: AccountWithState
  expiresAt: Date
  /** Id of the session in the API; the session id itself is secret. */
  rowId: number
  authenticatedAt: Date
  /** Whether the user has logged in or confirmed the login in the last ten minutes. */
  isFresh: boolean
  /** Id of the session at the identity provider; null if the provider did not authenticate the user or sent no id */
  providerSession: string | null
  /** Whether the last proof of identity came from the provider, or the session is linked to one of the provider */
  isOfProvider: boolean
  /**
   * Returns the row id in place of all fields. The session package serializes each session twice per request to detect
   * changes; omitting these fields, which cannot change, saves 11 µs of processor time per request.
   */
  toJSON(): number
}

function toStored(found: FoundSession): StoredSession {
  return {
    user: found.user,
    expiresAt: found.expires_at,
    rowId: found.id,
    authenticatedAt: found.authenticated_at,
    isFresh: found.is_fresh,
    providerSession: found.provider_session,
    isOfProvider: found.is_of_provider,
    toJSON: () => found.id,
  }
}

/**
 * Stores sessions in the database. Only a login inserts a row. The session of a request is read with one query; a
 * request without a session cookie needs no query.
 */
export default fp<SessionPluginOptions>(
  async (app, { secrets, maxDays, today, isSecure, basePath }) => {
    const cookieName = sessionCookieName({ isSecure, basePath })
    const maxAge = Math.min(LIFETIME_MS, maxDays * DAY_MS)
    await app.register(cookie)
    // A request with a Bearer header is authenticated by the token only. Without cookies, the session package reads,
    // renews and clears no session, which also saves a query.
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.tokenUser !== undefined) request.cookies = {}
      done()
    })
    await app.register(session, {
      cookieName,
      secret: secrets,
      store: createStore(app.db, { maxDays, today }),
      rolling: false,
      saveUninitialized: false,
      cookie: { httpOnly: true, sameSite: 'lax', path: '/', secure: 'auto', maxAge },
    })
    app.decorateReply('clearSessionCookies', function () {
      clearSessionCookies(this.request, this, cookieName)
    })
    app.addHook('onSend', (_request, reply, _payload, done) => {
      keepLastOfEachCookie(reply)
      if (isSecure) secureCookies(reply)
      done()
    })
  },
  { name: 'session', dependencies: ['database', 'tokens'] },
)

/**
 * Starts a session with a new id for an authenticated user and ends the session of the request. Every login calls it.
 * @throws WRONG_LOGIN or, for a passkey, PASSKEY_REFUSED if the credential was replaced or removed, or the account was
 * disabled, after the credential was verified
 */
export async function startSession(request: FastifyRequest, { user, proof, providerSession }: Login): Promise<void> {
  const before = request.session.stored
  await request.session.regenerate()
  const started = request.session
  started.userId = user.id
  started.proof = proof
  // After a renewed proof of identity, the session stays linked to the provider's session, whose end still ends it.
  started.providerSession = providerSession ?? (before?.user.id === user.id ? before.providerSession : undefined)
  started.address = request.ip
  started.userAgent = request.headers['user-agent']
  try {
    await started.save()
  } catch (error) {
    // Clears the session, because the session package would otherwise save it again with the error response.
    const noUser = { userId: undefined, address: undefined, userAgent: undefined }
    Object.assign(started, { ...noUser, proof: undefined, providerSession: undefined })
    throw error
  }
}

/**
 * Replaces the session after the user has confirmed the login; if the request has no session of this user, starts one.
 * If several concurrent requests replace the same session, only one succeeds.
 * @throws NOT_LOGGED_IN if a concurrent request has replaced or ended the session
 * @throws WRONG_LOGIN or PASSKEY_REFUSED under the conditions of `startSession`
 */
export async function replaceSession(request: FastifyRequest, login: Login): Promise<void> {
  const before = request.session.stored
  if (before?.user.id === login.user.id) {
    const ended = await deleteSessions(request.server.db, login.user.id, before.rowId)
    if (ended === 0) throw NOT_LOGGED_IN
  }
  await startSession(request, login)
}

/** Ends the session of the request, if any, and clears its cookie. */
export async function endSession(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.session.userId !== undefined) await request.session.destroy()
  reply.clearSessionCookies()
}

/** Extends a session, up to its maximum age, if at most half of the seven days is left. */
export async function extendSession(current: FastifySessionObject): Promise<void> {
  const { stored, cookie } = current
  if (stored === undefined) return
  const left = stored.expiresAt.getTime() - Date.now()
  const possible = cookie.originalMaxAge ?? 0
  if (left > LIFETIME_MS / 2 || possible - left < MIN_RENEWAL_MS) return
  current.touch()
  await current.save()
}

/** Returns the SHA-256 of a session id. Only the hash is stored, so a leaked table reveals no valid session. */
export function hashSessionId(sessionId: string): Buffer {
  return hash('sha256', sessionId, 'buffer')
}

function createStore(
  db: Kysely<Database>,
  { maxDays, today }: Pick<SessionPluginOptions, 'maxDays' | 'today'>,
): SessionStore {
  const begin = async (row: Insertable<SessionsTable>, proof: Proof) => {
    if (!(await insertSession(db, row, proof, today()))) throw 'passkeyId' in proof ? PASSKEY_REFUSED : WRONG_LOGIN
  }
  const settle = (work: Promise<unknown>, callback: (error?: unknown) => void) => {
    work.then(() => callback(), callback)
  }
  return {
    get(sessionId, callback) {
      findSession(db, hashSessionId(sessionId), maxDays).then((found) => {
        if (found === undefined || isDisabled(found.user, today())) return callback(null, null)
        // Cookie options are not stored, so that a changed configuration applies to existing sessions.
        const end = found.begun_at.getTime() + maxDays * DAY_MS
        const cookie = { originalMaxAge: Math.min(LIFETIME_MS, end - Date.now()) }
        callback(null, { userId: found.user.id, stored: toStored(found), cookie })
      }, callback)
    },
    set(sessionId, current, callback) {
      // Not stored: `regenerate` saves the new session before it has a user.
      if (current.userId === undefined) return callback()
      const row = {
        id_hash: hashSessionId(sessionId),
        user_id: current.userId,
        expires_at: current.cookie.expires as Date,
        address: current.address ?? null,
        user_agent: current.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
        provider_session: current.providerSession ?? null,
      }
      // A renewal must not restore a session that has just ended.
      settle(current.proof === undefined ? renewSession(db, row) : begin(row, current.proof), callback)
    },
    destroy(sessionId, callback) {
      settle(deleteSession(db, hashSessionId(sessionId)), callback)
    },
  }
}
