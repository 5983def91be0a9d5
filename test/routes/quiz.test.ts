import { sql } from 'kysely'
import t from 'tap'
import { createCard, createDeck, unique } from '../support/factories.js'
import { mulberry32 } from '../support/random.js'
import { SEED } from '../support/seed.js'
import { errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const member = await service.member()

t.test('there are no questions without cards', async (t) => {
  t.strictSame((await member.get('/api/quiz/generate')).body, { questions: [], deck: 'all' })
})

t.test('a single card has one option', async (t) => {
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id, answer: 'Nur ich' })
  const response = await member.get(`/api/quiz/generate?deck=${deck.slug}`)
  t.strictSame(response.body, {
    deck: deck.slug,
    questions: [
      {
        card_id: card.id,
        question: card.question,
        options: ['Nur ich'],
        correct_index: 0,
        full_answer: 'Nur ich',
        deck_name: deck.name,
      },
    ],
  })
  await db.deleteFrom('decks').execute()
})

t.test('clamps count to 1…50', async (t) => {
  const deck = await createDeck(db)
  for (let index = 0; index < 60; index++) await createCard(db, { deck_id: deck.id })
  const questions = async (query: string) => {
    const { body } = await member.get(`/api/quiz/generate?deck=${deck.slug}${query}`)
    const { questions } = body
    t.equal(new Set(questions.map((question: { card_id: number }) => question.card_id)).size, questions.length)
    return questions.length
  }
  for (const [query, expected] of [
    ['', 10],
    ['&count=', 10],
    ['&count=3', 3],
    ['&count=0', 1],
    ['&count=-7', 1],
    ['&count=50', 50],
    ['&count=51', 50],
    ['&count=7.9', 7],
    ['&count=1e1', 10],
    ['&count=0x10', 16],
    ['&count=%2012%20', 12],
    ['&count=%20', 1],
    ['&count=2&count=4', 4],
    ['&count=1e300', 50],
  ] as const) {
    t.equal(await questions(query), expected, query)
  }
  for (const count of ['abc', '1e400', '-Infinity', 'NaN', '12px', '%00']) {
    t.strictSame(
      (await member.get(`/api/quiz/generate?count=${count}`)).body,
      errorBody(400, 'Der Parameter „count“ muss eine Zahl sein'),
      count,
    )
  }
  t.equal((await member.get(`/api/quiz/generate?deck=${deck.slug}&deck=unknown`)).body.deck, 'unknown')
  await db.deleteFrom('decks').execute()
})

t.test('unknown decks have no questions under any name', async (t) => {
  const deck = await createDeck(db)
  await createCard(db, { deck_id: deck.id })
  for (const slug of ['unknown', 'all', '\0', '\ud800', "' or 1=1", 'x'.repeat(3000)]) {
    const response = await member.get(`/api/quiz/generate?${new URLSearchParams({ deck: slug })}`)
    t.strictSame(response.body.questions, [], slug.slice(0, 20))
    t.equal(response.body.deck, slug.toWellFormed())
  }
  t.equal((await member.get('/api/quiz/generate?deck=')).body.deck, 'all')
  await db.deleteFrom('decks').execute()
})

t.test('options: three wrong ones, shortened, and the right one', async (t) => {
  const deck = await createDeck(db)
  const long = `${'ü'.repeat(119)}😀 und mehr`
  const exact = '😀'.repeat(120)
  for (const answer of [long, exact, 'kurz', 'auch kurz', 'kurz']) await createCard(db, { deck_id: deck.id, answer })
  const { body } = await member.get('/api/quiz/generate?count=50')
  t.equal(body.questions.length, 5)
  for (const question of body.questions) {
    t.equal(question.options.length, 4)
    t.equal(new Set(question.options).size, 4, 'the pool holds distinct answers, without the right one')
    const right = question.full_answer === long ? `${'ü'.repeat(119)}😀...` : question.full_answer
    t.equal(question.options[question.correct_index], right)
  }
  await db.deleteFrom('decks').execute()
})

