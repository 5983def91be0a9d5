import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { FILE_ONLY, INVALID_JSON, JSON_ONLY } from '../src/http/refusals.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/
/** Media type of a body without a valid content type (RFC 9110, 8.3) */
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Parses JSON bodies and refuses bodies of other types. An empty body is treated as absent, regardless of its content
 * type: some scripts send `application/json` with DELETE, and `curl -d ''` declares a form.
 */
export default fp(
  async (app) => {
    const parseJson = app.getDefaultJsonParser('ignore', 'ignore')
    app.removeAllContentTypeParsers()

    // Replaces an invalid content type, because Fastify would refuse the request before a parser sees that the body is
    // empty.
    app.addHook('onRequest', (request, _reply, done) => {
      const type = request.headers['content-type']
      if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers['content-type'] = UNKNOWN_TYPE
      done()
    })

    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, jsonParser(parseJson))
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
      if (body.length === 0) done(null)
      else done(JSON_ONLY)
    })
  },
  { name: 'bodies' },
)

type Done = (error: Error | null, body?: unknown) => void
type ParseJson = ReturnType<FastifyInstance['getDefaultJsonParser']>

function jsonParser(parseJson: ParseJson) {
  return (request: FastifyRequest, body: Buffer, done: Done) => {
    if (body.length === 0) return done(null)
    if (isEncoded(request.headers)) return done(JSON_ONLY)
    parseJson(request, decode(body), (error, value) => {
      if (error) done(INVALID_JSON)
      else done(null, value)
    })
  }
}

/** Lets the routes of this scope also accept JSON of the given media type. */
export function acceptJsonAs(scope: FastifyInstance, mediaType: string): void {
  scope.addContentTypeParser(
    mediaType,
    { parseAs: 'buffer' },
    jsonParser(scope.getDefaultJsonParser('ignore', 'ignore')),
  )
}

export class CsvBody {
  constructor(readonly bytes: Uint8Array) {}
}

export function acceptCsv(scope: FastifyInstance): void {
  scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) done(null)
    else if (isEncoded(request.headers)) done(JSON_ONLY)
    else done(null, new CsvBody(body))
  })
}

/**
 * Lets the routes of this scope accept only `application/octet-stream`, as an unread stream, so that the routes can
 * refuse unauthorized callers before reading the body.
 */
export function acceptFile(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/octet-stream', (request, body: IncomingMessage, done) => {
    if (isEncoded(request.headers)) done(FILE_ONLY)
    else done(null, body)
  })
  scope.addContentTypeParser('*', (_request, _body, done) => done(FILE_ONLY))
}

/**
 * Lets the routes of this scope accept only `image/*` and `application/octet-stream`, as a buffer. The handler must
 * detect the format from the contents, because the content type is not checked against them.
 */
export function acceptPicture(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  for (const type of ['application/octet-stream', /^image\//]) {
    scope.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
      if (isEncoded(request.headers)) done(FILE_ONLY)
      else done(null, body)
    })
  }
  scope.addContentTypeParser('*', (_request, _body, done) => done(FILE_ONLY))
}

export class FormBody {
  constructor(readonly fields: URLSearchParams) {}
}

/** Lets the routes of this scope accept URL-encoded forms instead of JSON, as a `FormBody`. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json')
  const parseAs = 'buffer'
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs }, (request, body: Buffer, done) => {
    if (isEncoded(request.headers)) done(JSON_ONLY)
    else done(null, new FormBody(new URLSearchParams(body.toString('latin1'))))
  })
}

/** Lets the routes of this scope also accept forms. Ignores the fields of the forms. */
export function ignoreForms(scope: FastifyInstance): void {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data']
  scope.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, _body, done) => done(null, {}))
}

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
