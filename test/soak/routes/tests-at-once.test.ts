import t from 'tap'
import { unique } from '../../support/factories.js'
import { type Caller, startService } from '../../support/service.js'
import { CARDS, publishTest } from '../../support/taken-tests.js'

t.setTimeout(3_600_000)

const service = await startService(t)
const { db } = service

const start = (caller: Caller, slug: string, client_id = unique('client')) =>
  caller.post(`/api/tests/${slug}/attempts`, { client_id })

const put = (caller: Caller, id: number, seq: number, text: string) =>
  caller.send({ method: 'PUT', url: `/api/tests/attempts/${id}/answers/0`, payload: { seq, answer: { text } } })

t.test('20 concurrent starts create one attempt, with one client id or many', async (t) => {
  for (const client of [undefined, unique('client')]) {
    const test = await publishTest(db)
    const learner = await service.member()
    const starts = await Promise.all(Array.from({ length: 20 }, () => start(learner, test.slug, client)))
    t.strictSame([...new Set(starts.map(({ status }) => status))], [200])
    const [first, ...others] = starts.map(({ body }) => body.attempt)
    for (const other of others) t.strictSame({ ...other, seconds_left: 0 }, { ...first, seconds_left: 0 })
    t.strictSame(await db.selectFrom('attempts').select(['id', 'number']).where('test_id', '=', test.id).execute(), [
      { id: first.id, number: 1 },
    ])
    t.equal(first.questions.length, 6)
  }
})

t.test('concurrent starts never exceed the number of attempts', async (t) => {
  const test = await publishTest(db, { attempts: 1 }, { cards: [CARDS.text] })
  const learner = await service.member()
  const work = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const { status, body } = await start(learner, test.slug)
      if (status === 200) await learner.post(`/api/tests/attempts/${body.attempt.id}/submit`)
      return status
    }),
  )
  t.ok(work.includes(200))
  t.strictSame(
    work.filter((status) => status !== 200 && status !== 409),
    [],
  )
  const rows = await db.selectFrom('attempts').select('number').where('test_id', '=', test.id).execute()
  t.strictSame(rows, [{ number: 1 }])
})

t.test('of concurrent answers in two tabs, the one with the highest seq is stored', async (t) => {
  const test = await publishTest(db, {}, { cards: [CARDS.text] })
  const learner = await service.member()
  const { attempt } = (await start(learner, test.slug)).body
  const order = [4, 1, 9, 3, 10, 2, 7, 5, 8, 6]
  const saves = await Promise.all(order.map((seq) => put(learner, attempt.id, seq, `Antwort ${seq}`)))
  for (const { status } of saves) t.ok([200, 409].includes(status), String(status))
  t.equal(saves[order.indexOf(10)]?.status, 200)
  const { questions } = (await learner.get(`/api/tests/attempts/${attempt.id}`)).body.attempt
  t.match(questions, [{ seq: 10, answer: { text: 'Antwort 10' } }])

  const same = await Promise.all(['a', 'b', 'c', 'd'].map((text) => put(learner, attempt.id, 11, text)))
  t.strictSame(same.map(({ status }) => status).sort(), [200, 409, 409, 409], 'one answer per seq')
  const again = await Promise.all([1, 2, 3].map(() => put(learner, attempt.id, 12, 'x')))
  t.strictSame([...new Set(again.map(({ status }) => status))], [200])
})

t.test('an answer concurrent with a submit is either judged or refused', async (t) => {
  for (let round = 0; round < 100; round++) {
    const test = await publishTest(db, { review_when: 'now' }, { cards: [CARDS.text] })
    const learner = await service.member()
    const { attempt } = (await start(learner, test.slug)).body
    const submit = () => learner.post(`/api/tests/attempts/${attempt.id}/submit`)
    const [saved, ...submitted] = await Promise.all([put(learner, attempt.id, 1, 'Rom'), submit(), submit()])
    const scores = submitted.map(({ body }) => body.attempt.score_percent)
    t.ok([200, 410].includes(saved.status), String(saved.status))
    t.strictSame(scores, saved.status === 200 ? [100, 100] : [0, 0])
  }
})
