import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findIdentifiedUser } from '../../../db/queries/accounts/identities.js'
import { replaceSession, startSession } from '../../../plugins/session.js'
import type { PendingSignIn } from '../../../plugins/sign-in-cookies.js'
import { NOT_LOGGED_IN, WRONG_LOGIN } from '../../../src/domain/accounts/refusals.js'
import { InvalidInput, TooManyAttempts } from '../../../src/domain/refusal.js'
import {
  type ClaimRules,
  type Claims,
  explainMissingGroups,
  readIdentityName,
} from '../../../src/domain/sign-in/claims.js'
import { SignInFault } from '../../../src/domain/sign-in/faults.js'
import { faultAddress, pageAddress, parseTarget } from '../../../src/domain/sign-in/target.js'
import { redirects } from '../../../src/http/schemas.js'
import { confirmByProvider } from '../../../src/services/sign-in/identities.js'
import { logInByProvider } from '../../../src/services/sign-in/log-in-by-provider.js'
import type { ProvenPerson, Provider } from '../../../src/services/sign-in/provider.js'
import { CallbackQuery, StartQuery } from './schemas.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Path to open after the sign-in; after a refusal, passed to the login page for the next attempt */
    signInTarget: string
  }
}

/**
 * Limit of requests per address. A callback causes up to two requests to the provider, besides those for metadata and
 * keys, which are cached. All persons of a company may share one address.
 */
const PER_TEN_SECONDS = 100
const LINK_PAGE = '/konto?verknuepfen=ja'
/** Values of `Sec-Fetch-Site` for requests from our own origin, typed addresses and browsers without the header */
const OWN_PAGES = new Set<unknown>([undefined, 'same-origin', 'none'])

