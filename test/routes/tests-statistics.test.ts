import t from 'tap'
import { deleteAnswersBefore, type EndedAttempt } from '../../db/queries/tests/attempts.js'
import { deleteOldAnswers } from '../../src/services/jobs/delete-answers.js'
import type { ResultsKeep } from '../../src/services/jobs/job.js'
import { ASSIGNMENT, assignedTest } from '../support/assignments.js'
import { createEditor, createSource } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { type Caller, startService } from '../support/service.js'
import { CARDS, publishTest, rightAnswerTo, singleChoice } from '../support/taken-tests.js'

let now = new Date('2026-11-25T10:00:00Z')

const service = await startService(t, { now: () => now })
const { db } = service
const source = await createSource(db)
const editor = await createEditor(service, source)

async function take(caller: Caller, slug: string, answer: (question: never) => object, seconds = 20): Promise<number> {
  const started = await caller.post(`/api/tests/${slug}/attempts`, { client_id: unique('client') })
  const { id, questions } = started.body.attempt
  for (const question of questions) {
    now = new Date(now.getTime() + seconds * 1_000)
    const url = `/api/tests/attempts/${id}/answers/${question.slot}`
    const payload = { seq: 1, answer: answer(question as never) }
    await caller.send({ method: 'PUT', url, payload })
  }
  await caller.post(`/api/tests/attempts/${id}/submit`)
  return id
}

const wrong = ({ options }: { options: { id: string; text: string }[] }) => ({
  option_ids: options.filter(({ text }) => text === '24 Stunden').map(({ id }) => id),
})

const statisticsOf = async (slug: string, query = '') =>
  (await editor.get(`/api/content/tests/${slug}/statistics${query}`)).body

t.test('a report appears with five persons, from their first attempts, and is renewed after five more', async (t) => {
  const test = await publishTest(db, {}, { cards: [CARDS.single], sourceId: source })
  const takers: Caller[] = []
  const join = async (answer: (question: never) => object) => {
    const taker = await service.member()
    takers.push(taker)
    await take(taker, test.slug, answer)
  }
  for (let count = 0; count < 4; count++) await join(rightAnswerTo)
  await take(takers[0] as Caller, test.slug, wrong)
  await take(editor, test.slug, wrong)
  t.equal((await statisticsOf(test.slug)).questions[0].report, null, 'four persons, a second attempt and an editor')
  await join(rightAnswerTo)
  const { report } = (await statisticsOf(test.slug)).questions[0]
  t.match(report, { persons: 5, facility: null, median_seconds: 20, correlation: null })
  for (let count = 0; count < 4; count++) await join(wrong as never)
  t.strictSame((await statisticsOf(test.slug)).questions[0].report, report, 'four more change nothing')
  await join(wrong as never)
  const renewed = (await statisticsOf(test.slug)).questions[0].report
  t.match(renewed, { persons: 10, facility: 0.5 })
  t.strictSame(
    renewed.options.map(({ text, correct, count, share }: Record<string, unknown>) => [text, correct, count, share]),
    [
      ['72 Stunden', true, 5, null],
      ['24 Stunden', false, 5, 1],
      ['7 Tage', false, null, null],
      ['30 Tage', false, null, null],
    ],
  )
})

t.test('statistics are for editors, by version', async (t) => {
  const test = await publishTest(db, {}, { cards: [CARDS.text], sourceId: source })
  await publishTest(db, {}, { cards: [CARDS.single, CARDS.text], of: test, sourceId: source })
  t.match(await statisticsOf(test.slug), { version: 2, min_persons: 5, questions: { length: 2 } })
  t.match(await statisticsOf(test.slug, '?version=1'), { version: 1, questions: { length: 1 } })
  for (const [query, status] of [
    ['?version=3', 404],
    ['?version=99999999999', 404],
    ['?version=x', 400],
  ] as const) {
    t.equal((await editor.get(`/api/content/tests/${test.slug}/statistics${query}`)).status, status, query)
  }
})