t.test('a quiz of a deck asks only its cards; wrong options come from all decks', async (t) => {
  const [asked, other] = [await createDeck(db), await createDeck(db)]
  const card = await createCard(db, { deck_id: asked.id })
  const others = []
  for (let index = 0; index < 3; index++) others.push(await createCard(db, { deck_id: other.id }))
  const { questions } = (await member.get(`/api/quiz/generate?deck=${asked.slug}&count=50`)).body
  t.equal(questions.length, 1)
  t.match(questions[0], { card_id: card.id, deck_name: asked.name })
  t.strictSame(questions[0].options.toSorted(), [card, ...others].map(({ answer }) => answer).toSorted())
  await db.deleteFrom('decks').execute()
})

t.test('correct_index is the first option with the right text', async (t) => {
  const deck = await createDeck(db)
  const sameText = 'z'.repeat(120)
  for (const end of ['1', '2', '3', '4']) await createCard(db, { deck_id: deck.id, answer: sameText + end })
  const { body } = await member.get('/api/quiz/generate')
  for (const question of body.questions) {
    t.strictSame(question.options, Array(4).fill(`${sameText}...`))
    t.equal(question.correct_index, 0)
  }
  await db.deleteFrom('decks').execute()
})

t.test('archived cards and cards of archived decks are neither asked nor offered', async (t) => {
  const deck = await createDeck(db)
  const gone = await createDeck(db, { archived_at: new Date() })
  await createCard(db, { deck_id: deck.id, answer: 'lebt' })
  await createCard(db, { deck_id: deck.id, answer: 'archiviert', archived_at: new Date() })
  await createCard(db, { deck_id: gone.id, answer: 'im archivierten Deck' })
  const { body } = await member.get('/api/quiz/generate?count=50')
  t.strictSame(
    body.questions.map((question: { options: string[] }) => question.options),
    [['lebt']],
  )
  t.strictSame((await member.get(`/api/quiz/generate?deck=${gone.slug}`)).body.questions, [])
  await db.deleteFrom('decks').execute()
})

t.test('submit converts, rounds exactly and stores', async (t) => {
  for (const [body, score, stored] of [
    [{ total: 10, correct: 7 }, 70, [10, 7, 'all']],
    [{ total: 200, correct: 29, deck: 'git' }, 15, [200, 29, 'git']],
    [{ total: 8, correct: 1 }, 13, [8, 1, 'all']],
    [{ total: 8, correct: -1 }, -13, [8, -1, 'all']],
    [{ total: 3, correct: 1, deck: null }, 33, [3, 1, 'all']],
    [{ total: 0, correct: 5 }, 0, [0, 5, 'all']],
    [{ total: -4, correct: 5 }, 0, [-4, 5, 'all']],
    [{ total: 5, correct: 10, deck: '' }, 200, [5, 10, '']],
    [{ total: '7.9', correct: '12abc', deck: 'ä😀' }, 171, [7, 12, 'ä😀']],
    [{ total: true, correct: false }, 0, [1, 0, 'all']],
    [{ total: 7.9, correct: -1.5 }, -14, [7, -1, 'all']],
    [{ total: [], correct: {} }, 0, [0, 0, 'all']],
    [{ total: 'abc', correct: null, extra: 1 }, 0, [0, 0, 'all']],
    [undefined, 0, [0, 0, 'all']],
    [{ total: 1, correct: Number.MAX_SAFE_INTEGER }, 900719925474099100, [1, Number.MAX_SAFE_INTEGER, 'all']],
  ] as const) {
    const response = await member.post('/api/quiz/submit', body)
    t.strictSame([response.status, response.body], [200, { score }], JSON.stringify(body))
    const [newest] = (await member.get('/api/quiz/history')).body.results
    t.strictSame(newest, {
      deck_slug: stored[2],
      quiz_type: 'multiple_choice',
      score_percent: score,
      total_questions: stored[0],
      correct_answers: stored[1],
      created_at: newest.created_at,
    })
    t.equal(new Date(newest.created_at).toISOString(), newest.created_at)
  }
})

