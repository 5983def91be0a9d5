import { hash } from 'node:crypto'
import cookie from '@fastify/cookie'
import session, { type FastifySessionObject, type SessionStore } from '@fastify/session'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Insertable, Kysely } from 'kysely'
import {
  deleteSession,
  type FoundSession,
  findSession,
  insertSession,
  type Proof,
  renewSession,
} from '../db/queries/accounts/sessions.js'
import type { AccountWithState } from '../db/queries/accounts/users.js'
import type { Database, SessionsTable } from '../db/types.js'
import { PASSKEY_REFUSED, WRONG_LOGIN } from '../src/domain/refusals.js'
import type { Login } from '../src/services/accounts/log-in.js'
import {
  adoptPlainCookie,
  type CookieOptions,
  clearSessionCookies,
  createSessionId,
  createSigner,
  keepLastOfEachCookie,
  secureCookies,
  sessionCookieName,
} from './session-cookie.js'

declare module 'fastify' {
  interface FastifyReply {
    /** Lets the browser forget the session's cookie, under each name that it may have. */
    clearSessionCookies(): void
  }
  interface Session {
    userId?: number
    /** Only of a session that was read from the store. */
    stored?: StoredSession
    /** Only of a session that a login begins. */
    address?: string
    userAgent?: string | undefined
    providerSession?: string | null | undefined
    /** Only of a session that a login begins: while this is the user's, it may begin. */
    proof?: Proof
  }
}

const MAX_USER_AGENT_LENGTH = 500
const DAY_MS = 24 * 60 * 60 * 1000
const LIFETIME_MS = 7 * DAY_MS
/** A renewal that would add less than this is none. */
const LEAST_RENEWAL_MS = 60_000

export interface SessionPluginOptions extends CookieOptions {
  /** The first one signs cookies, all are accepted. */
  secrets: string[]
  /** Days after its login at which a session ends, however often it was renewed. */
  maxDays: number
}

/**
 * What was read with a session and never changes with it. The session's package writes each session as JSON twice, to
 * see whether it has changed; of this one number is enough.
 */
class StoredSession {
  readonly user: AccountWithState
  readonly expiresAt: Date
  /** What names the session to its user. */
  readonly rowId: number
  /** When the person last proved who it is, and whether that is recent enough for what hands out access. */
  readonly authenticatedAt: Date
  readonly isFresh: boolean
  /** What the provider calls the session, if it was one who said who it is. */
  readonly providerSession: string | null
  readonly isOfProvider: boolean

  constructor(found: FoundSession) {
    this.user = found.user
    this.expiresAt = found.expires_at
    this.rowId = found.id
    this.authenticatedAt = found.authenticated_at
    this.isFresh = found.is_fresh
    this.providerSession = found.provider_session
    this.isOfProvider = found.is_of_provider
  }

  toJSON(): number {
    return this.rowId
  }
}

/** Sessions in the database: a stranger costs no query, a session one, and a row exists only after a login. */
export default fp<SessionPluginOptions>(
  async (app, { secrets, maxDays, isSecure, basePath }) => {
    const cookieName = sessionCookieName({ isSecure, basePath })
    const signer = createSigner(secrets)
    const maxAge = Math.min(LIFETIME_MS, maxDays * DAY_MS)
    await app.register(cookie)
    // With a token it stands for the session: none is read beside it.
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.tokenUser !== undefined) request.cookies = {}
      done()
    })
    adoptPlainCookie(app, signer, cookieName)
    await app.register(session, {
      cookieName,
      idGenerator: () => createSessionId(cookieName),
      secret: signer,
      store: createStore(app.db, maxDays),
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
 * Begins a session of the user: whoever has proven who it is gets a new id, and the session of the cookie ends. The one
 * place where sessions begin.
 * @throws WRONG_LOGIN or PASSKEY_REFUSED when what was proven with has been replaced or removed since it was verified
 */
export async function startSession(request: FastifyRequest, { user, proof, providerSession }: Login): Promise<void> {
  const before = request.session.stored
  await request.session.regenerate()
  const started = request.session
  started.userId = user.id
  started.proof = proof
  // Who proves again who it is stays in the session of the provider, which may end it.
  started.providerSession = providerSession ?? (before?.user.id === user.id ? before.providerSession : undefined)
  started.address = request.ip
  started.userAgent = request.headers['user-agent']
  try {
    await started.save()
  } catch (error) {
    // As nobody's it is not saved again by the answer that says what went wrong.
    const nobody = { userId: undefined, address: undefined, userAgent: undefined }
    Object.assign(started, { ...nobody, proof: undefined, providerSession: undefined })
    throw error
  }
}

/** Ends the session of the request, if there is one, and lets the browser forget its cookie. */
export async function endSession(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.session.userId !== undefined) await request.session.destroy()
  reply.clearSessionCookies()
}

/** In its second half a session gets its whole lifetime again, or what is left of its longest life. */
export async function renewInSecondHalf(current: FastifySessionObject): Promise<void> {
  const { stored, cookie } = current
  if (stored === undefined) return
  const left = stored.expiresAt.getTime() - Date.now()
  const possible = cookie.originalMaxAge ?? 0
  if (left > LIFETIME_MS / 2 || possible - left < LEAST_RENEWAL_MS) return
  current.touch()
  await current.save()
}

/** The SHA-256 of a session id: who reads the table cannot use what it holds. */
export function hashSessionId(sessionId: string): Buffer {
  return hash('sha256', sessionId, 'buffer')
}

function createStore(db: Kysely<Database>, maxDays: number): SessionStore {
  const begin = async (row: Insertable<SessionsTable>, proof: Proof) => {
    if (!(await insertSession(db, row, proof))) throw 'passkeyId' in proof ? PASSKEY_REFUSED : WRONG_LOGIN
  }
  const settle = (work: Promise<unknown>, callback: (error?: unknown) => void) => {
    work.then(() => callback(), callback)
  }
  return {
    get(sessionId, callback) {
      findSession(db, hashSessionId(sessionId), maxDays).then((found) => {
        if (found === undefined) return callback(null, null)
        // The cookie's options are not stored, so that a change of them reaches sessions that exist.
        const end = found.begun_at.getTime() + maxDays * DAY_MS
        const cookie = { originalMaxAge: Math.min(LIFETIME_MS, end - Date.now()) }
        callback(null, { userId: found.user.id, stored: new StoredSession(found), cookie })
      }, callback)
    },
    set(sessionId, current, callback) {
      // `regenerate` saves the new session before anybody is logged in to it.
      if (current.userId === undefined) return callback()
      const row = {
        id_hash: hashSessionId(sessionId),
        user_id: current.userId,
        expires_at: current.cookie.expires as Date,
        address: current.address ?? null,
        user_agent: current.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
        provider_session: current.providerSession ?? null,
      }
      // A renewal must not bring back a session that has just ended.
      settle(current.proof === undefined ? renewSession(db, row) : begin(row, current.proof), callback)
    },
    destroy(sessionId, callback) {
      settle(deleteSession(db, hashSessionId(sessionId)), callback)
    },
  }
}