t.test('statistics are returned in pages, in the order of the version', async (t) => {
  const cards = ['a', 'b', 'c'].map((text) => singleChoice(text))
  const { slug, questions } = await publishTest(db, {}, { cards, sourceId: source })
  const page = async (query: string) => {
    const { questions, next_after } = await statisticsOf(slug, query)
    return [questions.map(({ question }: { question: string }) => question).join(''), next_after]
  }
  const [, second] = questions
  t.strictSame(await page(''), ['abc', null])
  t.strictSame(await page('?limit=2'), ['ab', second?.id])
  t.strictSame(await page(`?limit=2&after=${second?.id}`), ['c', null])
  const other = await publishTest(db, {}, { cards, sourceId: source })
  for (const after of [other.questions[0]?.id, '9'.repeat(30), 'x']) {
    const { status } = await editor.get(`/api/content/tests/${slug}/statistics?after=${after}`)
    t.equal(status, 400, String(after))
  }
})

t.test('concurrent ends of attempts lose nothing of the sums', async (t) => {
  const test = await publishTest(db, {}, { cards: [CARDS.single, CARDS.text, CARDS.order], sourceId: source })
  const takers = await Promise.all(Array.from({ length: 12 }, () => service.member()))
  await Promise.all(takers.map((taker) => take(taker, test.slug, rightAnswerTo)))
  const { questions } = await statisticsOf(test.slug)
  t.strictSame(
    questions.map(({ report }: { report: { persons: number } }) => report.persons),
    [12, 12, 12],
  )
})

interface ShownAttempt {
  id: number
  passed: boolean | null
  score_percent: number | null
}

function deleteAnswersOf(userId: number, day: string, resultsKeep: ResultsKeep = 'all') {
  const moment = () => ({ at: new Date(`${day}T12:00:00Z`), today: day })
  const rest = {
    answersKeepDays: 90,
    defaultLanguage: 'de' as const,
    timeZone: 'Europe/Berlin',
    resultsKeep,
    signal: new AbortController().signal,
    userId,
  }
  return deleteOldAnswers({ db, moment, ...rest, renewLease: async () => {}, onError: () => {} })
}

t.test('answers are deleted after their retention, and the result and the report stay', async (t) => {
  const learner = await service.member()
  const open = await publishTest(db, { review_when: 'now' }, { cards: [CARDS.single], sourceId: source })
  const closing = await publishTest(
    db,
    { review_when: 'closed', closes: '2027-01-31' },
    { cards: [CARDS.single], sourceId: source },
  )
  const ids = [await take(learner, open.slug, rightAnswerTo), await take(learner, closing.slug, rightAnswerTo)]
  const answersOf = async () => {
    const rows = await db.selectFrom('attempt_questions').select('answer').where('attempt_id', 'in', ids).execute()
    return rows.filter(({ answer }) => answer !== null).length
  }
  const run = async (day: string) => {
    const { attempts } = await deleteAnswersOf(learner.id, day)
    return [attempts, await answersOf()]
  }
  t.strictSame(await run('2027-02-20'), [0, 2])
  t.strictSame(await run('2027-03-01'), [1, 1], 'the review of the other test ends later')
  t.strictSame(await run('2027-05-01'), [0, 1], 'not yet 90 days after closing')
  t.strictSame(await run('2027-05-03'), [1, 0])
  const { review } = (await learner.get(`/api/tests/attempts/${ids[0]}/review`)).body
  t.match(review, { passed: true, score_percent: 100, answers_deleted: true, questions: [{ answer: null, points: 1 }] })
})

