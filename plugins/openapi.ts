import { hash } from 'node:crypto'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { Type } from '@sinclair/typebox'
import fp from 'fastify-plugin'
import { matchesEtag } from '../src/http/matches-etag.js'
import { describeApi, finishDocument } from '../src/http/openapi.js'
import { responses, Unchanged } from '../src/http/schemas.js'
import { VERSION } from '../src/http/version.js'
import { cookieOptionsOf, sessionCookieName } from './session-cookie.js'

/** Hash of the inline style sheet of Swagger UI; test/web/nightly/reference.test.ts detects a change. */
const INLINE_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/** Content security policy of the API reference. The reference needs no external resources and works offline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${INLINE_STYLE}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const Document = Type.Unsafe<string>({ type: 'object', additionalProperties: true, description: 'OpenAPI 3.1' })

/**
 * Serves `/openapi.json`, made from the route schemas, and `/docs`, an interactive reference. Must be registered before
 * the routes.
 */
export default fp(
  async (app) => {
    const { basePath } = app.config
    const sessionCookie = sessionCookieName(cookieOptionsOf(app.config))
    await app.register(swagger, {
      openapi: describeApi(sessionCookie, VERSION, basePath),
      convertConstToEnum: false,
      transformObject: (document) => finishDocument('openapiObject' in document ? document.openapiObject : {}),
    })

    let document: { bytes: Buffer; etag: string } | undefined
    app.route({
      method: ['GET', 'HEAD'],
      url: '/openapi.json',
      schema: {
        operationId: 'getOpenapi',
        summary: 'This OpenAPI document',
        tags: ['health'],
        security: [],
        response: responses(Document, [], { 304: Unchanged }),
      },
      handler: async (request, reply) => {
        document ??= writeDocument(app.swagger())
        reply.header('cache-control', 'no-cache').header('etag', document.etag)
        if (matchesEtag(request.headers['if-none-match'], document.etag)) return reply.code(304).send(null)
        return reply.type('application/json; charset=utf-8').send(document.bytes)
      },
    })

    await app.register(async (docs) => {
      // Adds HEAD, because the routes of `@fastify/swagger-ui` respond only to GET.
      docs.addHook('onRoute', (route) => {
        if (route.method === 'GET') route.method = ['GET', 'HEAD']
      })
      await docs.register(swaggerUi, {
        routePrefix: '/docs',
        indexPrefix: basePath,
        staticCSP: CONTENT_SECURITY_POLICY,
        theme: { title: 'svc-training API' },
        // Groups start collapsed, because Swagger UI renders a list of more than about 150 open rows only in part.
        uiConfig: { deepLinking: true, validatorUrl: null, docExpansion: 'none' },
      })
    })
  },
  { name: 'openapi', dependencies: ['service'] },
)

/** Encodes the document once, because the encoding of its text takes longer than most requests. */
function writeDocument(document: object) {
  const bytes = Buffer.from(JSON.stringify(document))
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url')}"` }
}