t.test('submit refuses values that cannot be stored', async (t) => {
  const before = (await member.get('/api/quiz/history')).body
  for (const [body, message] of [
    [{ total: 2 ** 53 }, 'Das Feld „total“ ist zu groß'],
    [{ correct: '9'.repeat(400) }, 'Das Feld „correct“ ist zu groß'],
    [{ correct: -(2 ** 53) }, 'Das Feld „correct“ ist zu groß'],
    [{ deck: 5 }, /^Das Feld „deck“ muss/],
    [{ deck: ['x'] }, /^Das Feld „deck“ muss/],
    [{ deck: 'x'.repeat(2001) }, /^Das Feld „deck“ darf nicht länger als 2000 Zeichen/],
    [{ deck: 'nul\0' }, 'Das Feld „deck“ enthält unzulässige Zeichen'],
    [[], 'Ungültiger JSON-Inhalt'],
    ['null', 'Ungültiger JSON-Inhalt'],
    ['"text"', 'Ungültiger JSON-Inhalt'],
    ['{"total":1', 'Ungültiger JSON-Inhalt'],
  ] as const) {
    const headers = { 'content-type': 'application/json' }
    const response = await member.post('/api/quiz/submit', body, { headers })
    t.match(response.body, { statusCode: 400, error: 'Bad Request', message }, JSON.stringify(body).slice(0, 60))
  }
  t.equal((await member.post('/api/quiz/submit', { deck: '😀'.repeat(2000) })).status, 200)
  t.equal((await member.get('/api/quiz/history')).body.results[1].created_at, before.results[0].created_at)
})

t.test("history shows the caller's last 20 results, newest first", async (t) => {
  const [first, second] = [await service.member(), await service.member()]
  const deck_slug = unique('h')
  for (let index = 1; index <= 25; index++) {
    await db
      .insertInto('quiz_results')
      .values({
        user_id: first.id,
        deck_slug,
        score_percent: index,
        total_questions: 100,
        correct_answers: index,
        created_at: new Date(Date.UTC(2026, 0, 1 + Math.ceil(index / 2))),
      })
      .execute()
  }
  await second.post('/api/quiz/submit', { total: 1 })
  const { results } = (await first.get('/api/quiz/history')).body
  t.strictSame(
    results.map((result: { score_percent: number }) => result.score_percent),
    Array.from({ length: 20 }, (_, index) => 25 - index),
  )
  t.equal((await second.get('/api/quiz/history')).body.results.length, 1)
})

t.test('every card and every position is equally likely', async (t) => {
  const deck = await createDeck(db)
  const cards = []
  for (let index = 0; index < 8; index++) cards.push(await createCard(db, { deck_id: deck.id }))
  // Gaps between the ids must not make the neighbouring cards more likely.
  for (const card of cards.splice(2, 3)) await db.deleteFrom('cards').where('id', '=', card.id).execute()
  // Requests that follow each other use one connection, also of a pool.
  await sql`select setseed(${mulberry32(SEED)()})`.execute(db)
  const { random } = Math
  Math.random = mulberry32(SEED)
  t.teardown(() => {
    Math.random = random
  })
  const draws = 400
  const chosen = new Map<number, number>()
  const positions = new Map<number, number>()
  for (let index = 0; index < draws; index++) {
    const [question] = (await member.get('/api/quiz/generate?count=1')).body.questions
    chosen.set(question.card_id, (chosen.get(question.card_id) ?? 0) + 1)
    positions.set(question.correct_index, (positions.get(question.correct_index) ?? 0) + 1)
  }
  // The limits are the 99.9999 % quantiles of the chi-square distribution with 4 and 3 degrees of freedom.
  t.equal(chosen.size, 5)
  t.ok(chiSquare([...chosen.values()], draws / 5) < 33.4, `cards ${[...chosen.values()]}`)
  t.equal(positions.size, 4)
  t.ok(chiSquare([...positions.values()], draws / 4) < 30.7, `positions ${[...positions.values()]}`)
  await db.deleteFrom('decks').execute()
})

function chiSquare(observed: number[], expected: number): number {
  return observed.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}