t.test(
  'with RESULTS_KEEP=passed, only whether the test was passed stays, even for answers deleted earlier',
  async (t) => {
    const learner = await service.member()
    const test = await publishTest(db, { review_when: 'now', attempts: 3 }, { cards: [CARDS.single], sourceId: source })
    const [earlier, later] = [await take(learner, test.slug, wrong), await take(learner, test.slug, rightAnswerTo)]
    const report = await statisticsOf(test.slug)
    t.strictSame(await deleteAnswersOf(learner.id, '2027-05-01'), { attempts: 2, scores: 0 })
    const third = await take(learner, test.slug, rightAnswerTo)
    t.strictSame(await deleteAnswersOf(learner.id, '2027-02-01', 'passed'), { attempts: 0, scores: 2 })
    t.strictSame(await deleteAnswersOf(learner.id, '2027-02-01', 'passed'), { attempts: 0, scores: 0 })

    const left = await db
      .selectFrom('attempt_questions')
      .select('attempt_id')
      .where('attempt_id', 'in', [earlier, later, third])
      .execute()
    t.strictSame([...new Set(left.map(({ attempt_id }) => attempt_id))], [third])
    const { my_attempts } = (await learner.get(`/api/tests/${test.slug}`)).body.test
    t.strictSame(
      new Map(my_attempts.map((one: ShownAttempt) => [one.id, [one.passed, one.score_percent]])),
      new Map([
        [earlier, [false, null]],
        [later, [true, null]],
        [third, [true, 100]],
      ]),
    )
    const { status, body } = await learner.get(`/api/tests/attempts/${later}/review`)
    t.equal(status, 200)
    t.match(body.review, { passed: true, score_percent: null, answers_deleted: true })
    t.strictSame(body.review.questions, [])
    t.strictSame(await statisticsOf(test.slug), report, 'the statistics stay')
  },
)

t.test('the answers of an attempt stay while a later attempt may open its review', async (t) => {
  const learner = await service.member()
  const test = await publishTest(db, { review_when: 'passed_or_last' }, { cards: [CARDS.single], sourceId: source })
  const ids = [await take(learner, test.slug, rightAnswerTo), await take(learner, test.slug, rightAnswerTo)]
  const [, last] = ids as [number, number]
  await db
    .updateTable('attempts')
    .set({ ended_at: new Date('2027-01-31T12:00:00Z') })
    .where('id', '=', last)
    .execute()
  const run = (day: string) => deleteAnswersOf(learner.id, day)
  t.match(await run('2027-04-30'), { attempts: 0 })
  t.match(await run('2027-05-03'), { attempts: 2 })
})

t.test('answers stay while a further attempt may open their review', async (t) => {
  const learner = await service.member()
  const options = { cards: [CARDS.single], sourceId: source }
  const test = await publishTest(db, { review_when: 'passed_or_last', attempts: 2 }, options)
  const id = await take(learner, test.slug, wrong)
  t.match(await deleteAnswersOf(learner.id, '2029-01-01'), { attempts: 0 }, 'an attempt is left')

  const unlimited = await publishTest(db, { review_when: 'passed_or_last', attempts: null }, { ...options, of: test })
  t.match(await deleteAnswersOf(learner.id, '2029-01-01'), { attempts: 0 }, 'attempts are unlimited')
  const closing = { review_when: 'passed_or_last', attempts: null, closes: '2027-01-31' } as const
  const closed = await publishTest(db, closing, { ...options, of: unlimited })
  t.match(await deleteAnswersOf(learner.id, '2027-05-01'), { attempts: 0 }, 'not yet 90 days after closing')
  const single = await publishTest(db, { review_when: 'passed_or_last', attempts: 1 }, { ...options, of: closed })
  t.match(await deleteAnswersOf(learner.id, '2027-05-01'), { attempts: 1 }, 'no attempt is left')
  t.match(await db.selectFrom('attempts').selectAll().where('id', '=', id).executeTakeFirst(), { passed: false })

  await publishTest(db, { review_when: 'passed_or_last', attempts: 3 }, { ...options, of: single })
  await take(learner, test.slug, wrong)
  t.match(await deleteAnswersOf(learner.id, '2029-01-01'), { attempts: 0 })
  await db
    .updateTable('tests')
    .set({ archived_at: new Date('2028-12-01') })
    .where('id', '=', test.id)
    .execute()
  t.match(await deleteAnswersOf(learner.id, '2029-01-01'), { attempts: 0 }, 'archived a month ago')
  t.match(await deleteAnswersOf(learner.id, '2029-04-01'), { attempts: 1 }, 'archived long ago')
})

