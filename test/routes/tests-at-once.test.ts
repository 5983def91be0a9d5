import { sql } from 'kysely'
import t from 'tap'
import { startBehindLock } from '../support/database.js'
import { unique } from '../support/factories.js'
import { type Caller, startService } from '../support/service.js'
import { CARDS, publishTest } from '../support/taken-tests.js'

const service = await startService(t)
const { database, db } = service

const start = (caller: Caller, slug: string, client_id = unique('client')) =>
  caller.post(`/api/tests/${slug}/attempts`, { client_id })

const put = (caller: Caller, id: number, seq: number, text: string) =>
  caller.send({ method: 'PUT', url: `/api/tests/attempts/${id}/answers/0`, payload: { seq, answer: { text } } })

/** Sends the requests while no attempt can be stored, so that all read the state before the first of them writes. */
const beforeAnyStart = <T>(requests: (() => Promise<T>)[]) =>
  startBehindLock(
    database,
    (transaction) => sql`lock table attempts in share row exclusive mode`.execute(transaction),
    requests,
  )

const whileLocked = <T>(attemptId: number, requests: (() => Promise<T>)[]) =>
  startBehindLock(
    database,
    (transaction) => transaction.selectFrom('attempts').select('id').where('id', '=', attemptId).forUpdate().execute(),
    requests,
  )

async function begin(definition: Parameters<typeof publishTest>[1] = {}) {
  const test = await publishTest(db, definition, { cards: [CARDS.text] })
  const learner = await service.member()
  const { attempt } = (await start(learner, test.slug)).body
  return { learner, attempt, url: `/api/tests/attempts/${attempt.id}` }
}

t.test('concurrent starts create one attempt, with one client id or several', async (t) => {
  for (const client of [undefined, unique('client')]) {
    const test = await publishTest(db, { attempts: 1 })
    const learner = await service.member()
    const starts = await beforeAnyStart([1, 2, 3, 4].map(() => () => start(learner, test.slug, client)))
    t.strictSame([...new Set(starts.map(({ status }) => status))], [200])
    const [first, ...others] = starts.map(({ body }) => body.attempt)
    for (const other of others) t.strictSame({ ...other, seconds_left: 0 }, { ...first, seconds_left: 0 })
    t.strictSame(await db.selectFrom('attempts').select(['id', 'number']).where('test_id', '=', test.id).execute(), [
      { id: first.id, number: 1 },
    ])
    t.equal(first.questions.length, 6)
  }
})

t.test('a start during the deletion of the test finds no test', async (t) => {
  const { id, slug } = await publishTest(db)
  const learner = await service.member()
  const [started] = await startBehindLock(
    database,
    (transaction) => transaction.deleteFrom('tests').where('id', '=', id).execute(),
    [() => start(learner, slug)],
  )
  t.equal(started?.status, 404)
})

t.test('of concurrent answers in two tabs, the one with the highest seq is stored', async (t) => {
  const { learner, attempt, url } = await begin()
  const order = [4, 9, 3, 10, 2]
  const saves = await whileLocked(
    attempt.id,
    order.map((seq) => () => put(learner, attempt.id, seq, `Antwort ${seq}`)),
  )
  for (const { status } of saves) t.ok([200, 409].includes(status), String(status))
  t.equal(saves[order.indexOf(10)]?.status, 200)
  t.match((await learner.get(url)).body.attempt.questions, [{ seq: 10, answer: { text: 'Antwort 10' } }])

  const same = await whileLocked(
    attempt.id,
    ['a', 'b', 'c'].map((text) => () => put(learner, attempt.id, 11, text)),
  )
  t.strictSame(same.map(({ status }) => status).sort(), [200, 409, 409], 'one answer per seq')
  const again = await whileLocked(
    attempt.id,
    [1, 2, 3].map(() => () => put(learner, attempt.id, 12, 'x')),
  )
  t.strictSame([...new Set(again.map(({ status }) => status))], [200])
})

t.test('an answer concurrent with a submit is either judged or refused', async (t) => {
  for (const submitsFirst of [false, true]) {
    const { learner, attempt, url } = await begin({ review_when: 'now' })
    const submit = () => learner.post(`${url}/submit`)
    const save = () => put(learner, attempt.id, 1, 'Rom')
    const responses = await whileLocked(attempt.id, submitsFirst ? [submit, submit, save] : [save, submit, submit])
    const saved = responses.find(({ body }) => body.attempt === undefined)
    const scores = responses.flatMap(({ body }) => body.attempt?.score_percent ?? [])
    t.ok([200, 410].includes(saved?.status ?? 0), String(saved?.status))
    t.strictSame(scores, saved?.status === 200 ? [100, 100] : [0, 0])
  }
})
