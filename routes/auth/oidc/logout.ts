import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { acceptForms, FormBody } from '../../../plugins/bodies.js'
import { endSession } from '../../../plugins/session.js'
import { Unavailable } from '../../../src/domain/refusal.js'
import { SignInFault } from '../../../src/domain/sign-in/faults.js'
import { NO_PROVIDER, WRONG_LOGOUT_TOKEN } from '../../../src/domain/sign-in/refusals.js'
import { Done, responses } from '../../../src/http/schemas.js'
import { handleLogoutToken } from '../../../src/services/sign-in/handle-logout-token.js'
import { LogoutResponse, LogoutTokenBody } from './schemas.js'

/** Limit of requests per address; a provider that ends all of its sessions sends one request for each session. */
const PER_TEN_SECONDS = 500
const BODY_LIMIT = 16 * 1024

const logout: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/logout',
    {
      schema: {
        operationId: 'logoutOidc',
        summary: "End the session and return the provider's logout address",
        tags: ['auth'],
        security: [],
        response: responses(LogoutResponse),
      },
    },
    async (request, reply) => {
      const isOfProvider = request.session.stored?.isOfProvider === true
      await endSession(request, reply)
      const redirect = isOfProvider ? await app.provider?.logoutUrl() : undefined
      return { ok: true as const, redirect: redirect ?? null }
    },
  )

  await app.register(async (forms) => {
    acceptForms(forms)
    forms.setErrorHandler((error, request) => {
      if (!(error instanceof SignInFault)) throw error
      request.log.warn({ code: error.code, reason: error.message }, 'logout by the provider refused')
      throw error.code === 'nicht_erreichbar' ? new Unavailable() : WRONG_LOGOUT_TOKEN
    })
    forms.post<{ Body: FormBody }>(
      '/back-channel-logout',
      {
        schema: {
          operationId: 'backChannelLogout',
          summary: 'Back-channel logout: end all sessions of a person',
          description:
            'OpenID Connect Back-Channel Logout 1.0, called by the provider. Each logout token is accepted once.',
          tags: ['auth'],
          security: [],
          consumes: ['application/x-www-form-urlencoded'],
          body: LogoutTokenBody,
          response: responses(Done, [NO_PROVIDER, WRONG_LOGOUT_TOKEN]),
        },
        bodyLimit: BODY_LIMIT,
        onRequest: app.limitRequests('back-channel logout', PER_TEN_SECONDS),
        validatorCompiler: () => () => true,
      },
      async (request) => {
        if (app.provider === null) throw NO_PROVIDER
        const token = request.body instanceof FormBody ? request.body.fields.get('logout_token') : null
        if (!token) throw WRONG_LOGOUT_TOKEN
        const ended = await handleLogoutToken(app.db, app.provider, token, request.ip)
        request.log.info(ended, 'logout by the provider')
        return { ok: true as const }
      },
    )
  })
}

export default logout
