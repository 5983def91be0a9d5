import { hash } from 'node:crypto'
import cookie from '@fastify/cookie'
import session, { type FastifySessionObject, type SessionStore } from '@fastify/session'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Insertable, Kysely } from 'kysely'
import { findUnconfirmed } from '../db/queries/accounts/confirmed.js'
import {
  deleteSession,
  deleteSessions,
  type FoundSession,
  findSession,
  insertSession,
  type LoginCredential,
  renewSession,
} from '../db/queries/accounts/sessions.js'
import type { AccountWithState } from '../db/queries/accounts/users.js'
import type { Database } from '../db/types.js'
import { isDisabled } from '../src/domain/accounts/deactivation.js'
import { NOT_LOGGED_IN, PASSKEY_REFUSED, PROVIDER_LOGIN_NEEDED, WRONG_LOGIN } from '../src/domain/accounts/refusals.js'
import type { Recheck } from '../src/domain/sign-in/settings.js'
import type { Login } from '../src/services/accounts/log-in.js'
import {
  clearSessionCookies,
  cookieOptionsOf,
  keepLastOfEachCookie,
  secureCookies,
  sessionCookieName,
} from './session-cookie.js'

declare module 'fastify' {
  interface FastifyReply {
    clearSessionCookies(): void
  }
  interface Session {
    userId?: number
    /** Data read from the store; undefined for a session that this request has created */
    stored?: StoredSession
    /** `address`, `userAgent` and `providerSession` are set only by `startSession`. */
    address?: string
    userAgent?: string | undefined
    providerSession?: string | null | undefined
    /** Credential that must still be valid when the session is stored; set only by `startSession` */
    credential?: LoginCredential
  }
}

const MAX_USER_AGENT_LENGTH = 500
const DAY_MS = 24 * 60 * 60 * 1000
const LIFETIME_MS = 7 * DAY_MS
/** Minimum extension of a session, in milliseconds, that is written to the database */
const MIN_RENEWAL_MS = 60_000

export interface SessionPluginOptions {
  /** The first secret signs cookies; all secrets verify them. */
  secrets: string[]
}

/** User and login data that the store reads with a session. The data does not change during a request. */
interface StoredSession {
  user: AccountWithState
  expiresAt: Date
  /** Id of the session in the API; the session id itself is secret. */
  rowId: number
  authenticatedAt: Date
  /** Whether the last login or confirmation is less than ten minutes old */
  isFresh: boolean
  /**
   * Id of the session at the identity provider; null if the provider sent none, or if no login of this session used the
   * provider
   */
  providerSession: string | null
  /** Whether the last login or confirmation came from the provider, or `providerSession` is set */
  isOfProvider: boolean
  /** Whether the provider must confirm the user again */
  isUnconfirmed: boolean
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
    isUnconfirmed: found.is_unconfirmed,
    toJSON: () => found.id,
  }
}

/** Stores sessions in the database. Only `startSession` inserts a row. */
export default fp<SessionPluginOptions>(
  async (app, { secrets }) => {
    const { sessionMaxDays: maxDays } = app.config
    const cookieOptions = cookieOptionsOf(app.config)
    const cookieName = sessionCookieName(cookieOptions)
    const maxAge = Math.min(LIFETIME_MS, maxDays * DAY_MS)
    await app.register(cookie)
    // A request with a Bearer header is authenticated by the token only. Without cookies, the session package reads,
    // renews and clears no session.
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.tokenUser !== undefined) request.cookies = {}
      done()
    })
    await app.register(session, {
      cookieName,
      secret: secrets,
      store: createStore(app.db, { maxDays, today: app.clock.today, recheck: app.recheck }),
      rolling: false,
      saveUninitialized: false,
      cookie: { httpOnly: true, sameSite: 'lax', path: '/', secure: 'auto', maxAge },
    })
    app.addHook('onRequest', async (request) => {
      // For a token, the plugin of tokens has decided.
      const { isUnconfirmed } = request.session?.stored ?? {}
      if (isUnconfirmed) request.needsProviderLogin = await app.mustReturnToProvider(isUnconfirmed)
    })
    app.decorateReply('clearSessionCookies', function () {
      clearSessionCookies(this.request, this, cookieName)
    })
    app.addHook('onSend', (_request, reply, _payload, done) => {
      keepLastOfEachCookie(reply)
      if (cookieOptions.isSecure) secureCookies(reply)
      done()
    })
  },
  { name: 'session', dependencies: ['database', 'provider', 'service', 'tokens'] },
)

/**
 * Starts a session with a new id for an authenticated user and ends the current session of the request.
 * @throws WRONG_LOGIN if, since the login was verified, the credential became invalid or the account was disabled or
 * deleted
 * @throws PASSKEY_REFUSED instead of WRONG_LOGIN if the credential is a passkey
 * @throws PROVIDER_LOGIN_NEEDED if the provider must confirm the person again and the credential is of another kind
 */
