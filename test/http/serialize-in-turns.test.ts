import fastify from 'fastify'
import t from 'tap'
import { serializeInTurns } from '../../src/http/serialize-in-turns.js'

const ROW = {
  type: 'object',
  properties: { id: { type: 'integer' }, at: { type: 'string', format: 'date-time' }, name: { type: 'string' } },
}
const LIST = { type: 'array', items: ROW }
const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, at: new Date(id), name: `"rows":[]ä${id}`, hidden: true }))

/** Returns the responses of two routes with the response: one serialises it in turns, the other one at once. */
async function compare(response: object, properties?: object) {
  const app = fastify()
  t.teardown(() => app.close())
  const schema = properties === undefined ? {} : { response: { 200: { type: 'object', properties } } }
  const { signal } = new AbortController()
  let isInTurns = false
  app.get('/turns', { schema }, async (_, reply) => {
    const result = await serializeInTurns(reply, response, signal)
    isInTurns = Buffer.isBuffer(result)
    return result
  })
  app.get('/once', { schema }, async () => response)
  const [turns, once] = [await app.inject('/turns'), await app.inject('/once')]
  const { date: _, ...headers } = turns.headers
  const { date: __, ...expected } = once.headers
  return { isInTurns, turns: { headers, body: turns.body }, once: { headers: expected, body: once.body } }
}

t.test('a long list in any place gives the same response', async (t) => {
  const nested = { type: 'object', properties: { rows: LIST } }
  const properties = { first: nested, rows: LIST, total: { type: 'integer' }, short: LIST }
  for (const count of [51, 100, 120]) {
    const list = rows(count)
    for (const [response, schema] of [
      [{ rows: list }, { rows: LIST }],
      [{ rows: list, total: 3, short: rows(2), first: { rows: [] } }, properties],
      [{ first: { rows: rows(1) }, rows: list, hidden: list.length }, properties],
      [{ total: 3, rows: list }, undefined],
      [{ first: { rows: list }, total: 3 }, properties],
      [{ total: 3, first: { second: { rows: list, total: 4 } } }, undefined],
      [{ rows: list.map(({ name }) => name) }, { rows: { type: 'array', items: { type: 'string' } } }],
      [{ rows: list.map(() => []), total: 1 }, undefined],
    ] as const) {
      const { isInTurns, turns, once } = await compare(response, schema)
      t.ok(isInTurns)
      t.strictSame(turns, once)
    }
  }
})

t.test('other responses are returned unchanged', async (t) => {
  for (const [response, schema] of [
    [{ rows: rows(50) }, { rows: LIST }],
    [
      { rows: rows(51), others: rows(51) },
      { rows: LIST, others: LIST },
    ],
    [{ rows: rows(51), first: { rows: rows(51) } }, undefined],
    [{ omitted: rows(51), total: 1 }, { total: { type: 'integer' } }],
    [rows(51), undefined],
  ] as const) {
    const { isInTurns, turns, once } = await compare(response, schema)
    t.notOk(isInTurns)
    t.strictSame(turns.body, once.body)
  }
})

t.test('an abort ends the work', async (t) => {
  const app = fastify()
  t.teardown(() => app.close())
  app.get('/', async (_, reply) => serializeInTurns(reply, { rows: rows(51) }, AbortSignal.abort(new Error('stop'))))
  t.match((await app.inject('/')).json(), { statusCode: 500, message: 'stop' })
})
