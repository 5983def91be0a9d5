import { sql } from 'kysely'
import t from 'tap'
import { endOverdue } from '../../src/services/tests/end-attempt.js'
import { unique } from '../support/factories.js'
import { type Caller, startService } from '../support/service.js'
import { CARDS, publishTest } from '../support/taken-tests.js'
import { until } from '../support/until.js'

let now = new Date('2026-11-25T10:00:00Z')

const service = await startService(t, { now: () => now, overdueIntervalMs: 50 })
const { db } = service

const SECOND = 1_000
const MINUTE = 60 * SECOND

const start = async (caller: Caller, slug: string) =>
  (await caller.post(`/api/tests/${slug}/attempts`, { client_id: unique('client') })).body.attempt

const put = (caller: Caller, id: number, seq: number, text: string) =>
  caller.send({ method: 'PUT', url: `/api/tests/attempts/${id}/answers/0`, payload: { seq, answer: { text } } })

async function begin(definition: Parameters<typeof publishTest>[1] = {}, caller?: Caller) {
  now = new Date('2026-11-25T10:00:00Z')
  const test = await publishTest(db, { review_when: 'now', ...definition }, { cards: [CARDS.text] })
  const learner = caller ?? (await service.member())
  const attempt = await start(learner, test.slug)
  return { test, learner, attempt, url: `/api/tests/attempts/${attempt.id}` }
}

const answerOf = (id: number) =>
  db.selectFrom('attempt_questions').select(['seq', 'answer']).where('attempt_id', '=', id).executeTakeFirstOrThrow()

