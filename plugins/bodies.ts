import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { FILE_ONLY, INVALID_JSON, JSON_ONLY } from '../src/http/refusals.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/
/** Media type of a body without a valid content type (RFC 9110, 8.3) */
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Parses JSON bodies and refuses bodies of other types. An empty body counts as absent, regardless of its content type,
 * because some scripts send `application/json` on DELETE, and `curl -d ''` declares a form.
 */
export default fp(
  async (app) => {
    const parseJson = app.getDefaultJsonParser('ignore', 'ignore')
    app.removeAllContentTypeParsers()

    // Replaces an invalid content type, because Fastify would refuse it before a parser sees that the body is empty.
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

/** A CSV request body. */
export class CsvBody {
  constructor(readonly bytes: Uint8Array) {}
}

/** Lets the routes of this scope also accept CSV, as a `CsvBody`. */
export function acceptCsv(scope: FastifyInstance): void {
  scope.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) done(null)
    else if (isEncoded(request.headers)) done(JSON_ONLY)
    else done(null, new CsvBody(body))
  })
}

/**
 * Lets the routes of this scope accept only `application/octet-stream`, as an unread stream of any size, so that the
 * routes can refuse unauthorized callers before they read the body.
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

/** A form request body. */
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

/** Lets the routes of this scope also accept forms, whose fields are ignored: the parsed body is an empty object. */
export function ignoreForms(scope: FastifyInstance): void {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data']
  scope.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, _body, done) => done(null, {}))
}

/** Whether the body is compressed or encoded in another way: it has a content coding other than `identity`. */
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
