import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorOf } from '../../../plugins/auth.js'
import { startSession } from '../../../plugins/session.js'
import type { PendingSignIn } from '../../../plugins/sign-in-cookies.js'
import { WRONG_LOGIN } from '../../../src/domain/refusals.js'
import { SignInFault } from '../../../src/domain/sign-in/faults.js'
import { faultAddress, pageAddress, parseTarget } from '../../../src/domain/sign-in/target.js'
import { parseFlag } from '../../../src/domain/text/parameters.js'
import { redirects } from '../../../src/http/schemas.js'
import { confirmByProvider, linkIdentity } from '../../../src/services/sign-in/identities.js'
import { logInByProvider } from '../../../src/services/sign-in/log-in-by-provider.js'
import type { ProvenPerson, Provider } from '../../../src/services/sign-in/provider.js'
import { CallbackQuery, StartQuery } from './schemas.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the person goes on after the sign-in, or after its refusal. */
    signInTarget: string
  }
}

/** Each costs a request to the provider, or two; a company may be one address. */
const PER_TEN_SECONDS = 100
const OWN_PAGES = new Set<unknown>([undefined, 'same-origin', 'none'])

/** The way to the provider and back: what a browser follows, so every answer leads to a page. */
const signIn: FastifyPluginAsyncTypebox<{ basePath: string }> = async (app, { basePath }) => {
  app.decorateRequest('signInTarget', '/')
  app.addHook('onRequest', app.limitRequests('sign-in', PER_TEN_SECONDS))

  app.setErrorHandler((error, request, reply) => {
    const fault = error === WRONG_LOGIN ? new SignInFault('abgelaufen', 'the identity was removed meanwhile') : error
    if (!(fault instanceof SignInFault)) throw error
    request.log.warn({ code: fault.code, reason: fault.message }, 'sign-in by the provider refused')
    return reply.redirect(faultAddress(basePath, fault.code, request.signInTarget))
  })

  app.get(
    '/start',
    {
      schema: {
        operationId: 'startOidc',
        summary: 'Send the browser to the provider',
        description: `For links and navigations. What must be remembered lies in a signed cookie of ten minutes, one for
each sign-in. A refusal leads to the page of the login, with a code in \`fehler\`.`,
        tags: ['auth'],
        security: [],
        querystring: StartQuery,
        response: redirects('To the provider, or to `/anmelden?fehler=…`.'),
      },
    },
    async (request, reply) => {
      const target = parseTarget(request.query.weiter)
      request.signInTarget = target
      const provider = requireProvider()
      const mode = modeOf(request.query)
      const userId = mode === 'login' ? null : requireOwnRequest(request, mode).id
      const { challenge, url } = await provider.begin({ askAnew: mode === 'confirm' })
      app.signInCookies.remember(request, reply, { mode, challenge, target, startedAt: Date.now(), userId })
      return reply.redirect(url)
    },
  )

  app.get(
    '/callback',
    {
      schema: {
        operationId: 'finishOidc',
        summary: 'Where the provider sends the browser back',
        description: 'Begins a new session. A refusal leads to the page of the login, with a code in `fehler`.',
        tags: ['auth'],
        security: [],
        querystring: CallbackQuery,
        response: redirects('To the page that was asked for, or to `/anmelden?fehler=…`.'),
      },
    },
    async (request, reply) => {
      const provider = requireProvider()
      const pending = app.signInCookies.take(request, reply, request.query.state ?? '')
      if (pending === undefined) throw new SignInFault('abgelaufen', 'the state is unknown here, spent or too old')
      request.signInTarget = parseTarget(pending.target)
      const person = await provider.finish(queryOf(request.url), pending.challenge)
      await finish(request, reply, provider, pending, person)
      return reply.redirect(pageAddress(basePath, request.signInTarget))
    },
  )

  async function finish(
    request: FastifyRequest,
    _reply: FastifyReply,
    provider: Provider,
    { mode, userId, startedAt }: PendingSignIn,
    person: ProvenPerson,
  ): Promise<void> {
    if (mode === 'login') {
      const { keptLastAdmin, ...login } = await logInByProvider(
        app.db,
        provider.settings,
        person,
        request.ip,
        app.offeredWays,
      )
      if (keptLastAdmin) {
        request.log.warn({ userId: login.user.id }, 'the last administrator keeps the right that the provider denies')
      }
      await startSession(request, login)
      await request.noteSeen(login.user)
      return
    }
    const { user, rowId } = request.session.stored ?? {}
    if (user === undefined || rowId === undefined || user.id !== userId) throw new SignInFault('nicht_angemeldet')
    if (mode === 'link') return linkIdentity(app.db, actorOf(request), user, rowId, person)
    await startSession(request, await confirmByProvider(app.db, user, person, startedAt))
  }

  function requireProvider(): Provider {
    if (app.provider === null) throw new SignInFault('nicht_eingerichtet')
    return app.provider
  }
}

function modeOf({ link, confirm }: { link?: string; confirm?: string }): PendingSignIn['mode'] {
  if (parseFlag(link, 'link')) return 'link'
  return parseFlag(confirm, 'confirm') ? 'confirm' : 'login'
}

/** Who is logged in and asks for it on a page of ours: nobody else's page may begin it. */
function requireOwnRequest({ session, headers, tokenUser }: FastifyRequest, mode: PendingSignIn['mode']) {
  const stored = tokenUser === undefined ? session.stored : undefined
  if (stored === undefined) throw new SignInFault('nicht_angemeldet')
  if (!OWN_PAGES.has(headers['sec-fetch-site'])) throw new SignInFault('nicht_angemeldet', 'begun by a foreign page')
  const mayLink = stored.isFresh && !stored.user.must_change_password
  if (mode === 'link' && !mayLink) throw new SignInFault('erneut_anmelden')
  return stored.user
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

export default signIn
