import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { Type } from '@sinclair/typebox'
import fp from 'fastify-plugin'
import { describeApi, finishDocument } from '../src/http/openapi.js'
import { answers } from '../src/http/schemas.js'

/** The one inline style sheet that Swagger UI makes; test/web/reference.test.ts sees when it changes. */
const INLINE_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/** Nothing from elsewhere; the reference works without the internet. */
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

export interface OpenapiOptions {
  /** Of this program. */
  version: string
  /** The path that a proxy takes away. */
  basePath: string
  /** What the session's cookie is called. */
  sessionCookie: string
}

/** `/openapi.json` from the schemas of the routes, and `/docs` to read and try it. Registered before the routes. */
export default fp<OpenapiOptions>(
  async (app, { version, basePath, sessionCookie }) => {
    await app.register(swagger, {
      openapi: describeApi(sessionCookie, version, basePath),
      convertConstToEnum: false,
      transformObject: (document) => finishDocument('openapiObject' in document ? document.openapiObject : {}),
    })

    let document: string | undefined
    app.route({
      method: ['GET', 'HEAD'],
      url: '/openapi.json',
      schema: {
        operationId: 'getOpenapi',
        summary: 'This description',
        tags: ['health'],
        security: [],
        response: answers(Document),
      },
      handler: async (_request, reply) => {
        document ??= JSON.stringify(app.swagger())
        reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache')
        return document
      },
    })

    await app.register(async (docs) => {
      // The pages of the package answer GET only.
      docs.addHook('onRoute', (route) => {
        if (route.method === 'GET') route.method = ['GET', 'HEAD']
      })
      await docs.register(swaggerUi, {
        routePrefix: '/docs',
        indexPrefix: basePath,
        staticCSP: CONTENT_SECURITY_POLICY,
        theme: { title: 'svc-training API' },
        uiConfig: { deepLinking: true, validatorUrl: null },
      })
    })
  },
  { name: 'openapi' },
)