export async function startSession(request: FastifyRequest, login: Login): Promise<void> {
  await requireConfirmation(request, login)
  await storeSession(request, login)
}

async function requireConfirmation({ server }: FastifyRequest, { user, credential }: Login): Promise<void> {
  if ('identityId' in credential) return
  const isUnconfirmed = await findUnconfirmed(server.db, user.id, server.recheck)
  if (await server.mustReturnToProvider(isUnconfirmed)) throw PROVIDER_LOGIN_NEEDED
}

async function storeSession(request: FastifyRequest, { user, credential, providerSession }: Login): Promise<void> {
  const before = request.session.stored
  await request.session.regenerate()
  const started = request.session
  started.userId = user.id
  started.credential = credential
  // After a confirmation, the new session stays linked to the provider's session, so that a logout at the
  // provider still ends the new session.
  started.providerSession = providerSession ?? (before?.user.id === user.id ? before.providerSession : undefined)
  started.address = request.ip
  started.userAgent = request.headers['user-agent']
  try {
    await started.save()
  } catch (error) {
    // Clears the failed session, because the session package would otherwise save it with the error response.
    const noUser = { userId: undefined, address: undefined, userAgent: undefined }
    Object.assign(started, { ...noUser, credential: undefined, providerSession: undefined })
    throw error
  }
}

/**
 * Replaces the session after the user has confirmed the login; if the request has no session of this user, starts one.
 * If several concurrent requests replace the same session, only one succeeds.
 * @throws NOT_LOGGED_IN if a concurrent request has replaced or ended the session
 * @throws WRONG_LOGIN, PASSKEY_REFUSED or PROVIDER_LOGIN_NEEDED under the conditions of `startSession`
 */
export async function replaceSession(request: FastifyRequest, login: Login): Promise<void> {
  await requireConfirmation(request, login)
  const before = request.session.stored
  if (before?.user.id === login.user.id) {
    const ended = await deleteSessions(request.server.db, login.user.id, before.rowId)
    if (ended === 0) throw NOT_LOGGED_IN
  }
  await storeSession(request, login)
}

export async function endSession(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.session.userId !== undefined) await request.session.destroy()
  reply.clearSessionCookies()
}

/** Extends a session, up to its maximum age, if at most half of `LIFETIME_MS` is left. */
export async function extendSession(current: FastifySessionObject): Promise<void> {
  const { stored, cookie } = current
  if (stored === undefined) return
  const left = stored.expiresAt.getTime() - Date.now()
  const possible = cookie.originalMaxAge ?? 0
  if (left > LIFETIME_MS / 2 || possible - left < MIN_RENEWAL_MS) return
  current.touch()
  await current.save()
}

/** Returns the hash under which a session id is stored, so that a leaked table reveals no valid session id. */
export function hashSessionId(sessionId: string): Buffer {
  return hash('sha256', sessionId, 'buffer')
}

interface StoreOptions {
  maxDays: number
  today: () => string
  recheck: Recheck | undefined
}

function createStore(db: Kysely<Database>, { maxDays, today, recheck }: StoreOptions): SessionStore {
  const begin = async (row: Insertable<Database['sessions']>, credential: LoginCredential) => {
    if (!(await insertSession(db, row, credential, today())))
      throw 'passkeyId' in credential ? PASSKEY_REFUSED : WRONG_LOGIN
  }
  const settle = (work: Promise<unknown>, callback: (error?: unknown) => void) => {
    work.then(() => callback(), callback)
  }
  return {
    get(sessionId, callback) {
      findSession(db, hashSessionId(sessionId), maxDays, recheck).then((found) => {
        if (found === undefined || isDisabled(found.user, today())) return callback(null, null)
        // Cookie options are not stored, so that a changed configuration applies to existing sessions.
        const end = found.begun_at.getTime() + maxDays * DAY_MS
        const cookie = { originalMaxAge: Math.min(LIFETIME_MS, end - Date.now()) }
        callback(null, { userId: found.user.id, stored: toStored(found), cookie })
      }, callback)
    },
    set(sessionId, current, callback) {
      // Stores nothing without a user: `regenerate` saves the new session before the user is set.
      if (current.userId === undefined) return callback()
      const row = {
        id_hash: hashSessionId(sessionId),
        user_id: current.userId,
        expires_at: current.cookie.expires as Date,
        address: current.address ?? null,
        user_agent: current.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
        provider_session: current.providerSession ?? null,
      }
      // `renewSession` only updates, because a renewal must not restore a session that has just ended.
      settle(current.credential === undefined ? renewSession(db, row) : begin(row, current.credential), callback)
    },
    destroy(sessionId, callback) {
      settle(deleteSession(db, hashSessionId(sessionId)), callback)
    },
  }
}
