import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { actorOf } from '../../../plugins/auth.js'
import { LOGIN_TOO_OLD, NOT_LOGGED_IN } from '../../../src/domain/accounts/refusals.js'
import { SignInFault } from '../../../src/domain/sign-in/faults.js'
import {
  IDENTITY_EXISTS,
  IDENTITY_TAKEN,
  NO_PROVIDER,
  NOTHING_TO_LINK,
  ProviderUnreachable,
} from '../../../src/domain/sign-in/refusals.js'
import { CROSS_SITE } from '../../../src/http/refusals.js'
import { Done, responses } from '../../../src/http/schemas.js'
import { linkIdentity } from '../../../src/services/sign-in/identities.js'
import type { Provider } from '../../../src/services/sign-in/provider.js'
import { LinkBody, LinkStart, PendingLinkResponse } from './schemas.js'

/** Page where the user starts to link an identity; the web app also opens it after a refusal. */
const ACCOUNT_PAGE = '/konto'

/**
 * Links an identity at the provider to the caller's account, as a login method. A request from our own page starts the
 * link. A second request confirms it with the `subject` of the identity that the page has shown.
 */
const link: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('preHandler', app.requireUser)
  const linking = [app.requireFreshLogin, requireOwnPage]

  app.post(
    '/link',
    {
      schema: {
        operationId: 'beginLink',
        summary: "Start linking an identity of the provider with the caller's account",
        description: `For same-origin pages only. The browser opens \`redirect\` and returns to
\`/konto?verknuepfen=ja\`. Then \`GET /api/auth/oidc/link\` returns the identity and \`POST
/api/auth/oidc/identities\` links it.`,
        tags: ['auth'],
        response: responses(LinkStart, [LOGIN_TOO_OLD, NO_PROVIDER, new ProviderUnreachable()]),
      },
      preHandler: linking,
    },
    async (request, reply) => {
      const { challenge, url } = await requireProvider()
        .begin({ forceLogin: false })
        .catch((error) => {
          if (!(error instanceof SignInFault)) throw error
          request.log.warn({ code: error.code, reason: error.message }, 'linking could not begin')
          throw new ProviderUnreachable()
        })
      const pending = { mode: 'link', challenge, target: ACCOUNT_PAGE, startedAt: Date.now() } as const
      app.signInCookies.remember(request, reply, { ...pending, userId: request.user.id })
      return { redirect: url }
    },
  )

  app.get(
    '/link',
    {
      schema: {
        operationId: 'getPendingLink',
        summary: 'The identity that waits to be linked',
        description: 'Null if there is none, and ten minutes after the sign-in.',
        tags: ['auth'],
        response: responses(PendingLinkResponse),
      },
    },
    async (request) => {
      const pending = app.signInCookies.findLink(request, request.user.id)
      if (pending === undefined) return { identity: null }
      const { issuer, subject, name } = pending
      return { identity: { issuer, subject, name } }
    },
  )

  app.post(
    '/identities',
    {
      schema: {
        operationId: 'createIdentity',
        summary: 'Link the waiting identity',
        description: 'For same-origin pages only.',
        tags: ['auth'],
        body: LinkBody,
        response: responses(Done, [LOGIN_TOO_OLD, NO_PROVIDER, NOTHING_TO_LINK, IDENTITY_TAKEN, IDENTITY_EXISTS]),
      },
      preHandler: linking,
    },
    async (request, reply) => {
      const pending = app.signInCookies.findLink(request, request.user.id)
      if (pending?.subject !== request.body.subject) throw NOTHING_TO_LINK
      const sessionId = request.session.stored?.rowId
      if (sessionId === undefined) throw NOT_LOGGED_IN
      await linkIdentity(app.db, actorOf(request), request.user, sessionId, pending)
      app.signInCookies.clearLink(reply)
      return { ok: true as const }
    },
  )

  /** Requires a request that a browser sends from our own origin. Refuses clients that report no origin. */
  async function requireOwnPage({ headers }: FastifyRequest): Promise<void> {
    const isOwn = headers['sec-fetch-site'] === 'same-origin' || headers.origin === requireProvider().ownOrigin
    if (!isOwn) throw CROSS_SITE
  }

  function requireProvider(): Provider {
    if (app.provider === null) throw NO_PROVIDER
    return app.provider
  }
}

export default link
