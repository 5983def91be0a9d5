import fastify, { type FastifyServerOptions } from 'fastify'
import t from 'tap'
import { lazyCompilers } from '../../src/http/lazy-compilers.js'
import { startService } from '../support/service.js'

const SCHEMA = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 5 } } },
  querystring: { type: 'object', properties: { q: { type: 'string', minLength: 2 } } },
  response: { 200: { type: 'object', properties: { name: { type: 'string' } } } },
}

async function buildApp(schemaController: FastifyServerOptions['schemaController'] = {}) {
  const app = fastify({ schemaController })
  app.post('/', { schema: SCHEMA }, async (request) => ({ ...(request.body as object), secret: 1 }))
  // This handler validates the body itself, as the handler of `POST /api/review/batch` does.
  app.post('/by-hand', async (request) => {
    const isValid = request.compileValidationSchema(SCHEMA.body)
    return { answer: isValid(request.body), errors: isValid.errors ?? null }
  })
  await app.ready()
  return app
}

t.test('a lazily compiled schema accepts, refuses and serialises like an eager one', async (t) => {
  const [late, usual] = [await buildApp(lazyCompilers()), await buildApp()]
  for (const [url, body, status] of [
    ['/', { name: 'Erika' }, 200],
    ['/?q=ab', { name: 'Erika' }, 200],
    ['/?q=a', { name: 'Erika' }, 400],
    ['/', { name: 'Erika Muster' }, 400],
    ['/', {}, 400],
    ['/', { name: 'Otto' }, 200],
    ['/by-hand', { name: 'Otto' }, 200],
    ['/by-hand', { name: 'Erika Muster' }, 200],
    ['/by-hand', {}, 200],
  ] as const) {
    const [ours, theirs] = await Promise.all([late, usual].map((app) => app.inject({ method: 'POST', url, body })))
    t.equal(ours?.statusCode, status)
    t.equal(ours?.body, theirs?.body)
  }
})

t.test('compiles nothing before it is needed', async (t) => {
  const app = fastify({ schemaController: lazyCompilers() })
  const schema = { querystring: { type: 'object', properties: { q: { type: 'no such type' } } } }
  app.get('/', { schema }, async () => 'never')
  app.get('/other', async () => 'fine')
  await app.ready()
  t.equal((await app.inject('/other')).body, 'fine')
  t.equal((await app.inject('/')).statusCode, 500)
})

t.test('a schema that does not compile is reported as a server error', async (t) => {
  const { app } = await startService(t, {
    onRoute: (route) => {
      if (route.url === '/api/auth/login') route.schema = { ...route.schema, body: { type: 'no such type' } }
    },
  })
  const body = { username: 'erika', password: 'vier-zufaellige-woerter' }
  t.equal((await app.inject({ method: 'POST', url: '/api/auth/login', body })).statusCode, 500)
})