const signIn: FastifyPluginAsyncTypebox = async (app) => {
  const { basePath } = app.config
  app.decorateRequest('signInTarget', '/')
  const warned = new Set<string>()

  // Browsers follow links to these routes, so a refusal redirects to a page that shows the reason.
  app.setErrorHandler((error, request, reply) => {
    // A malformed query gets 400 instead of a redirect, because our own links never have a malformed query.
    if (error instanceof InvalidInput) throw error
    const fault = faultOf(error)
    if (fault.code === 'gestoert') request.log.error({ err: error }, 'sign-in by the provider failed')
    else request.log.warn({ code: fault.code, reason: fault.message }, 'sign-in by the provider refused')
    return reply.redirect(faultAddress(basePath, fault.code, request.signInTarget))
  })

  app.get(
    '/start',
    {
      schema: {
        operationId: 'startOidc',
        summary: 'Redirect the browser to the provider',
        description: `For links and navigations. A signed cookie, valid for ten minutes, stores the state of each
sign-in. A refusal redirects to the login page, with a code in \`fehler\`.`,
        tags: ['auth'],
        security: [],
        querystring: StartQuery,
        response: redirects('Redirect to the provider or to `/anmelden?fehler=…`.'),
      },
      onRequest: [keepTarget, app.limitRequests('sign-in start', PER_TEN_SECONDS)],
    },
    async (request, reply) => {
      if (request.query.link) {
        throw new SignInFault('nicht_angemeldet', 'linking begins with a POST of an own page')
      }
      if (!request.query.confirm) {
        // A user whose session waits for the provider is asked there without a page first.
        return goToProvider(request, reply, { expected: request.needsProviderLogin ? userIdOf(request) : undefined })
      }
      return goToProvider(request, reply, { confirms: requireOwnRequest(request).id })
    },
  )

  app.get(
    '/callback',
    {
      schema: {
        operationId: 'finishOidc',
        summary: 'Redirect target of the provider',
        description: 'Starts a new session. A refusal redirects to the login page, with a code in `fehler`.',
        tags: ['auth'],
        security: [],
        querystring: CallbackQuery,
        response: redirects('Redirect to the requested page or to `/anmelden?fehler=…`.'),
      },
      onRequest: app.limitRequests('sign-in callback', PER_TEN_SECONDS),
    },
    async (request, reply) => {
      const provider = requireProvider()
      const pending = app.signInCookies.take(request, reply, request.query.state ?? '')
      if (pending === undefined) throw new SignInFault('abgelaufen', 'the state is unknown here, spent or too old')
      request.signInTarget = parseTarget(pending.target)
      // The provider needs the person, for example to log in there, so the second attempt shows its pages.
      if (pending.isSilent && request.query.error !== undefined) return goToProvider(request, reply)
      const person = await provider.finish(queryOf(request.url), pending.challenge)
      // Another person is logged in at the provider, for example on a shared computer.
      if (pending.isSilent && (await findIdentifiedUser(app.db, person))?.id !== pending.userId) {
        return goToProvider(request, reply, { forceLogin: true })
      }
      const page = await finish(request, reply, provider, pending, person)
      return reply.redirect(pageAddress(basePath, page))
    },
  )

  /**
   * @param options confirms: id of the user whose login is confirmed; expected: id of the user who logs in without a
   * page of the provider; forceLogin: whether the provider must ask the person
   */
  async function goToProvider(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      confirms,
      expected,
      forceLogin = confirms !== undefined,
    }: { confirms?: number; expected?: number | undefined; forceLogin?: boolean } = {},
  ): Promise<FastifyReply> {
    const isSilent = expected !== undefined
    const { challenge, url } = await requireProvider().begin({ forceLogin, isSilent })
    const mode = confirms === undefined ? 'login' : 'confirm'
    const pending = { mode, challenge, target: request.signInTarget, startedAt: Date.now(), isSilent } as const
    app.signInCookies.remember(request, reply, { ...pending, userId: confirms ?? expected ?? null })
    return reply.redirect(url)
  }

  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    provider: Provider,
    { mode, userId, startedAt }: PendingSignIn,
    person: ProvenPerson,
  ): Promise<string> {
    if (mode === 'login') {
      const { keptLastAdmin, isNumberTaken, ...login } = await logInByProvider(app.db, provider.settings, person, {
        address: request.ip,
        offered: app.offeredMethods,
        today: app.clock.today(),
      })
      if (keptLastAdmin) {
        request.log.warn({ userId: login.user.id }, 'the last administrator keeps the right that the provider denies')
      }
      if (isNumberTaken) {
        request.log.warn({ userId: login.user.id }, 'another account has the personnel number of the provider')
      }
      warnOfMissingGroups(request, provider.settings.claims, person.claims)
      await startSession(request, login)
      await request.recordActivity(login.user)
      return request.signInTarget
    }
    const { user } = request.session.stored ?? {}
    if (user === undefined || user.id !== userId) throw new SignInFault('nicht_angemeldet')
    if (mode === 'link') return askToLink(reply, provider, user.id, person)
    await replaceSession(request, await confirmByProvider(app.db, user, person, startedAt))
    return request.signInTarget
  }

  /**
   * Stores the identity until the user confirms the link, because another site may have started the sign-in with a
   * different identity. Returns the path of the page that asks for the confirmation.
   */
  async function askToLink(
    reply: FastifyReply,
    provider: Provider,
    userId: number,
    { issuer, subject, claims }: ProvenPerson,
  ): Promise<string> {
    const owner = await findIdentifiedUser(app.db, { issuer, subject })
    if (owner !== undefined && owner.id !== userId) throw new SignInFault('schon_verknuepft')
    const name = readIdentityName(claims, provider.settings.claims, subject)
    app.signInCookies.rememberLink(reply, { issuer, subject, name, userId, startedAt: Date.now() })
    return LINK_PAGE
  }

  /** Warns if the groups claim is configured but missing. Logs each reason only once, not at every login. */
  function warnOfMissingGroups({ log }: FastifyRequest, rules: ClaimRules, claims: Claims): void {
    const reason = explainMissingGroups(claims, rules)
    if (reason === undefined || warned.has(reason)) return
    warned.add(reason)
    log.warn({ claim: rules.groupsClaim, reason }, 'teams do not follow the groups of the provider')
  }

  function requireProvider(): Provider {
    if (app.provider === null) throw new SignInFault('nicht_eingerichtet')
    return app.provider
  }
}

/**
 * Stores the path to open after the sign-in. Runs before the rate limit, because a refusal by the limit passes the path
 * to the login page.
 */
async function keepTarget(request: FastifyRequest): Promise<void> {
  const { weiter } = request.query as { weiter?: unknown }
  request.signInTarget = parseTarget(typeof weiter === 'string' ? weiter : undefined)
}

function faultOf(error: unknown): SignInFault {
  if (error instanceof SignInFault) return error
  if (error === NOT_LOGGED_IN) return new SignInFault('nicht_angemeldet', 'the session ended during the sign-in')
  if (error === WRONG_LOGIN) return new SignInFault('abgelaufen', 'the identity was removed during the sign-in')
  return new SignInFault(error instanceof TooManyAttempts ? 'zu_viele' : 'gestoert')
}

/** Returns the user of the session. Refuses tokens and requests from pages of other origins. */
function requireOwnRequest({ session, headers, tokenUser }: FastifyRequest) {
  const stored = tokenUser === undefined ? session.stored : undefined
  if (stored === undefined) throw new SignInFault('nicht_angemeldet')
  if (!OWN_PAGES.has(headers['sec-fetch-site'])) throw new SignInFault('nicht_angemeldet', 'begun by a foreign page')
  return stored.user
}

function userIdOf({ session }: FastifyRequest): number | undefined {
  return session.stored?.user.id
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

export default signIn