t.test('a passed attempt of an earlier period opens no review in the current period, whose answers stay', async (t) => {
  const begun = now
  t.teardown(() => {
    now = begun
  })
  const learner = await service.member()
  const { username } = await db.selectFrom('users').selectAll().where('id', '=', learner.id).executeTakeFirstOrThrow()
  const test = await assignedTest(db, source, 3)
  const pageOf = async (caller: Caller) => (await caller.get(`/api/tests/${test.slug}`)).body.test
  t.match(await pageOf(learner), { assigned: false, attempts_left: 3 })
  const parts = [{ kind: 'test', slug: test.slug }]
  const recurrence = { every_months: 12, opens_days_before: 30 }
  const assignment = { ...ASSIGNMENT, starts: '2026-11-25', due: '2026-12-31', recurrence, parts }
  const body = { ...assignment, audience: { user_ids: [learner.id] } }
  t.equal((await (await service.admin()).post('/api/assignments', body)).status, 200)
  const first = await take(learner, test.slug, rightAnswerTo)
  await learner.get('/api/assignments/mine')
  t.match(await pageOf(learner), { assigned: false, passed: true }, 'done')

  now = new Date('2027-12-01T10:00:00Z')
  const returned = await service.loginAs(username)
  t.match(await pageOf(returned), { assigned: true, attempts_left: 3 }, 'the period is planned before the job has run')
  const failed = await take(returned, test.slug, wrong)
  const review = async (id: number) => (await returned.get(`/api/tests/attempts/${id}/review`)).status
  t.strictSame([await review(first), await review(failed)], [200, 403])
  t.match((await pageOf(returned)).my_attempts, [{ review_available: false }, { review_available: true }])
  t.match(
    await deleteAnswersOf(learner.id, '2028-06-01'),
    { attempts: 1 },
    'the answers of the earlier period are deleted',
  )
  await take(returned, test.slug, rightAnswerTo)
  t.equal(await review(failed), 200)
  await returned.get('/api/assignments/mine')
  t.match(await deleteAnswersOf(learner.id, '2028-06-01'), { attempts: 2 }, 'after the period is completed')
})

t.test('answers of a version stay until the review of the published version, which closes later', async (t) => {
  const learner = await service.member()
  const options = { cards: [CARDS.single], sourceId: source }
  const test = await publishTest(db, { review_when: 'closed', closes: '2027-01-31' }, options)
  const id = await take(learner, test.slug, rightAnswerTo)
  await publishTest(db, { review_when: 'closed', closes: '2027-12-31' }, { ...options, of: test })
  t.match(await deleteAnswersOf(learner.id, '2027-12-01'), { attempts: 0 })
  t.equal((await learner.get(`/api/tests/attempts/${id}/review`)).status, 403)
  t.match(await deleteAnswersOf(learner.id, '2028-04-01'), { attempts: 1 })
})

t.test('answers stay while a version without a closing day hides them', async (t) => {
  const learner = await service.member()
  const options = { cards: [CARDS.single], sourceId: source }
  const test = await publishTest(db, { review_when: 'closed', closes: '2027-01-31', attempts: 2 }, options)
  const failed = await take(learner, test.slug, wrong)
  await publishTest(db, { review_when: 'passed_or_last', closes: null, attempts: 2 }, { ...options, of: test })
  t.match(await deleteAnswersOf(learner.id, '2028-12-01'), { attempts: 0 })
  await take(learner, test.slug, rightAnswerTo)
  t.equal((await learner.get(`/api/tests/attempts/${failed}/review`)).status, 403, 'the first closing day is not over')
  t.match(await deleteAnswersOf(learner.id, '2028-12-01'), { attempts: 2 })
})

t.test('batches continue after attempts whose answers stay', async (t) => {
  const options = { cards: [CARDS.single], sourceId: source }
  const kept = await publishTest(db, { review_when: 'passed_or_last', attempts: 9 }, options)
  const old = await publishTest(db, { review_when: 'now' }, options)
  const learner = await service.member()
  await take(learner, kept.slug, () => ({ option_ids: [] }))
  const ids = [await take(learner, old.slug, rightAnswerTo), await take(learner, old.slug, rightAnswerTo)]
  const before = { instant: new Date('2028-01-01'), day: '2028-01-01' }
  const deleteOne = (after?: EndedAttempt) =>
    deleteAnswersBefore(db, before, { at: new Date(), userId: learner.id, after, limit: 1 })
  const [first] = await deleteOne()
  const [second] = await deleteOne(first)
  t.strictSame([first?.id, second?.id], ids)
  t.strictSame(await deleteOne(second), [])
})
