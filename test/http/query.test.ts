import { type Static, Type } from '@sinclair/typebox'
import fastify from 'fastify'
import t from 'tap'
import validation from '../../plugins/validation.js'
import type { Refusal } from '../../src/domain/refusal.js'
import {
  choiceOr,
  choices,
  clamped,
  flag,
  id,
  newestFirst,
  page,
  parsingQueries,
  ranged,
} from '../../src/http/query.js'
import { startService } from '../support/service.js'

const Wanted = Type.Object({
  q: Type.Optional(Type.String()),
  purpose: Type.String(),
  days: clamped({ minimum: 1, maximum: 365, fallback: 30 }),
  entries: ranged({ minimum: 1, maximum: 1_000, fallback: 100 }),
  order: choiceOr(['asc', 'desc'], 'asc', 'Direction.'),
  states: choices(['open', 'done', 'left'], ['open'], 'open'),
  check: flag('Only checks.'),
  source: id('int64', 'Id of a source.'),
  ...page({ maximum: 200, fallback: 50, cursor: 'int32' }),
})

const REST = { days: 30, entries: 100, order: 'asc', states: ['open'], check: false, limit: 50, purpose: 'x' }

t.test('a query is parsed as its schema says', async (t) => {
  const app = fastify({ schemaController: parsingQueries({}) })
  await app.register(validation)
  app.setErrorHandler<Refusal>(({ message, field }) => ({ message, field }))
  app.get('/', { schema: { querystring: Wanted, security: [] } }, async ({ query }) => query as Static<typeof Wanted>)
  await app.ready()
  t.teardown(() => app.close())
  for (const [search, expected] of [
    ['purpose=x', REST],
    ['purpose=x&days=&entries=&order=&states=&check=&source=&after=&limit=', REST],
    ['purpose=x&limit=0&days=9999', { ...REST, limit: 1, days: 365 }],
    ['purpose=x&limit=7.9&entries=1000', { ...REST, limit: 7, entries: 1_000 }],
    ['purpose=x&q=7&order=desc&check=true', { ...REST, q: '7', order: 'desc', check: true }],
    ['purpose=x&source=9007199254740993&after=-3', { ...REST, source: Number.MAX_SAFE_INTEGER, after: -3 }],
    ['purpose=x&states=done,left', { ...REST, states: ['done', 'left'] }],
    ['purpose=x&states=done,,left,', { ...REST, states: ['done', 'left'] }],
    ['limit=x', { message: 'Das Feld „purpose“ fehlt', field: 'purpose' }],
    ['purpose=x&limit=x', { message: 'Der Parameter „limit“ muss eine Zahl sein', field: 'limit' }],
    ['purpose=x&after=1.5', { message: 'Der Parameter „after“ ist ungültig', field: 'after' }],
    ['purpose=x&after=2147483648', { message: 'Der Parameter „after“ ist ungültig', field: 'after' }],
    ['purpose=x&check=1', { message: 'Der Parameter „check“ muss true oder false sein', field: 'check' }],
    [
      'purpose=x&states=open,x',
      { message: 'Der Parameter „states“ muss eines von open, done, left sein', field: 'states' },
    ],
    ['purpose=x&order=up', { message: 'Der Parameter „order“ muss eines von asc, desc sein', field: 'order' }],
    [
      'purpose=x&entries=1001',
      { message: 'Der Parameter „entries“ muss eine ganze Zahl von 1 bis 1000 sein', field: 'entries' },
    ],
  ] as const) {
    const response = await app.inject(`/?${search}`)
    t.strictSame(response.json(), expected, search)
  }
})

t.test('the older name of a cursor is deprecated', async (t) => {
  t.match(newestFirst({ maximum: 200, fallback: 50, cursor: 'int64' }).before, { type: 'integer', deprecated: true })
  const { admin } = await startService(t)
  const { body } = await (await admin()).get('/openapi.json')
  const { parameters } = body.paths['/api/accounts/audit'].get
  t.match(
    parameters.find(({ name }: { name: string }) => name === 'before'),
    { deprecated: true, schema: { type: 'integer' } },
  )
  t.match(
    parameters.find(({ name }: { name: string }) => name === 'limit'),
    { schema: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 } },
  )
})

t.test('`after` of the newest-first lists continues where `next_after` stands', async (t) => {
  const service = await startService(t)
  const admin = await service.admin()
  for (const username of ['anna', 'bert', 'carl']) {
    const created = await admin.post('/api/admin/users', {
      username,
      display_name: username,
      password: 'streng-geheim',
    })
    t.equal(created.status, 200)
  }
  const first = await admin.get('/api/accounts/audit?limit=2')
  const { next_after } = first.body
  t.equal(next_after, first.body.entries[1].id)
  const rest = await admin.get(`/api/accounts/audit?after=${next_after}`)
  t.strictSame(rest.body, (await admin.get(`/api/accounts/audit?before=${next_after}`)).body)
  t.equal(rest.body.next_after, null)
  t.not(rest.body.entries.length, 0)
})
