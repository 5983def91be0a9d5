import type { RouteOptions } from 'fastify'
import t from 'tap'
import { needOf } from '../../src/domain/accounts/scopes.js'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { startService } from '../support/service.js'

const PUBLIC = [
  'GET /api/proofs/verify/:code',
  'GET /api/calendar/:token.ics',
  'POST /api/mail/confirm',
  'POST /api/mail/unsubscribe',
  'GET /api/auth/methods',
  'GET /api/auth/logo',
  'POST /api/auth/login',
  'POST /api/auth/logout',
  'POST /api/auth/passkeys/login-options',
  'POST /api/auth/passkeys/login',
  'GET /api/auth/oidc/start',
  'GET /api/auth/oidc/callback',
  'POST /api/auth/oidc/logout',
  'POST /api/auth/oidc/back-channel-logout',
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
]

const REDIRECTS = new Set(['/api/auth/oidc/start', '/api/auth/oidc/callback'])

/** Returns whether a route belongs to the API reference, which is public and not described in the OpenAPI document. */
const isReference = (route: RouteOptions) => route.url === '/docs' || route.url.startsWith('/docs/')

const routes: RouteOptions[] = []
const database = await createMigratedDatabase()
const counter = countStatements(database)
const service = await startService(t, {
  database: counter.database,
  onRoute: (route) => isReference(route) || routes.push(route),
})

const { app } = service
const member = await service.member()

const nameOf = (route: RouteOptions) => `${[route.method].flat()[0]} ${route.url}`

t.test('every route declares input, responses and an operation id', async (t) => {
  t.ok(routes.length >= 18)
  const operationIds = new Set<string>()
  for (const route of routes) {
    const schema = route.schema as Record<string, unknown>
    const name = nameOf(route)
    t.match(schema, { operationId: /^[a-z][A-Za-z]+$/, summary: /^[A-Z].+[^.]$/, tags: [String] }, name)
    t.notOk(operationIds.has(String(schema.operationId)), `${name}: the operationId is unique`)
    operationIds.add(String(schema.operationId))
    const statuses = Object.keys(schema.response as object)
    const success = REDIRECTS.has(route.url) ? 302 : statuses.find((status) => /^20[014]$/.test(status))
    t.ok(success, name)
    t.match(schema.response, { [String(success)]: Object, '4xx': Object, '5xx': Object }, name)
    t.equal(/:/.test(route.url), schema.params !== undefined, `${name}: params`)
    t.notOk(schema.hide, `${name}: is described`)
    t.equal(schema.security !== undefined, PUBLIC.includes(name), `${name}: public or not, as described`)
    t.equal(route.attachValidation, true, `${name}: no validation before authentication`)
  }
})

t.test('every route declares its token scope', async (t) => {
  for (const route of routes) {
    const name = nameOf(route)
    if (PUBLIC.includes(name)) continue
    t.not(needOf(name.split(' ')[0] ?? '', route.url), undefined, `${name}: src/domain/accounts/scopes.ts`)
  }
})

t.test('HEAD of every public GET route responds as GET, without a body', async (t) => {
  const { url } = (await member.post('/api/calendar/token')).body
  const urls = PUBLIC.filter((name) => name.startsWith('GET ')).map((name) =>
    name.replace('GET ', '').replaceAll(/:\w+/g, 'x'),
  )
  const statuses = new Set<number>()
  for (const path of [...urls, new URL(url).pathname]) {
    const get = await app.inject({ method: 'GET', url: path })
    const head = await app.inject({ method: 'HEAD', url: path })
    t.equal(head.statusCode, get.statusCode, path)
    t.equal(head.body, '', path)
    // A response to HEAD may omit the length of an empty body, such as that of a redirect.
    const isEmpty = get.body === ''
    const [expected, found] = [get, head].map(({ headers }) => ({
      ...headers,
      date: null,
      'x-request-id': null,
      ...(isEmpty && { 'content-length': null }),
    }))
    t.strictSame(found, expected, `${path}: the same headers`)
    statuses.add(head.statusCode)
  }
  t.strictSame([...statuses].sort(), [200, 302, 404])
})

t.test('an anonymous request makes no query', async (t) => {
  const statements = await counter.countOf(async () => {
    for (const route of routes) {
      const name = nameOf(route)
      if (!PUBLIC.includes(name)) await app.inject({ method: [route.method].flat()[0] as 'GET', url: route.url })
    }
  })
  t.equal(statements, 0)
})
