import { hash } from 'node:crypto'
import cookie, { Signer } from '@fastify/cookie'
import session, { type FastifySessionObject, type SessionStore } from '@fastify/session'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Insertable, Kysely } from 'kysely'
import { deleteSession, findSession, insertSession, type Proof, renewSession } from '../db/queries/accounts/sessions.js'
import type { AccountWithState } from '../db/queries/accounts/users.js'
import type { Database, SessionsTable } from '../db/types.js'
import { WRONG_LOGIN } from '../src/domain/refusals.js'
import type { Login } from '../src/services/accounts/log-in.js'

declare module 'fastify' {
  interface Session {
    userId?: number
    /** Only of a session that was read from the store. */
    stored?: StoredSession
    /** Only of a session that a login begins. */
    address?: string
    userAgent?: string | undefined
    providerSession?: string | undefined
    /** Only of a session that a login begins: while this is the user's, it may begin. */
    proof?: Proof
  }
}

export const SESSION_COOKIE = 'svc_training_session'

const MAX_USER_AGENT_LENGTH = 500
const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

export interface SessionPluginOptions {
  /** The first one signs cookies, all are accepted. */
  secrets: string[]
  /** People come by https, whatever the request says that a proxy has passed on. */
  isSecure: boolean
}

/**
 * What was read with a session and never changes with it. The session's package writes each session as JSON twice, to
 * see whether it has changed; of this one number is enough.
 */
class StoredSession {
  constructor(
    readonly user: AccountWithState,
    readonly expiresAt: Date,
    /** What names the session to its user. */
    readonly rowId: number,
  ) {}

  toJSON(): number {
    return this.rowId
  }
}

/** Signatures that wait to be asked for again; whoever never does leaves one. */
const MAX_KNOWN_SIGNATURES = 1_000

/**
 * The session's package verifies a cookie and then signs the same id anew: the signature that was just found right is
 * kept for that.
 */
function createSigner(secrets: string[]): Pick<Signer, 'sign' | 'unsign'> {
  const signer = new Signer(secrets)
  const known = new Map<string, string>()
  return {
    unsign(signed) {
      const result = signer.unsign(signed)
      if (result.valid && !result.renew) {
        if (known.size >= MAX_KNOWN_SIGNATURES) known.clear()
        known.set(result.value, signed)
      }
      return result
    },
    sign(value) {
      const signed = known.get(value) ?? signer.sign(value)
      known.delete(value)
      return signed
    },
  }
}

/** Sessions in the database: a stranger costs no query, a session one, and a row exists only after a login. */
export default fp<SessionPluginOptions>(
  async (app, { secrets, isSecure }) => {
    await app.register(cookie)
    // With a token it stands for the session: none is read beside it.
    app.addHook('onRequest', (request, _reply, done) => {
      if (request.tokenUser !== undefined) request.cookies = {}
      done()
    })
    await app.register(session, {
      cookieName: SESSION_COOKIE,
      secret: createSigner(secrets),
      store: createStore(app.db),
      rolling: false,
      saveUninitialized: false,
      cookie: { httpOnly: true, sameSite: 'lax', path: '/', secure: 'auto', maxAge: LIFETIME_MS },
    })
    app.addHook('onSend', (_request, reply, _payload, done) => {
      keepLastOfEachCookie(reply)
      // The package itself would set no cookie at all on a request that does not look like https.
      if (isSecure) secureCookies(reply)
      done()
    })
  },
  { name: 'session', dependencies: ['database', 'tokens'] },
)

/**
 * Begins a session of the user: whoever has proven who it is gets a new id, and the session of the cookie ends. The one
 * place where sessions begin.
 * @throws WRONG_LOGIN when what was proven with has been replaced or removed since it was verified
 */
export async function startSession(request: FastifyRequest, { user, proof, providerSession }: Login): Promise<void> {
  await request.session.regenerate()
  const started = request.session
  started.userId = user.id
  started.proof = proof
  started.providerSession = providerSession
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
  reply.clearCookie(SESSION_COOKIE, { path: '/' })
}

/**
 * The session's package clears the cookie of a session that has ended even when it sets that of another, and beside a
 * `clearCookie` of ours. An answer sets no cookie twice (RFC 6265, 4.1.1).
 */
function keepLastOfEachCookie(reply: FastifyReply): void {
  const cookies = reply.getHeader('set-cookie')
  if (!Array.isArray(cookies)) return
  const last = new Map(cookies.map((cookie) => [cookie.slice(0, cookie.indexOf('=')), cookie]))
  if (last.size < cookies.length) reply.removeHeader('set-cookie').header('set-cookie', [...last.values()])
}

function secureCookies(reply: FastifyReply): void {
  const cookies = [reply.getHeader('set-cookie') ?? []].flat().map(String)
  if (cookies.length === 0) return
  const secured = cookies.map((cookie) => (/; *secure(;|$)/i.test(cookie) ? cookie : `${cookie}; Secure`))
  reply.removeHeader('set-cookie').header('set-cookie', secured)
}

/** In its second half a session gets its whole lifetime again. */
export async function renewInSecondHalf(current: FastifySessionObject): Promise<void> {
  const { stored } = current
  if (stored === undefined || stored.expiresAt.getTime() - Date.now() > LIFETIME_MS / 2) return
  current.touch()
  await current.save()
}

/** The SHA-256 of a session id: who reads the table cannot use what it holds. */
export function hashSessionId(sessionId: string): Buffer {
  return hash('sha256', sessionId, 'buffer')
}

function createStore(db: Kysely<Database>): SessionStore {
  const begin = async (row: Insertable<SessionsTable>, proof: Proof) => {
    if (!(await insertSession(db, row, proof))) throw WRONG_LOGIN
  }
  const settle = (work: Promise<unknown>, callback: (error?: unknown) => void) => {
    work.then(() => callback(), callback)
  }
  return {
    get(sessionId, callback) {
      findSession(db, hashSessionId(sessionId)).then((found) => {
        if (found === undefined) return callback(null, null)
        const { session_id, expires_at, ...user } = found
        // The cookie's options are not stored, so that a change of them reaches sessions that exist.
        const cookie = { originalMaxAge: LIFETIME_MS }
        callback(null, { userId: user.id, stored: new StoredSession(user, expires_at, session_id), cookie })
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
