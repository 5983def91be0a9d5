import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { FILE_ONLY, INVALID_JSON, JSON_ONLY } from '../src/domain/refusals.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/
/** What a body of no known type is (RFC 9110, 8.3). */
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Bodies are JSON. An empty body is no body, whatever its content type says: scripts send `application/json` on
 * DELETE, and `curl -d ''` says it is a form.
 */
export default fp(
  async (app) => {
    const parseJson = app.getDefaultJsonParser('ignore', 'ignore')
    app.removeAllContentTypeParsers()

    // Fastify refuses a type that is none before any parser learns that the body is empty.
    app.addHook('onRequest', (request, _reply, done) => {
      const type = request.headers['content-type']
      if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers['content-type'] = UNKNOWN_TYPE
      done()
    })

    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
      if (body.length === 0) return done(null)
      if (isEncoded(request.headers)) return done(JSON_ONLY)
      parseJson(request, decode(body), (error, value) => {
        if (error) done(INVALID_JSON)
        else done(null, value)
      })
    })
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
      if (body.length === 0) done(null)
      else done(JSON_ONLY)
    })
  },
  { name: 'bodies' },
)

/** The body of a request that brings a CSV file. */
export class CsvBody {
  constructor(readonly bytes: Uint8Array) {}
}

/** Lets the routes of this scope take CSV as well, as a `CsvBody`. */
export function acceptCsv(scope: FastifyInstance): void {
  scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) done(null)
    else if (isEncoded(request.headers)) done(JSON_ONLY)
    else done(null, new CsvBody(body))
  })
}

/**
 * Routes of this scope take a file of any size as their body, unread: whoever may not ask is refused before a byte of it
 * is read.
 */
export function acceptFile(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/octet-stream', (request, body: IncomingMessage, done) => {
    if (isEncoded(request.headers)) done(FILE_ONLY)
    else done(null, body)
  })
  scope.addContentTypeParser('*', (_request, _body, done) => done(FILE_ONLY))
}

/** The fields of a form. */
export class FormBody {
  constructor(readonly fields: URLSearchParams) {}
}

/** Lets the routes of this scope take forms, as a `FormBody`, and nothing else. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json')
  const parseAs = 'buffer'
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs }, (request, body: Buffer, done) => {
    if (isEncoded(request.headers)) done(JSON_ONLY)
    else done(null, new FormBody(new URLSearchParams(body.toString('latin1'))))
  })
}

/** `identity` says that it is not. */
function isEncoded({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): boolean {
  return encoding.split(',').some((coding) => !['', 'identity'].includes(coding.trim().toLowerCase()))
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw INVALID_JSON
  }
}