const rowOf = (id: number) => db.selectFrom('attempts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

t.test('answers count until ten seconds after the deadline, then the attempt ends at its deadline', async (t) => {
  const { learner, attempt, url } = await begin()
  const deadline = new Date(attempt.deadline)
  now = new Date(deadline.getTime() + 10 * SECOND)
  const saved = await put(learner, attempt.id, 1, 'Rom')
  t.match(saved, { status: 200, body: { seconds_left: 0 } })
  now = new Date(deadline.getTime() + 10 * SECOND + 1)
  const late = await put(learner, attempt.id, 2, 'Paris')
  t.match(late, { status: 410, body: { message: 'Der Versuch ist beendet' } })
  t.match((await learner.get(url)).body.attempt, { state: 'submitted', seconds_left: 0, questions: [{ seq: 1 }] })
  t.match((await learner.post(`${url}/submit`)).body.attempt, { passed: true, score_percent: 100 })
  t.match((await learner.get(`${url}/review`)).body.review, { ended_by: 'time', ended_at: deadline.toISOString() })
})

t.test('a stored answer is confirmed again after the end, because its response may have been lost', async (t) => {
  for (const [ending, end] of [
    [
      'time',
      async (_learner: Caller, { deadline }: { deadline: string }) => {
        now = new Date(new Date(deadline).getTime() + 10 * SECOND + 1)
      },
    ],
    ['submit', (learner: Caller, { id }: { id: number }) => learner.post(`/api/tests/attempts/${id}/submit`)],
  ] as const) {
    const { learner, attempt } = await begin()
    const saved = await put(learner, attempt.id, 1, 'Rom')
    t.equal(saved.status, 200)
    await end(learner, attempt)
    const again = await put(learner, attempt.id, 1, 'Rom')
    t.equal(again.status, 200, ending)
    t.strictSame(again.body, { ...saved.body, seconds_left: 0 }, ending)
    for (const [seq, text] of [
      [1, 'Paris'],
      [2, 'Rom'],
    ] as const) {
      const late = await put(learner, attempt.id, seq, text)
      t.match(late, { status: 410, body: { message: 'Der Versuch ist beendet' } }, `${ending}, ${seq} ${text}`)
    }
    t.match(await answerOf(attempt.id), { seq: 1, answer: { text: 'Rom' } }, ending)
  }
})

t.test("a submit within the ten seconds counts as the learner's submit", async (t) => {
  const { learner, attempt, url } = await begin()
  now = new Date(new Date(attempt.deadline).getTime() + 5 * SECOND)
  await learner.post(`${url}/submit`)
  t.match(await rowOf(attempt.id), { ended_by: 'person', ended_at: now })
})

t.test('the list and a new start end an attempt after its deadline', async (t) => {
  for (const read of [
    (learner: Caller) => learner.get('/api/tests'),
    (learner: Caller, slug: string) => learner.get(`/api/tests/${slug}`),
    (learner: Caller, slug: string) => learner.post(`/api/tests/${slug}/attempts`, { client_id: unique('client') }),
  ]) {
    const { learner, attempt, test } = await begin()
    now = new Date(now.getTime() + 30 * MINUTE)
    t.equal((await read(learner, test.slug)).status, 200)
    t.match(await rowOf(attempt.id), { ended_by: 'time', ended_at: new Date(attempt.deadline), passed: false })
  }
})

t.test('the job ends attempts that no request has ended, once', async (t) => {
  const { attempt } = await begin()
  const { attempt: open } = await begin({ time_limit_minutes: null })
  now = new Date(now.getTime() + 21 * MINUTE)
  await until(async () => (await rowOf(attempt.id)).ended_at !== null)
  t.match(await rowOf(attempt.id), { ended_by: 'time', ended_at: new Date(attempt.deadline), score_percent: 0 })
  t.equal((await rowOf(open.id)).ended_at, null, 'without a limit it stays open')
})

t.test('an attempt that cannot be ended does not prevent the end of others', async (t) => {
  const { attempt: faulty } = await begin()
  const { attempt } = await begin()
  await sql`update attempt_questions set places = '{}' where attempt_id = ${faulty.id}`.execute(db)
  await sql`update attempts set deadline_at = deadline_at - interval '1 minute' where id = ${faulty.id}`.execute(db)
  const failed: number[] = []
  const at = new Date(now.getTime() + 21 * MINUTE)
  const ended = await endOverdue(db, at, new AbortController().signal, (_error, id) => failed.push(id))
  t.strictSame({ ended, failed }, { ended: 1, failed: [faulty.id] })
  t.match(await rowOf(attempt.id), { ended_by: 'time' })
  t.equal((await rowOf(faulty.id)).ended_at, null)
  await db.deleteFrom('attempts').where('id', '=', faulty.id).execute()
})

t.test('extra time extends later attempts, but not open ones', async (t) => {
  const admin = await service.admin()
  const learner = await service.member()
  const { attempt: before, url } = await begin({}, learner)
  const give = (extra_time_percent: unknown) => admin.patch(`/api/accounts/${learner.id}`, { extra_time_percent })
  t.equal((await give(50)).status, 200)
  t.equal((await admin.get(`/api/accounts/${learner.id}`)).body.user.extra_time_percent, 50)
  t.equal((await learner.get(url)).body.attempt.deadline, before.deadline)
  const { attempt, test } = await begin({ closes: '2026-11-25' }, learner)
  t.equal(attempt.deadline, '2026-11-25T10:30:00.000Z')
  t.equal((await learner.get(`/api/tests/${test.slug}`)).body.test.extra_time_percent, 50)
  t.equal((await learner.get('/api/accounts/me/data')).body.user.extra_time_percent, 50)
  for (const wrong of [-1, 301, 1.5, '50', null]) t.equal((await give(wrong)).status, 400, String(wrong))
  const { entries } = (await admin.get('/api/accounts/audit?action=user.update')).body
  t.match(entries[0], { target_id: learner.id, details: { extra_time_percent: 50 } })
  t.equal((await learner.patch(`/api/accounts/${learner.id}`, { extra_time_percent: 300 })).status, 403)
})

t.test('the review after closing waits for the end of an attempt with extra time', async (t) => {
  const learner = await service.member()
  await db.updateTable('users').set({ extra_time_percent: 50 }).where('id', '=', learner.id).execute()
  const definition = { review_when: 'closed', closes: '2026-11-25', time_limit_minutes: 60 } as const
  const { test, attempt: first, url } = await begin(definition, learner)
  await learner.post(`${url}/submit`)
  now = new Date('2026-11-25T22:55:00Z')
  const second = await start(learner, test.slug)
  t.equal(second.deadline, '2026-11-25T23:30:00.000Z')
  const available = async () => {
    const { my_attempts } = (await learner.get(`/api/tests/${test.slug}`)).body.test
    return my_attempts.find(({ id }: { id: number }) => id === first.id).review_available
  }
  for (const [time, status] of [
    ['2026-11-25T23:00:01Z', 403],
    ['2026-11-25T23:30:10Z', 403],
    ['2026-11-25T23:30:11Z', 200],
  ] as const) {
    now = new Date(time)
    t.equal((await learner.get(`${url}/review`)).status, status, time)
    t.equal(await available(), status === 200, time)
  }
})

t.test('a test closes at the end of its last day in the time zone of the service', async (t) => {
  const { learner, attempt } = await begin({ time_limit_minutes: null, closes: '2026-11-25' })
  t.equal(attempt.deadline, '2026-11-25T23:00:00.000Z')
  const other = await service.member()
  const { slug } = attempt
  now = new Date('2026-11-25T22:59:59Z')
  t.equal((await start(other, slug)).deadline, '2026-11-25T23:00:00.000Z')
  now = new Date('2026-11-25T23:00:00Z')
  const third = await (await service.member()).post(`/api/tests/${slug}/attempts`, { client_id: unique('client') })
  t.match(third, { status: 409, body: { message: 'Der Test ist nicht mehr offen' } })
  t.equal((await put(learner, attempt.id, 1, 'Rom')).status, 200)
})
