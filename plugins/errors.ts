import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isDatabaseUnavailable, isUserMissing } from '../db/errors.js'
import {
  ComeBackLater,
  HttpError,
  INTERNAL_ERROR,
  INVALID_URL,
  JSON_ONLY,
  MALFORMED_REQUEST,
  NOT_LOGGED_IN,
  ProofTooOld,
  TOO_LARGE,
  Unavailable,
} from '../src/domain/refusals.js'
import { errorBody } from '../src/http/error-body.js'

/** German texts for what Fastify itself refuses. */
const FASTIFY_ERRORS: Record<string, HttpError> = {
  FST_ERR_BAD_URL: INVALID_URL,
  FST_ERR_CTP_BODY_TOO_LARGE: TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: JSON_ONLY,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: MALFORMED_REQUEST,
}

/** The one place where an error becomes an answer. */
export default fp(
  async (app) => {
    app.setErrorHandler(sendError)
  },
  { name: 'errors' },
)

/** Answers with the error body; also for Fastify's `frameworkErrors`, which no hook sees. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toHttpError(error)
  if (known.statusCode >= 500) request.log.error({ err: error }, 'request failed')
  if (known instanceof ComeBackLater) reply.header('retry-after', known.retryAfter)
  if (known instanceof ProofTooOld) reply.header('www-authenticate', known.challenge)
  return reply
    .code(known.statusCode)
    .removeHeader('content-disposition')
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer((body: unknown) => JSON.stringify(body))
    .send(errorBody(known, request.id))
}

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  const known = FASTIFY_ERRORS[code ?? '']
  if (known !== undefined) return known
  // Before the database is blamed: a client that goes away amid its body is an ECONNRESET, too.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new HttpError(statusCode, MALFORMED_REQUEST.message)
  }
  if (isUserMissing(error)) return NOT_LOGGED_IN
  if (isDatabaseUnavailable(error)) return new Unavailable()
  return INTERNAL_ERROR
}
