import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isDatabaseUnavailable, isUserMissing } from '../db/errors.js'
import { NOT_LOGGED_IN } from '../src/domain/accounts/refusals.js'
import { Refusal, ServiceStopping, Unavailable } from '../src/domain/refusal.js'
import { errorBody, errorHeaders, statusOf } from '../src/http/error-body.js'
import { INTERNAL_ERROR, INVALID_URL, JSON_ONLY, MALFORMED_REQUEST, TOO_LARGE } from '../src/http/refusals.js'

const FASTIFY_ERRORS: Record<string, Refusal> = {
  FST_ERR_BAD_URL: INVALID_URL,
  FST_ERR_CTP_BODY_TOO_LARGE: TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: JSON_ONLY,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: MALFORMED_REQUEST,
}

export default fp(
  async (app) => {
    app.setErrorHandler(sendError)
  },
  { name: 'errors' },
)

/** Sends the error response. Also called for Fastify's `frameworkErrors`, which run no hooks. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { refusal, status } = toRefusal(error)
  if (status >= 500) request.log.error({ err: error }, 'request failed')
  // After a timeout, the rest of the body stays unread, so the connection cannot serve another request (RFC 9110,
  // 15.5.9). A stopping service serves no further request either.
  if (refusal.kind === 'timeout' || refusal instanceof ServiceStopping) reply.header('connection', 'close')
  return reply
    .code(status)
    .removeHeader('content-disposition')
    .headers(errorHeaders(refusal))
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorBody(refusal, request.id, status))
}

export function toRefusal(error: unknown): { refusal: Refusal; status: number } {
  const refusal = knownRefusal(error)
  if (refusal !== undefined) return { refusal, status: statusOf(refusal) }
  const { statusCode } = error as { statusCode?: number }
  // Client errors are checked before database faults, because a client that disconnects while sending its body also
  // causes an ECONNRESET.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return { refusal: MALFORMED_REQUEST, status: statusCode }
  }
  const fault = isUserMissing(error) ? NOT_LOGGED_IN : isDatabaseUnavailable(error) ? new Unavailable() : INTERNAL_ERROR
  return { refusal: fault, status: statusOf(fault) }
}

function knownRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  return FASTIFY_ERRORS[(error as { code?: string }).code ?? '']
}
