import t from 'tap'
import { createCard, createDeck, createProgress, unique } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'

// At this time it is 00:30 on 22 November in Berlin, but still 21 November in UTC.
const service = await startService(t, { now: () => new Date('2026-11-21T23:30:00Z') })
const { db } = service
const member = await service.member()

t.afterEach(async () => {
  await db.deleteFrom('decks').execute()
})

t.test('decks have the statistics of the caller', async (t) => {
  const other = await service.member()
  const [full, empty] = [await createDeck(db, { sort_order: 1 }), await createDeck(db, { sort_order: 2 })]
  const progress = [
    ['easy', '2026-11-21'],
    ['medium', '2026-11-22'],
    ['hard', '2026-11-23'],
    ['again', '2026-11-22'],
  ] as const
  for (const [last_rating, next_review] of progress) {
    const card = await createCard(db, { deck_id: full.id })
    await createProgress(db, { user_id: member.id, card_id: card.id, last_rating, next_review })
  }
  const { id: untouched } = await createCard(db, { deck_id: full.id })
  await createProgress(db, { user_id: other.id, card_id: untouched, last_rating: 'easy', next_review: '2020-01-01' })

  const expected = (deck: typeof full, card_count: number, reviewed: number, correct: number, due: number) => {
    const { id, slug, name, description } = deck
    return { id, slug, name, description, card_count, reviewed, correct, due }
  }
  const response = await member.get('/api/decks')
  t.equal(response.status, 200)
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.strictSame(response.body, { decks: [expected(full, 5, 4, 2, 3), expected(empty, 0, 0, 0, 0)] })
  t.strictSame((await other.get('/api/decks/')).body.decks[0], expected(full, 5, 1, 1, 1))
})

t.test('orders decks in German collation', async (t) => {
  for (const [name, sort_order] of [
    ['zuletzt', 0],
    ['Zebra', 1],
    ['Äpfel', 1],
    ['apfel', 1],
    ['Birne', 1],
    ['Apfel', 1],
    ['ärger', 1],
    ['straße', 1],
    ['Strasse', 1],
  ] as const) {
    await createDeck(db, { name, sort_order })
  }
  const duplicates = [
    await createDeck(db, { id: 902, name: 'Zwilling', sort_order: 1 }),
    await createDeck(db, { id: 901, name: 'Zwilling', sort_order: 1 }),
  ].reverse()
  const { decks } = (await member.get('/api/decks')).body
  t.strictSame(
    decks.map((deck: { name: string }) => deck.name),
    ['zuletzt', 'apfel', 'Apfel', 'Äpfel', 'ärger', 'Birne', 'Strasse', 'straße', 'Zebra', 'Zwilling', 'Zwilling'],
  )
  t.strictSame(
    decks.slice(-2).map((deck: { id: number }) => deck.id),
    duplicates.map((deck) => deck.id),
  )
})

t.test('a progress row without rating and date counts as reviewed only', async (t) => {
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id })
  await createProgress(db, { user_id: member.id, card_id: card.id, last_rating: null, next_review: null })
  t.match((await member.get('/api/decks')).body, { decks: [{ reviewed: 1, correct: 0, due: 0 }] })
})

t.test('the route export-anki takes precedence over a deck with that slug', async (t) => {
  await createDeck(db, { slug: 'export-anki' })
  const response = await member.get('/api/decks/export-anki')
  t.equal(response.headers['content-type'], 'text/tab-separated-values; charset=utf-8')
})

t.test('archived decks and cards do not count', async (t) => {
  const deck = await createDeck(db)
  const hidden = await createDeck(db, { archived_at: new Date() })
  const card = await createCard(db, { deck_id: deck.id })
  await createProgress(db, { user_id: member.id, card_id: card.id, last_rating: 'easy', next_review: '2020-01-01' })
  const counts = async () => {
    const { decks } = (await member.get('/api/decks')).body
    return decks.map((row: Record<string, number>) => [row.card_count, row.reviewed, row.correct, row.due])
  }
  t.strictSame(await counts(), [[1, 1, 1, 1]])
  await db.updateTable('cards').set({ archived_at: new Date() }).execute()
  t.strictSame(await counts(), [[0, 0, 0, 0]])
  await db.updateTable('cards').set({ archived_at: null }).execute()
  t.strictSame(await counts(), [[1, 1, 1, 1]], 'its progress returns with it')
  t.equal((await member.get(`/api/decks/${hidden.slug}`)).status, 404)
})

t.test('a single deck has every column', async (t) => {
  const deck = await createDeck(db, { sort_order: -3 })
  const response = await member.get(`/api/decks/${deck.slug}`)
  t.strictSame(response.body, {
    deck: {
      ...deck,
      created_at: deck.created_at.toISOString(),
      updated_at: deck.updated_at.toISOString(),
    },
  })
})

t.test('a slug may be long and contain any character; it is decoded once', async (t) => {
  const notFound = errorBody(404, 'Deck nicht gefunden')
  for (const slug of [
    'unknown',
    'all',
    'x'.repeat(2000),
    '%00',
    'a%2Fb',
    '%F0%9F%98%80',
    '%25ZZ',
    "'; drop table decks",
  ]) {
    t.strictSame((await member.get(`/api/decks/${slug}`)).body, notFound, slug.slice(0, 30))
  }
  for (const slug of ['a/b', '100%', '%41', 'ä ö', '😀', 'x'.repeat(200)]) {
    await createDeck(db, { slug, name: unique('n') })
    const response = await member.get(`/api/decks/${encodeURIComponent(slug)}`)
    t.equal(response.body.deck?.slug, slug)
  }
})

t.test('methods other than GET are not allowed', async (t) => {
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const
  for (const method of methods) {
    for (const url of ['/api/decks', '/api/decks/x', '/api/decks/export-anki', '/api/decks/a/b']) {
      const response = await member.send({ method, url })
      t.equal(response.status, 405, `${method} ${url}`)
      t.equal(response.headers.allow, 'GET')
      if (method !== 'HEAD') t.strictSame(response.body, errorBody(405, 'Methode nicht erlaubt'))
    }
  }
  t.equal((await member.get('/api/decks/a/b')).status, 405)
})
