import t from 'tap'
import { countStatements, createMigratedDatabase } from '../support/database.js'
import { createCards, createDeck } from '../support/factories.js'
import type { Json } from '../support/openapi.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const clock = { now: new Date('2026-11-21T08:00:00Z') }
const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { database: counter.database, now: () => clock.now })
const { db } = service
const deck = await createDeck(db)
const ids = (await createCards(db, deck.id, 100)).map(({ id }) => id)
const [a, b] = ids as [number, number]

const send = (caller: Caller, reviews: unknown) => caller.post('/api/review/batch', { reviews })

t.test('handles the reviews of a batch in order, as if sent alone', async (t) => {
  const [member, other] = [await service.member(), await service.member()]
  const reviews = [
    { card_id: a, rating: 'again', client_id: '1', reviewed_at: '2026-11-20T08:00:00Z' },
    { card_id: a, rating: 'medium', client_id: '2', reviewed_at: '2026-11-20T08:10:00Z' },
    { card_id: a, rating: 'easy', client_id: '3', reviewed_at: '2026-11-20T08:05:00Z' },
    { card_id: b, rating: 'medium', client_id: '1' },
    { card_id: 2 ** 31 - 1, rating: 'medium' },
    { card_id: 2 ** 40, rating: 'medium' },
    { card_id: b },
    { card_id: b, rating: 'good' },
    { card_id: b, rating: 'easy', reviewed_at: 'gestern' },
    { card_id: b, rating: 'easy', client_id: 'a\0' },
    { card_id: b, rating: 'easy', duration_ms: -1 },
    {},
    { card_id: b, rating: 'hard', client_id: null, duration_ms: null, reviewed_at: null, more: 1 },
    { card_id: a, rating: 'again', client_id: '1', reviewed_at: '2026-11-21T07:00:00Z' },
  ]
  const { status, body } = await send(member, reviews)
  t.equal(status, 200)
  t.equal(body.results.length, reviews.length)
  const ids = new Map<number, number>()
  for (const [index, review] of reviews.entries()) {
    const alone = await other.post('/api/review', review)
    const result = body.results[index]
    t.equal(result.status, alone.status, JSON.stringify(review))
    if (alone.status !== 200) {
      const { 'x-error-code': code, 'x-error-field': field = null, 'x-error-details': details = null } = alone.headers
      const given = details === null ? null : JSON.parse(String(details))
      t.strictSame(result, { status: alone.status, code, error: alone.body.message, field, details: given })
    } else {
      const known = ids.get(alone.body.review_id) ?? result.review.review_id
      ids.set(alone.body.review_id, known)
      t.strictSame(result, { status: 200, review: { ...alone.body, review_id: known } })
    }
  }
  t.strictSame(
    body.results.map((result: Json) => result.review?.applied ?? result.status),
    [true, true, false, 409, 404, 404, 400, 400, 400, 400, 400, 400, true, true],
  )
  const odd = (await send(member, [null, 1, 'x', []])).body
  t.strictSame(odd, {
    results: Array(4).fill({
      status: 400,
      code: 'invalid_json',
      error: 'Ungültiger JSON-Inhalt',
      field: null,
      details: null,
    }),
  })
})

t.test('a repeated batch changes nothing', async (t) => {
  const member = await service.member()
  const reviews = ids.map((card_id, index) => ({ card_id, rating: 'medium', client_id: `${index}` }))
  const [first, second] = await Promise.all([send(member, reviews), send(member, reviews)])
  t.strictSame(second.body, first.body, 'also if sent concurrently')
  t.strictSame((await send(member, reviews)).body, first.body)
  t.equal((await member.get('/api/review/stats?days=1')).body.days[0].reviews, 100)
  t.strictSame(first.body.results.at(-1).review.counts, (await member.get('/api/review/queue')).body.counts)
})

t.test('a batch needs the session and three statements per review', async (t) => {
  const member = await service.member()
  const reviews = ids.slice(0, 10).map((card_id) => ({ card_id, rating: 'easy' }))
  const statements = await counter.countOf(async () => t.equal((await send(member, reviews)).status, 200))
  t.equal(statements, 1 + 3 * 10)
})

t.test('refuses a batch that is malformed as a whole', async (t) => {
  const member = await service.member()
  const review = { card_id: a, rating: 'easy' }
  for (const [body, message] of [
    [{}, 'Das Feld „reviews“ fehlt'],
    [{ reviews: review }, 'Das Feld „reviews“ muss eine Liste sein'],
    [{ reviews: null }, 'Das Feld „reviews“ muss eine Liste sein'],
    [{ reviews: [] }, /„reviews“/],
    [{ reviews: Array(101).fill(review) }, /„reviews“/],
    [[review], 'Ungültiger JSON-Inhalt'],
  ] as const) {
    const response = await member.post('/api/review/batch', body)
    t.equal(response.status, 400)
    t.match(response.body.message, message)
  }
  t.strictSame((await send(service.anonymous, [review])).body, errorBody(401, 'Nicht angemeldet'))
  t.strictSame((await member.get('/api/review/history')).body.entries, [])
  const longest = { ...review, client_id: '\u0001'.repeat(200), reviewed_at: `2026-11-21T08:00:00.${'0'.repeat(20)}Z` }
  const response = await send(member, Array(100).fill(longest))
  t.equal(response.status, 200, 'the longest batch fits')
  t.ok(response.body.results.every(({ status }: Json) => status === 200))
  t.equal((await send(member, Array(100).fill({ ...longest, more: 'x'.repeat(2_000) }))).status, 413)
})
