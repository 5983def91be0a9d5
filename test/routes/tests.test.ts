import t from 'tap'
import { unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'
import { type ApiQuestion, CARDS, publishTest, rightAnswerTo, singleChoice } from '../support/taken-tests.js'

let now = new Date('2026-11-25T10:00:00Z')

const service = await startService(t, { now: () => now })
const { db } = service

const MINUTE = 60_000
const later = (milliseconds: number) => {
  now = new Date(now.getTime() + milliseconds)
}

const start = (caller: Caller, slug: string, client_id = unique('client')) =>
  caller.post(`/api/tests/${slug}/attempts`, { client_id })

const put = (caller: Caller, id: number, slot: number, seq: unknown, answer: unknown) =>
  caller.send({ method: 'PUT', url: `/api/tests/attempts/${id}/answers/${slot}`, payload: { seq, answer } as object })

const refusalOf = ({ status, body, headers }: Awaited<ReturnType<Caller['get']>>) => [
  status,
  body.message,
  headers['x-error-code'],
]

const questionOf = (questions: ApiQuestion[], form: string) =>
  questions.find((question) => question.form === form) as ApiQuestion

t.test('a learner takes a test with all forms, submits it and reads the review', async (t) => {
  const test = await publishTest(db)
  const learner = await service.member()
  const listed = (await learner.get('/api/tests')).body.tests.find(({ slug }: { slug: string }) => slug === test.slug)
  t.match(listed, {
    name: 'Datenschutz',
    question_count: 6,
    pass_percent: 80,
    time_limit_minutes: 20,
    attempts_left: 3,
    open_attempt_id: null,
    passed: null,
  })
  const { status, body } = await start(learner, test.slug)
  t.equal(status, 200)
  const { attempt } = body
  t.match(attempt, { slug: test.slug, version: 1, state: 'open', seconds_left: 1_200 })
  t.equal(attempt.deadline, new Date(now.getTime() + 20 * MINUTE).toISOString())
  t.strictSame(
    attempt.questions.map(({ slot }: ApiQuestion) => slot),
    [0, 1, 2, 3, 4, 5],
  )
  later(MINUTE)
  for (const question of attempt.questions as ApiQuestion[]) {
    const answer = rightAnswerTo(question)
    const saved = await put(learner, attempt.id, question.slot, 1, answer)
    t.strictSame(
      [saved.status, saved.body],
      [200, { slot: question.slot, seq: 1, saved_at: now.toISOString(), seconds_left: 1_140 }],
    )
  }
  const read = await learner.get(`/api/tests/attempts/${attempt.id}`)
  t.strictSame(
    read.body.attempt.questions,
    attempt.questions.map((question: ApiQuestion) => ({ ...question, seq: 1, answer: rightAnswerTo(question) })),
    'another device shows the same questions with their answers',
  )
  t.match((await learner.get(`/api/tests/${test.slug}`)).body.test, { open_attempt_id: attempt.id, attempts_left: 2 })
  t.strictSame(refusalOf(await learner.get(`/api/tests/attempts/${attempt.id}/review`)), [
    ...[403, 'Die Auswertung ist noch nicht freigegeben', 'review_closed'],
  ])

  const submitted = await learner.post(`/api/tests/attempts/${attempt.id}/submit`)
  const result = { id: attempt.id, state: 'submitted', passed: true, score_percent: 100 }
  t.strictSame(submitted.body, { attempt: result })
  t.strictSame((await learner.post(`/api/tests/attempts/${attempt.id}/submit`)).body, { attempt: result }, 'again')
  t.strictSame(refusalOf(await put(learner, attempt.id, 0, 2, rightAnswerTo(attempt.questions[0]))), [
    ...[410, 'Der Versuch ist beendet', 'attempt_ended'],
  ])

  const { review } = (await learner.get(`/api/tests/attempts/${attempt.id}/review`)).body
  t.match(review, { passed: true, score_percent: 100, ended_by: 'person' })
  const single = review.questions.find(({ form }: ApiQuestion) => form === 'single')
  t.strictSame(
    single.options.filter(({ correct, chosen }: { correct: boolean; chosen: boolean }) => correct && chosen).length,
    1,
  )
  t.equal(single.explanation, 'Darum')
  t.strictSame(
    questionOf(review.questions, 'order').items?.map(({ text }) => text),
    ['eins', 'zwei', 'drei'],
  )
  t.match(questionOf(review.questions, 'text'), { accepted: ['Rom'], points: 1 })
  const { test: own } = (await learner.get(`/api/tests/${test.slug}`)).body
  t.match(own, {
    passed: true,
    my_attempts: [{ id: attempt.id, number: 1, state: 'submitted', passed: true, review_available: true }],
  })
})

t.test('points are shares of the right places, and the score is rounded down', async (t) => {
  const test = await publishTest(
    db,
    { pass_percent: 34, review_when: 'now' },
    {
      cards: [CARDS.multiple, CARDS.order, CARDS.gaps],
    },
  )
  const learner = await service.member()
  const { attempt } = (await start(learner, test.slug)).body
  const questions = attempt.questions as ApiQuestion[]
  const multiple = questionOf(questions, 'multiple')
  const one = multiple.options?.find(({ text }) => text === 'Auskunft')?.id ?? ''
  await put(learner, attempt.id, multiple.slot, 1, { option_ids: [one] })
  const order = questionOf(questions, 'order')
  const ids = ['eins', 'drei', 'zwei'].map((text) => order.items?.find((item) => item.text === text)?.id ?? '')
  await put(learner, attempt.id, order.slot, 1, { item_ids: ids })
  const { body } = await learner.post(`/api/tests/attempts/${attempt.id}/submit`)
  // Score: (1/2 + 1/3 + 0) / 3, rounded down
  t.match(body.attempt, { passed: false, score_percent: 27 })
})

t.test('a start with the same client id returns its attempt, also after its end', async (t) => {
  const test = await publishTest(db, { attempts: 1 })
  const learner = await service.member()
  const client = unique('client')
  const first = await start(learner, test.slug, client)
  t.strictSame((await start(learner, test.slug, client)).body, first.body)
  t.strictSame((await start(learner, test.slug)).body, first.body, 'another client gets the open attempt')
  await learner.post(`/api/tests/attempts/${first.body.attempt.id}/submit`)
  const again = await start(learner, test.slug, client)
  t.match(again.body.attempt, { id: first.body.attempt.id, state: 'submitted', seconds_left: 0 })
  t.strictSame(refusalOf(await start(learner, test.slug)), [409, 'Kein Versuch mehr übrig', 'no_attempt_left'])
})

t.test('refuses a start because of access, days, number of attempts and pause', async (t) => {
  const learner = await service.member()
  const refused = async (definition: Parameters<typeof publishTest>[1]) =>
    refusalOf(await start(learner, (await publishTest(db, definition)).slug))
  t.strictSame(await refused({ access: 'assigned' }), [
    ...[403, 'Der Test ist nur auf Zuweisung offen', 'assigned_only'],
  ])
  t.strictSame(await refused({ opens: '2026-11-26' }), [409, 'Der Test ist noch nicht offen', 'not_open_yet'])
  t.strictSame(await refused({ closes: '2026-11-24' }), [409, 'Der Test ist nicht mehr offen', 'no_longer_open'])
  t.strictSame(refusalOf(await start(learner, 'nicht-da')), [404, 'Test nicht gefunden', 'test_not_found'])

  const paused = await publishTest(db, { wait_minutes: 90 })
  const { attempt } = (await start(learner, paused.slug)).body
  await learner.post(`/api/tests/attempts/${attempt.id}/submit`)
  const from = new Date(Math.ceil((now.getTime() + 90 * MINUTE) / MINUTE) * MINUTE)
  const clock = from.toLocaleTimeString('de-DE', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' })
  t.strictSame(refusalOf(await start(learner, paused.slug)), [
    ...[409, `Nächster Versuch ab 25.11.2026, ${clock}`, 'wait_for_next'],
  ])
  t.equal(
    (await learner.get(`/api/tests/${paused.slug}`)).body.test.next_attempt_at,
    new Date(now.getTime() + 90 * MINUTE).toISOString(),
  )
  later(90 * MINUTE)
  t.equal((await start(learner, paused.slug)).status, 200)
})

t.test('hides tests that are unpublished, archived or only for those assigned', async (t) => {
  const learner = await service.member()
  const assigned = await publishTest(db, { access: 'assigned' })
  const archived = await publishTest(db)
  const { attempt } = (await start(learner, archived.slug)).body
  await db.updateTable('tests').set({ archived_at: now }).where('id', '=', archived.id).execute()
  await db
    .insertInto('tests')
    .values({ slug: 'entwurf', source_id: null, source_key: null, definition: JSON.stringify({}) })
    .execute()
  const slugs = (await learner.get('/api/tests')).body.tests.map(({ slug }: { slug: string }) => slug)
  for (const slug of [assigned.slug, archived.slug, 'entwurf']) t.notOk(slugs.includes(slug), slug)
  t.equal((await learner.get(`/api/tests/${assigned.slug}`)).status, 200)
  t.equal((await learner.get(`/api/tests/${archived.slug}`)).status, 404)
  t.equal((await start(learner, archived.slug)).status, 404)
  t.equal(
    (await put(learner, attempt.id, 0, 1, rightAnswerTo(attempt.questions[0]))).status,
    200,
    'the open attempt continues',
  )
  t.match((await learner.post(`/api/tests/attempts/${attempt.id}/submit`)).body.attempt, { passed: false })
})

t.test('an attempt keeps its questions when a further version is published', async (t) => {
  const test = await publishTest(db)
  const learner = await service.member()
  const { attempt } = (await start(learner, test.slug)).body
  await publishTest(db, { name: 'Neu' }, { of: test, cards: [CARDS.text] })
  t.strictSame((await learner.get(`/api/tests/attempts/${attempt.id}`)).body.attempt, attempt)
  t.match((await learner.get(`/api/tests/${test.slug}`)).body.test, { name: 'Neu', question_count: 1 })
})

t.test('of the answers to a question, the one with the highest seq counts', async (t) => {
  const test = await publishTest(db, {}, { cards: [CARDS.text] })
  const learner = await service.member()
  const { attempt } = (await start(learner, test.slug)).body
  t.equal((await put(learner, attempt.id, 0, 5, { text: 'Rom' })).status, 200)
  const saved = await put(learner, attempt.id, 0, 5, { text: 'Rom' })
  t.equal(saved.status, 200, 'the same answer again')
  for (const [seq, text] of [
    [5, 'Paris'],
    [4, 'Rom'],
    [1, 'Bern'],
  ] as const) {
    t.strictSame(refusalOf(await put(learner, attempt.id, 0, seq, { text })), [
      ...[409, 'Neuere Antwort vorhanden', 'newer_answer'],
    ])
  }
  t.equal((await put(learner, attempt.id, 0, Number.MAX_SAFE_INTEGER, { text: 'Athen' })).body.seq, 2 ** 53 - 1)
  const [question] = (await learner.get(`/api/tests/attempts/${attempt.id}`)).body.attempt.questions
  t.match(question, { seq: 2 ** 53 - 1, answer: { text: 'Athen' } })
  for (const seq of [2 ** 53, 0, -1, 1.5, '6', null]) {
    t.equal((await put(learner, attempt.id, 0, seq, { text: 'Rom' })).status, 400, String(seq))
  }
})

t.test('refuses answers that do not fit the question', async (t) => {
  const test = await publishTest(db)
  const learner = await service.member()
  const { attempt } = (await start(learner, test.slug)).body
  const stranger = await service.member()
  const other = (await start(stranger, test.slug)).body.attempt
  const questions = attempt.questions as ApiQuestion[]
  const slotOf = (form: string) => questionOf(questions, form).slot
  const foreign = questionOf(other.questions, 'single').options?.[0]?.id
  for (const [form, answer, message] of [
    ['single', { text: 'Rom' }, 'Die Antwort passt nicht zur Form der Frage'],
    ['single', { option_ids: [foreign] }, 'Diese Antwort steht nicht zur Auswahl'],
    ['single', { option_ids: questionOf(questions, 'single').options?.map(({ id }) => id) }, /nur eine Antwort/],
    ['order', { item_ids: [] }, /jeden Punkt genau einmal/],
    ['gaps', { gaps: { __proto: 'x' } }, 'Diese Lücke gibt es nicht'],
    ['text', { text: 'x'.repeat(1_001) }, /höchstens 1.000 Zeichen/],
    ['text', { text: 'a\0' }, /Zeichen/],
    ['number', { text: '1.000' }, '„1.000“ ist mehrdeutig: 1000 oder 1,000?'],
    ['text', {}, /genau eines/],
    ['text', { text: 'a', option_ids: [] }, /genau eines/],
    ['text', { text: 5 }, /ein Text/],
    ['text', null, /ein JSON-Objekt/],
  ] as const) {
    const { status, body } = await put(learner, attempt.id, slotOf(form), 1, answer)
    t.equal(status, 400, `${form} ${JSON.stringify(answer)}`)
    t.match(body.message, message)
  }
  t.equal((await put(learner, attempt.id, slotOf('text'), 1, { text: 'x'.repeat(65_536) })).status, 413)
  t.strictSame(refusalOf(await put(learner, attempt.id, 6, 1, { text: 'x' })), [
    ...[404, 'Frage nicht gefunden', 'slot_not_found'],
  ])
  t.equal((await put(learner, attempt.id, 2 ** 40, 1, { text: 'x' })).status, 404)
  t.strictSame(refusalOf(await put(stranger, attempt.id, 0, 1, { text: 'x' })), [
    ...[404, 'Versuch nicht gefunden', 'attempt_not_found'],
  ])
  for (const url of [`/api/tests/attempts/${attempt.id}`, `/api/tests/attempts/${attempt.id}/review`]) {
    t.equal((await stranger.get(url)).status, 404, url)
  }
  t.equal((await stranger.post(`/api/tests/attempts/${attempt.id}/submit`)).status, 404)
  t.equal((await learner.get('/api/tests/attempts/eins')).status, 400)
  const read = (await learner.get(`/api/tests/attempts/${attempt.id}`)).body.attempt
  t.ok(read.questions.every(({ seq }: ApiQuestion) => seq === 0))
  for (const client of ['kurz', 'x'.repeat(65), 'mit-\0-nul', 8]) {
    t.equal((await start(learner, test.slug, client as string)).status, 400)
  }
})

t.test('draws the number of questions and shows no id of the published question', async (t) => {
  const cards = Array.from({ length: 20 }, (_, index) => singleChoice(`Frage ${index}`))
  const sections = [{ deck: 'd', level: null, cards: null, draw: 5 }]
  const test = await publishTest(db, { sections }, { cards })
  const learner = await service.member()
  const response = await start(learner, test.slug)
  t.equal(response.body.attempt.questions.length, 5)
  t.equal(new Set(response.body.attempt.questions.map(({ question }: ApiQuestion) => question)).size, 5)
  for (const { content } of test.questions) {
    if (content.form !== 'single') throw new Error(content.form)
    for (const { id } of content.options) t.notOk(response.text.includes(id))
  }
  t.equal((await learner.get(`/api/tests/${test.slug}`)).body.test.question_count, 5)
})

t.test('the preset decides what the review shows', async (t) => {
  const take = async (definition: Parameters<typeof publishTest>[1]) => {
    const test = await publishTest(db, definition, { cards: [CARDS.text] })
    const learner = await service.member()
    const { attempt } = (await start(learner, test.slug)).body
    const submitted = (await learner.post(`/api/tests/attempts/${attempt.id}/submit`)).body.attempt
    const review = () => learner.get(`/api/tests/attempts/${attempt.id}/review`)
    const { passed } = (await learner.get(`/api/tests/${test.slug}`)).body.test
    return { test, learner, submitted, review, passed }
  }
  const none = await take({ review: 'none', review_when: 'now' })
  t.match(none.submitted, { passed: null, score_percent: null })
  t.equal((await none.review()).status, 403)
  t.equal(none.passed, null)

  const result = await take({ review: 'result', review_when: 'now' })
  t.match(result.submitted, { passed: false, score_percent: 0 })
  t.match((await result.review()).body.review, { passed: false, questions: null })
  t.equal(result.passed, false)

  const last = await take({ attempts: 2 })
  t.match(last.submitted, { passed: false, score_percent: 0 })
  t.equal((await last.review()).status, 403, 'an attempt is left')
  const second = (await start(last.learner, last.test.slug)).body.attempt
  t.equal((await last.review()).status, 403, 'the last attempt is still open')
  await last.learner.post(`/api/tests/attempts/${second.id}/submit`)
  t.equal((await last.review()).status, 200)

  const unlimited = await take({ attempts: null })
  t.equal((await unlimited.review()).status, 403)
  const good = (await start(unlimited.learner, unlimited.test.slug)).body.attempt
  await put(unlimited.learner, good.id, 0, 1, { text: 'Rom' })
  await unlimited.learner.post(`/api/tests/attempts/${good.id}/submit`)
  t.equal((await unlimited.review()).status, 200, 'after passing')

  const closed = await take({ review_when: 'closed', closes: '2026-11-25' })
  t.match(closed.submitted, { passed: null, score_percent: null })
  t.equal((await closed.review()).status, 403)
  later(24 * 60 * MINUTE)
  t.match((await closed.review()).body.review, { passed: false, score_percent: 0, questions: [{ accepted: ['Rom'] }] })
})

t.test("a test's page lists the learner's attempts in pages, newest first", async (t) => {
  const { slug } = await publishTest(db, { attempts: null, review_when: 'now' }, { cards: [CARDS.text] })
  const learner = await service.member()
  for (const text of ['Rom', 'Paris', 'Wien']) {
    const { id } = (await start(learner, slug)).body.attempt
    await put(learner, id, 0, 1, { text })
    await learner.post(`/api/tests/attempts/${id}/submit`)
  }
  await start(learner, slug)
  const page = async (query: string) => {
    const { body } = await learner.get(`/api/tests/${slug}?${query}`)
    const numbers = body.test.my_attempts.map(({ number }: { number: number }) => number)
    return { numbers, next: body.next_before, passed: body.test.passed, isOpen: body.test.open_attempt_id !== null }
  }
  const rest = { passed: true, isOpen: true }
  t.strictSame(await page(''), { numbers: [4, 3, 2, 1], next: null, ...rest })
  t.strictSame(await page('limit=2'), { numbers: [4, 3], next: 3, ...rest })
  t.strictSame(await page('limit=2&before=3'), { numbers: [2, 1], next: null, ...rest })
  t.strictSame(await page('before=1'), { numbers: [], next: null, ...rest })
  for (const before of ['x', '1.5', '9'.repeat(30)]) {
    const { status, body } = await learner.get(`/api/tests/${slug}?before=${before}`)
    t.strictSame({ status, body }, { status: 400, body: errorBody(400, 'Der Parameter „before“ ist ungültig') })
  }
})

t.test('an unknown path is refused as in other groups', async (t) => {
  const learner = await service.member()
  t.strictSame((await learner.delete('/api/tests/x')).body, errorBody(404, 'Unbekannter Test-Endpunkt'))
})
