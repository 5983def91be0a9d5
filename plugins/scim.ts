import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isUserMissing } from '../db/errors.js'
import type { Actor } from '../db/queries/accounts/audit.js'
import { findSentToken, type SentToken } from '../db/queries/accounts/tokens.js'
import { isDisabled } from '../src/domain/accounts/deactivation.js'
import { SCIM_SCOPE } from '../src/domain/accounts/scopes.js'
import { bearerOf, hashToken } from '../src/domain/accounts/tokens.js'
import { type Refusal, TemporaryRefusal, Unavailable } from '../src/domain/refusal.js'
import {
  SCIM_NO_ADMIN,
  SCIM_NO_TOKEN,
  SCIM_WRONG_TOKEN,
  ScimRefusal,
  type ScimType,
} from '../src/domain/scim/refusals.js'
import { viewError } from '../src/domain/scim/view.js'
import { toRefusal } from './errors.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The token of the request, whose owner is an administrator; null in other scopes than `/scim` */
    scimToken: SentToken | null
  }
}

export const SCIM_TYPE = 'application/scim+json'

/**
 * Admits tokens with the scope `scim` and sends errors in the form of SCIM. Sessions and `OIDC_RECHECK_DAYS` do not
 * apply: the token belongs to the provider, and its owner only answers for it.
 */
export default fp(
  async (app) => {
    app.setErrorHandler(sendScimError)
    app.decorateRequest('scimToken', null)
    app.addHook('onRequest', async (request) => {
      request.scimToken = await admit(request)
    })
  },
  { name: 'scim', dependencies: ['database', 'service'] },
)

async function admit({ server: app, headers }: FastifyRequest): Promise<SentToken> {
  const token = bearerOf(headers.authorization)
  const hash = token === undefined ? undefined : hashToken(token)
  const sent = hash && (await findSentToken(app.db, hash, undefined))
  if (!sent || isDisabled(sent.user, app.clock.today())) throw SCIM_NO_TOKEN
  if (!sent.scopes.includes(SCIM_SCOPE)) throw SCIM_WRONG_TOKEN
  if (!sent.user.is_admin) throw SCIM_NO_ADMIN
  return sent
}

/** Returns the actor of a change by SCIM: the audit trail names the token. */
export function scimActorOf({ scimToken, ip }: FastifyRequest): Actor {
  if (scimToken === null) throw SCIM_NO_TOKEN
  return { actor_id: scimToken.user.id, actor: scimToken.name, via: 'scim', address: ip }
}

/** Sends an error in the form of RFC 7644 (3.12). Also called for Fastify's `frameworkErrors`, which run no hooks. */
export function sendScimError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A user was deleted during the request, which may succeed if it is repeated.
  const { refusal, status } = toRefusal(isUserMissing(error) ? new Unavailable() : error)
  if (status >= 500 && status !== 501) request.log.error({ err: error }, 'request failed')
  if (refusal.kind === 'timeout') reply.header('connection', 'close')
  if (refusal instanceof TemporaryRefusal) reply.header('retry-after', String(refusal.retryAfter))
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(status)
    .header('x-error-code', refusal.code)
    .header('cache-control', 'no-store')
    .type(`${SCIM_TYPE}; charset=utf-8`)
    .serializer((body: unknown) => JSON.stringify(body))
    .send(viewError({ status, ...describe(refusal, status) }))
}

/** English details of refusals that other parts of the service throw, by code */
const DETAILS: Record<string, [detail: string, scimType?: ScimType]> = {
  invalid_json: ['The body is not valid JSON', 'invalidSyntax'],
  body_too_large: ['The body is too large; at most 2 MiB are supported'],
  json_only: ['Only application/scim+json and application/json are supported'],
  invalid_url: ['The address is malformed'],
  malformed_request: ['The request is malformed'],
  request_timeout: ['The request was not received in time'],
  too_many_attempts: ['Too many requests; repeat the request later'],
  unavailable: ['The service is temporarily unavailable; repeat the request later'],
  internal_error: ['Internal error'],
}

function describe(refusal: Refusal, status: number): { detail: string; scimType?: ScimType | undefined } {
  if (refusal instanceof ScimRefusal) return { detail: refusal.message, scimType: refusal.scimType }
  const [detail, scimType] = DETAILS[refusal.code] ?? []
  if (detail !== undefined) return { detail, scimType }
  if (status !== 400) return { detail: `The request was refused (${refusal.code})` }
  return { detail: `A value is invalid (${refusal.field ?? refusal.code})`, scimType: 'invalidValue' }
}
