import { sql } from 'kysely'
import t from 'tap'
import { createDatabaseToSpoil } from '../support/database.js'
import { createCard, createDeck } from '../support/factories.js'
import { startService } from '../support/service.js'

const service = await startService(t, {
  database: await createDatabaseToSpoil(),
  now: () => new Date('2026-11-21T23:30:00Z'),
})
const { db } = service
const member = await service.member()

t.test('an empty store gives an empty file with its headers', async (t) => {
  const response = await member.get('/api/decks/export-anki')
  t.equal(response.status, 200)
  t.equal(response.text, '')
  t.equal(response.headers['content-type'], 'text/tab-separated-values; charset=utf-8')
  t.equal(response.headers['content-disposition'], 'attachment; filename="svc_training_anki_2026-11-22.txt"')
  t.equal(response.headers['cache-control'], 'no-cache')
})

t.test('orders cards by deck and position, and leaves out archived ones', async (t) => {
  const last = await createDeck(db, { name: 'A', sort_order: 2 })
  const second = await createDeck(db, { name: 'Über', sort_order: 1 })
  const first = await createDeck(db, { name: 'uber', sort_order: 1 })
  const hidden = await createDeck(db, { name: 'weg', archived_at: new Date() })
  const card = (deck: { id: number }, question: string, sort_order: number, archived_at: Date | null = null) =>
    createCard(db, { deck_id: deck.id, question, answer: 'a', level: 'L', sort_order, archived_at })
  await card(last, 'letzte', 0)
  await card(second, 'dritte', 5)
  await card(first, 'zweite', 7)
  await card(first, 'erste', -1)
  await card(first, 'archiviert', 1, new Date())
  await card(hidden, 'versteckt', 1)
  await card(first, 'zweite nach id', 7)
  const { text } = await member.get('/api/decks/export-anki')
  t.strictSame(text.split('\n'), [
    'erste\ta\tsvc-training::uber\tL',
    'zweite\ta\tsvc-training::uber\tL',
    'zweite nach id\ta\tsvc-training::uber\tL',
    'dritte\ta\tsvc-training::Über\tL',
    'letzte\ta\tsvc-training::A\tL',
    '',
  ])
  await db.deleteFrom('decks').execute()
})

t.test('an error before the first byte is an error response, not a download', async (t) => {
  await createDeck(db)
  await sql`alter table cards rename to cards_elsewhere`.execute(db)
  const response = await member.get('/api/decks/export-anki')
  await sql`alter table cards_elsewhere rename to cards`.execute(db)
  t.strictSame([response.status, response.body.message], [500, 'Interner Serverfehler'])
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.equal(response.headers['content-disposition'], undefined)
  t.equal(response.headers['cache-control'], 'no-store')
  await db.deleteFrom('decks').execute()
})

t.test('exports decks larger than a batch completely, with ties', async (t) => {
  const deck = await createDeck(db, { name: 'groß' })
  const questions = Array.from({ length: 1_203 }, (_, index) => `Frage ${index}`)
  await db
    .insertInto('cards')
    .values(questions.map((question, index) => ({ deck_id: deck.id, question, answer: 'a', sort_order: index >> 9 })))
    .execute()
  const { text } = await member.get('/api/decks/export-anki')
  t.strictSame(
    text.split('\n').slice(0, -1),
    questions.map((question) => `${question}\ta\tsvc-training::groß\t`),
  )
})

t.test('a text may contain the internal separator', async (t) => {
  await db.deleteFrom('decks').execute()
  const deck = await createDeck(db, { name: 'trennend' })
  const texts = [
    { question: 'eins\u001ezwei', answer: 'a', level: 'b' },
    { question: 'drei', answer: '\u001e', level: '\u001e\u001e' },
    { question: '', answer: '', level: '' },
  ]
  for (const [sort_order, text] of texts.entries()) await createCard(db, { deck_id: deck.id, ...text, sort_order })
  const { text } = await member.get('/api/decks/export-anki')
  t.strictSame(
    text.split('\n').slice(0, -1),
    texts.map(({ question, answer, level }) => `${question}\t${answer}\tsvc-training::trennend\t${level}`),
  )
})
