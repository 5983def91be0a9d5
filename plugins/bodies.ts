import fp from 'fastify-plugin'
import { type BadRequest, INVALID_JSON, JSON_ONLY } from '../src/domain/refusals.js'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const JSON_TYPE = /^\s*application\/json\s*(;|$)/i

/**
 * Bodies are JSON. An empty body is no body, whatever its content type says: scripts send `application/json` on
 * DELETE, and `curl -d ''` says it is a form.
 */
export default fp(
  async (app) => {
    const parseJson = app.getDefaultJsonParser('ignore', 'ignore')
    app.removeAllContentTypeParsers()

    // Without a type the catch-all parser below decides; Fastify itself refuses a malformed one, also of an empty body.
    app.addHook('onRequest', async ({ headers }) => {
      if (!JSON_TYPE.test(headers['content-type'] ?? '')) delete headers['content-type']
    })

    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
      if (body.length === 0) return done(null)
      parseJson(request, decode(body), (error, value) => {
        if (error) done(malformed())
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

function malformed(): BadRequest {
  return INVALID_JSON
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch {
    throw malformed()
  }
}
