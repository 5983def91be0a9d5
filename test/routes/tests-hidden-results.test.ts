import t from 'tap'
import { createUser } from '../support/factories.js'
import type { Json } from '../support/openapi.js'
import { listOperations, routesClosedToLearners } from '../support/roles.js'
import { type Caller, startService } from '../support/service.js'
import { CARDS, publishTest, rightAnswerTo } from '../support/taken-tests.js'

// In the past, so that a comparison with the real day would show the results
let now = new Date('2020-01-15T10:00:00Z')

const service = await startService(t, { now: () => now })
const { db, app } = service
const TAKER = 'pruefling'
const { id: userId } = await createUser(db, { username: TAKER })

const atDay = (day: string) => {
  now = new Date(`${day}T10:00:00Z`)
  return service.loginAs(TAKER)
}

const options = { cards: [CARDS.single] }
const CLOSED = { review_when: 'closed', attempts: 1 } as const

/** Passes a test that closes on 31 January, whose closing day the next version extends to the end of the year. */
async function takeExtended(clientId: string) {
  const taker = await atDay('2020-01-15')
  const first = await publishTest(db, { ...CLOSED, closes: '2020-01-31' }, options)
  const started = await taker.post(`/api/tests/${first.slug}/attempts`, { client_id: clientId })
  const { id, questions } = started.body.attempt
  const payload = { seq: 1, answer: rightAnswerTo(questions[0]) }
  await taker.send({ method: 'PUT', url: `/api/tests/attempts/${id}/answers/0`, payload })
  await taker.post(`/api/tests/attempts/${id}/submit`)
  const test = await publishTest(db, { ...CLOSED, closes: '2020-12-31' }, { ...options, of: first })
  return { id: id as number, test }
}

/** Returns what each response with results tells about the attempt; the review returns 403 while it is closed. */
async function resultsOf(taker: Caller, id: number, slug: string) {
  const result = (found: Json | undefined) => [found?.passed, found?.score_percent]
  const listed = (await taker.get('/api/tests')).body.tests.find((test: Json) => test.slug === slug)
  const { test } = (await taker.get(`/api/tests/${slug}`)).body
  const submitted = (await taker.post(`/api/tests/attempts/${id}/submit`)).body.attempt
  const review = await taker.get(`/api/tests/attempts/${id}/review`)
  const data = (await taker.get('/api/accounts/me/data')).body
  return {
    list: listed?.passed,
    page: test?.passed,
    attempts: result(test?.my_attempts.find((one: Json) => one.id === id)),
    submit: result(submitted),
    review: review.status === 200 ? result(review.body.review) : review.status,
    data: result(data.attempts.find((one: Json) => one.id === id)),
  }
}

const NONE = [null, null]
const HIDDEN = { list: null, page: null, attempts: NONE, submit: NONE, review: 403, data: NONE }
const PASSED = [true, 100]
const SHOWN = { list: true, page: true, attempts: PASSED, submit: PASSED, review: PASSED, data: PASSED }

t.test(
  'no route shows a result before the extended closing day is over, and all show it on the next day',
  async (t) => {
    const { id, test } = await takeExtended('extended')
    for (const day of ['2020-02-01', '2020-12-31']) {
      t.strictSame(await resultsOf(await atDay(day), id, test.slug), HIDDEN, day)
    }
    t.strictSame(await resultsOf(await atDay('2021-01-01'), id, test.slug), SHOWN)
  },
)

t.test('the extended closing day also applies while the test is archived', async (t) => {
  const { id, test } = await takeExtended('archived')
  await db.updateTable('tests').set({ archived_at: now }).where('id', '=', test.id).execute()
  const archived = { list: undefined, page: undefined, attempts: [undefined, undefined] }
  t.strictSame(await resultsOf(await atDay('2020-06-01'), id, test.slug), { ...HIDDEN, ...archived })
  t.strictSame(await resultsOf(await atDay('2021-01-01'), id, test.slug), { ...SHOWN, ...archived })
})

t.test('answers stay hidden if a later version stays open, until no further attempt is possible', async (t) => {
  const taker = await atDay('2020-01-15')
  const limited = { review_when: 'closed', attempts: 2, closes: '2020-01-31' } as const
  const first = await publishTest(db, limited, options)
  const begin = async (caller: Caller, client_id: string): Promise<number> => {
    const { id } = (await caller.post(`/api/tests/${first.slug}/attempts`, { client_id })).body.attempt
    await caller.post(`/api/tests/attempts/${id}/submit`)
    return id
  }
  const id = await begin(taker, 'before-removal')
  await publishTest(db, { attempts: 2, review_when: 'passed_or_last', closes: null }, { ...options, of: first })
  t.strictSame(await resultsOf(await atDay('2020-01-31'), id, first.slug), HIDDEN)
  const failed = [false, 0]
  const shown = { list: false, page: false, attempts: failed, submit: failed, review: 403, data: failed }
  const later = await atDay('2020-02-01')
  t.strictSame(await resultsOf(later, id, first.slug), shown, 'the result, but no right answer')
  await begin(later, 'after-removal')
  t.strictSame((await resultsOf(later, id, first.slug)).review, failed)
})

t.test('own data includes the results of each version as its review rules show them', async (t) => {
  const taker = await atDay('2020-01-15')
  const take = async (slug: string, client_id: string): Promise<number> => {
    const { id } = (await taker.post(`/api/tests/${slug}/attempts`, { client_id })).body.attempt
    await taker.post(`/api/tests/attempts/${id}/submit`)
    return id
  }
  const shown = await publishTest(db, { review_when: 'now' }, options)
  const first = await take(shown.slug, 'version-1')
  await publishTest(db, { review: 'none' }, { ...options, of: shown })
  const second = await take(shown.slug, 'version-2')
  const { attempts } = (await taker.get('/api/accounts/me/data')).body
  const passed = [first, second].map((id) => attempts.find((one: Json) => one.id === id).passed)
  t.strictSame(passed, [false, null])
})

const RESULT = /"passed":(true|false)|"score_percent":\d/

t.test('of all routes open to learners only those of tests and of own data show a result', async (t) => {
  const { id, test } = await takeExtended('all-routes')
  await db.deleteFrom('attempts').where('user_id', '=', userId).where('id', '<>', id).execute()
  const closed = await routesClosedToLearners()
  const callAll = async (taker: Caller) => {
    const shown: string[] = []
    for (const { route, method, path } of listOperations(app.swagger() as Json)) {
      if (method !== 'GET' || closed.has(route)) continue
      const url = path.replace('{slug}', test.slug).replaceAll(/\{[^}]+\}/g, String(id))
      const { text } = await taker.get(url)
      if (RESULT.test(text)) shown.push(route)
    }
    return shown
  }
  t.strictSame(await callAll(await atDay('2020-06-01')), [])
  t.strictSame((await callAll(await atDay('2021-01-01'))).sort(), [
    'GET /api/accounts/me/data',
    'GET /api/tests',
    'GET /api/tests/attempts/{id}/review',
    'GET /api/tests/{slug}',
  ])
})
