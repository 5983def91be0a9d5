import assert from 'node:assert/strict'
import t from 'tap'
import { eachText } from '../../src/domain/content/card-texts.js'
import { startBehindLock } from '../support/database.js'
import { createCard, createCards, createDeck, createProgress, unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const clock = { now: new Date('2026-11-21T08:00:00Z') }
const service = await startService(t, { now: () => clock.now })
const { database, db } = service

t.beforeEach(() => setDay('2026-11-21'))
t.afterEach(async () => {
  await db.deleteFrom('decks').execute()
})

/** Sets the clock to 8:00 UTC on this day (`YYYY-MM-DD`), which is 9:00 in Berlin in winter. */
function setDay(day: string): void {
  clock.now = new Date(`${day}T08:00:00Z`)
}

async function createDeckOf(count: number, overrides = {}) {
  const deck = await createDeck(db, overrides)
  const cards = await createCards(db, deck.id, count)
  return { deck, cards, ids: cards.map(({ id }) => id) }
}

const rate = (caller: Caller, card_id: number | undefined, rating: string, more = {}) =>
  caller.post('/api/review', { card_id, rating, ...more })

const queueIds = async (caller: Caller, query = '') =>
  (await caller.get(`/api/review/queue${query}`)).body.cards.map((card: { card_id: number }) => card.card_id)

const statesOf = async (caller: Caller) =>
  (await caller.get('/api/review/cards?limit=200')).body.cards.map(
    ({ card_id, state, progress }: Record<string, unknown>) => ({ card_id, state, progress }),
  )

t.test('a learner studies new cards, and they return on the previewed day', async (t) => {
  const member = await service.member()
  const { deck, cards, ids } = await createDeckOf(3)
  const before = await member.get('/api/review/queue')
  t.equal(before.status, 200)
  t.strictSame(before.body.counts, { due: 0, new: 3 })
  const [first] = before.body.cards
  t.strictSame(first, {
    card_id: ids[0],
    ...eachText((name) => cards[0]?.[name]),
    deck: { slug: deck.slug, name: deck.name, lang: 'de' },
    progress: null,
    note: null,
    next_review: { again: '2026-11-21', hard: '2026-11-23', medium: '2026-11-24', easy: first.next_review.easy },
  })
  t.ok(first.next_review.easy > '2026-11-24')
  t.strictSame((await member.get('/api/review/queue')).body, before.body, 'reading the queue changes nothing')

  const response = await rate(member, ids[0], 'easy')
  t.strictSame(response.body, {
    review_id: response.body.review_id,
    card_id: ids[0],
    progress: {
      last_rating: 'easy',
      next_review: first.next_review.easy,
      stability: 8.2956,
      difficulty: 1,
      last_review: '2026-11-21',
      reps: 1,
      lapses: 0,
    },
    counts: { due: 0, new: 2 },
    applied: true,
  })
  t.strictSame(await queueIds(member), ids.slice(1))
  setDay(first.next_review.easy)
  const [due] = (await member.get('/api/review/queue')).body.cards
  t.equal(due.card_id, ids[0])
  t.strictSame(due.progress, response.body.progress)
  const { decks } = (await member.get('/api/decks')).body
  t.match(decks[0], { reviewed: 1, correct: 1, due: 1 })
})

t.test('the queue: overdue, due today, new ones of each deck in turn, then forgotten today', async (t) => {
  const member = await service.member()
  const second = await createDeckOf(2, { sort_order: 2 })
  const first = await createDeckOf(6, { sort_order: 1 })
  const [a, b, c, d, e, f] = first.ids as [number, number, number, number, number, number]
  const user_id = member.id
  await createProgress(db, { user_id, card_id: a, last_rating: 'easy', next_review: '2026-11-21' })
  await createProgress(db, { user_id, card_id: b, last_rating: 'again', next_review: '2026-11-21' })
  await createProgress(db, { user_id, card_id: c, last_rating: 'hard', next_review: '2026-11-01' })
  await createProgress(db, { user_id, card_id: d, last_rating: 'hard', next_review: '2026-11-22' })
  const [x, y] = second.ids as [number, number]
  t.strictSame(await queueIds(member), [c, a, b, e, x, f, y], 'the date that a script wrote is used as it is')
  await rate(member, f, 'again')
  await rate(member, a, 'again')
  t.strictSame(await queueIds(member), [c, b, x, e, y, f, a], 'the next card of the round follows')
  await rate(member, f, 'again')
  t.strictSame(await queueIds(member), [c, b, x, e, y, a, f], 'the card answered first comes first')
  t.strictSame(await queueIds(member, '?limit=4'), [c, b, x, e])
  t.strictSame(await queueIds(member, '?new=1'), [c, b, x, a, f])
  t.strictSame(await queueIds(member, `?deck=${second.deck.slug}`), [x, y])
  const { counts } = (await member.get(`/api/review/queue?deck=${first.deck.slug}&new=0&limit=1`)).body
  t.strictSame(counts, { due: 4, new: 1 }, 'the counts cover the deck, not the page')
  setDay('2026-11-22')
  t.strictSame((await queueIds(member)).slice(0, 5), [c, a, b, f, d], 'the next day they are overdue like others')
})

t.test('limits new cards per day', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(5)
  t.strictSame((await member.get('/api/review/settings')).body, {
    new_per_day: 20,
    desired_retention: 0.9,
    maximum_interval: 36_500,
    adapt_intervals: true,
    type_answers: false,
    free_weekdays: [],
  })
  const settings = {
    new_per_day: 2,
    desired_retention: 0.85,
    maximum_interval: 10,
    adapt_intervals: false,
    type_answers: true,
    free_weekdays: [6, 7],
  }
  const put = (payload: object) => member.send({ method: 'PUT', url: '/api/review/settings', payload })
  t.strictSame((await put(settings)).body, settings)
  t.strictSame((await put({ new_per_day: 3 })).body, { ...settings, new_per_day: 3 }, 'the rest of the limit remains')
  t.strictSame((await member.get('/api/review/settings')).body, { ...settings, new_per_day: 3 })
  const other = await service.member()
  for (const body of [{ user_id: other.id }, { unknown: 1 }, { extra_new: 100 }]) {
    t.strictSame((await put(body)).body, { ...settings, new_per_day: 3 }, 'other keys are ignored')
  }
  t.equal((await other.get('/api/review/settings')).body.new_per_day, 20)
  t.strictSame(await queueIds(member), ids.slice(0, 3))
  t.strictSame((await rate(member, ids[0], 'easy')).body.counts, { due: 0, new: 2 })
  const again = await rate(member, ids[4], 'again')
  t.strictSame(again.body.counts, { due: 1, new: 1 }, 'a new card rated outside the queue counts as well')
  await member.delete(`/api/review/${again.body.review_id}`)
  t.strictSame(await queueIds(member), ids.slice(1, 3), 'an undo frees the place')
  await put({ new_per_day: 0 })
  t.strictSame((await member.get('/api/review/queue')).body, {
    cards: [],
    counts: { due: 0, new: 0 },
    today: '2026-11-21',
    type_answers: true,
  })
  await put({ new_per_day: 9_999 })
  setDay('2027-11-21')
  const { next_review } = (await member.get('/api/review/queue')).body.cards[0]
  t.ok(next_review.hard <= next_review.easy && next_review.easy === '2027-12-01', 'the longest interval holds')
  for (const wrong of [
    { new_per_day: -1 },
    { new_per_day: 1.5 },
    { new_per_day: '5' },
    { new_per_day: null },
    { desired_retention: 0.79 },
    { desired_retention: 0.98 },
    { maximum_interval: 0 },
    { maximum_interval: 36_501 },
  ]) {
    const response = await put(wrong)
    t.equal(response.status, 400, JSON.stringify(wrong))
    t.match(response.body.message, `Das Feld „${Object.keys(wrong)[0]}“`)
  }
})

t.test('applies a client id once and repeats the response', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(3)
  const client_id = unique('client')
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => rate(member, ids[0], 'medium', { client_id, duration_ms: 2_000 })),
  )
  for (const response of responses) t.strictSame(response.body, responses[0]?.body)
  t.equal(responses[0]?.status, 200)
  t.equal(responses[0]?.body.progress.reps, 1)
  await rate(member, ids[1], 'again')
  t.strictSame((await rate(member, ids[0], 'medium', { client_id })).body, responses[0]?.body, 'also later')
  await db
    .updateTable('cards')
    .set({ archived_at: new Date() })
    .where('id', '=', ids[0] as number)
    .execute()
  t.strictSame(
    (await rate(member, ids[0], 'medium', { client_id })).body,
    responses[0]?.body,
    'also after the card was archived',
  )
  const conflict = errorBody(409, 'Diese „client_id“ gehört zu einer anderen Bewertung')
  t.strictSame((await rate(member, ids[1], 'medium', { client_id })).body, conflict)
  t.strictSame((await rate(member, ids[0], 'easy', { client_id })).body, conflict)
  const other = await service.member()
  t.equal((await rate(other, ids[1], 'medium', { client_id })).status, 200, 'another user may use it')
  t.equal((await member.get('/api/review/history')).body.entries.length, 2)
})

t.test('counts rows with unseen dates like the deck list', async (t) => {
  const member = await service.member()
  for (const next_review of ['infinity', '-infinity', '10000-01-01', '0044-03-15 BC']) {
    const { ids } = await createDeckOf(1)
    await t.rejects(
      createProgress(db, { user_id: member.id, card_id: ids[0] as number, last_rating: 'hard', next_review }),
      {
        code: '23514',
      },
    )
  }
  await db.deleteFrom('decks').execute()
  const dates = ['9999-12-31', '0001-01-01', '1582-10-15', null]
  const { ids } = await createDeckOf(dates.length)
  for (const [index, next_review] of dates.entries()) {
    await createProgress(db, { user_id: member.id, card_id: ids[index] as number, last_rating: 'hard', next_review })
  }
  const queueCounts = async () => (await member.get('/api/review/queue')).body.counts
  t.strictSame(await queueCounts(), { due: 2, new: 0 })
  const before = await statesOf(member)
  const reviews: number[] = []
  for (const id of ids) {
    const { body } = await rate(member, id, 'medium')
    t.strictSame(body.counts, await queueCounts(), body.progress.next_review)
    reviews.unshift(body.review_id)
  }
  for (const id of reviews) t.strictSame((await member.delete(`/api/review/${id}`)).body.counts, await queueCounts())
  t.strictSame(await statesOf(member), before)
  t.equal((await member.get('/api/decks')).body.decks[0].due, 2)
})

t.test('two concurrent devices lose nothing', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(10)
  const responses = await Promise.all(ids.flatMap((id) => [rate(member, id, 'again'), rate(member, id, 'medium')]))
  for (const response of responses) t.equal(response.status, 200)
  const states = await statesOf(member)
  for (const { progress } of states) t.equal(progress.reps, 2)
  const counts = responses.map(({ body }) => body.counts.new).sort((a, b) => a - b)
  t.equal(counts[0], 0, 'one device gets the count without the last new card')
  t.strictSame((await member.get('/api/review/stats')).body.days.at(-1), {
    day: '2026-11-21',
    reviews: 20,
    correct: 10,
    introduced: 10,
    duration_ms: 0,
  })
})

t.test('a repeated undo conflicts with a review in another tab', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(2)
  const [a, b] = ids
  let standing = 0
  for (let round = 0; round < 12; round++) {
    const { review_id } = (await rate(member, a, 'again')).body
    const undo = () => member.delete(`/api/review/${review_id}`)
    const review = () => rate(member, b, 'medium')
    const order = [
      [undo, undo, review],
      [review, undo, undo],
      [undo, review, undo],
    ][round % 3] as (typeof undo)[]
    const responses = await Promise.all(order.map((send) => send()))
    const reviewed = responses[order.indexOf(review)]
    const [first, second] = responses.filter((response) => response !== reviewed)
    t.equal(reviewed?.status, 200)
    t.strictSame(second?.body, first?.body, 'both requests get the same response')
    t.ok(first?.status === 200 || first?.body.message === 'Nur die letzte Bewertung kann zurückgenommen werden')
    standing += first?.status === 200 ? 1 : 2
  }
  t.equal((await member.get('/api/review/stats?days=1')).body.days[0].reviews, standing)
})

t.test('respects a row that a script writes concurrently, and restores it on undo', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(1)
  const values = {
    user_id: member.id,
    card_id: ids[0] as number,
    last_rating: 'easy',
    next_review: '2026-12-01',
  } as const
  const [review] = await startBehindLock(
    database,
    (script) => script.insertInto('card_progress').values(values).execute(),
    [() => rate(member, ids[0], 'medium')],
  )
  assert(review)
  const { status, body } = review
  t.equal(status, 200)
  const [entry] = (await member.get('/api/review/history')).body.entries
  t.match(entry, { id: body.review_id, before: { last_rating: 'easy', next_review: '2026-12-01' } })
  t.strictSame(body.counts, { due: 0, new: 0 })
  const undo = await member.delete(`/api/review/${body.review_id}`)
  t.match(undo.body.progress, { last_rating: 'easy', next_review: '2026-12-01', reps: 0 })
  t.match(await statesOf(member), [{ state: 'learned', progress: undo.body.progress }])
})

// On a server the requests wait for the deletion after they have read the session. The embedded database has a single
// connection, so there they wait for that and find no session.
t.test('refuses to write for a user who is deleted at the same time', async (t) => {
  const leaving = await service.member()
  const { ids } = await createDeckOf(1)
  const settings = { method: 'PUT', url: '/api/review/settings', payload: { new_per_day: 1 } } as const
  const responses = await startBehindLock<{ body: unknown }>(
    database,
    (transaction) => transaction.deleteFrom('users').where('id', '=', leaving.id).execute(),
    [
      () => rate(leaving, ids[0], 'easy'),
      () => leaving.post(`/api/review/cards/${ids[0]}/suspend`),
      () => leaving.send(settings),
    ],
  )
  for (const { body } of responses) t.strictSame(body, errorBody(401, 'Nicht angemeldet'))
})

t.test('undo restores the previous state exactly, back to the start of the day', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(2)
  const [a, b] = ids
  await createProgress(db, { user_id: member.id, card_id: b as number, last_rating: 'hard', next_review: '2026-11-01' })
  const history = [await statesOf(member)]
  const counts = [(await member.get('/api/review/queue')).body.counts]
  const reviews = []
  for (const [card, rating] of [
    [a, 'again'],
    [b, 'again'],
    [a, 'medium'],
    [b, 'easy'],
  ] as const) {
    const { body } = await rate(member, card, rating)
    reviews.push(body.review_id)
    counts.push(body.counts)
    history.push(await statesOf(member))
  }
  const onlyLatest = errorBody(409, 'Nur die letzte Bewertung kann zurückgenommen werden')
  t.strictSame((await member.delete(`/api/review/${reviews[0]}`)).body, onlyLatest)
  for (let index = 3; index >= 0; index--) {
    const response = await member.delete(`/api/review/${reviews[index]}`)
    t.strictSame(response.body, {
      card_id: index % 2 === 0 ? a : b,
      progress: response.body.progress,
      counts: counts[index],
      next_undo: reviews[index - 1] ?? null,
    })
    t.strictSame(await statesOf(member), history[index])
    t.strictSame((await member.get('/api/review/queue')).body.counts, counts[index])
    t.strictSame(
      (await member.delete(`/api/review/${reviews[index]}`)).body,
      response.body,
      'repeating changes nothing',
    )
  }
  t.equal(
    (
      await db
        .selectFrom('card_progress')
        .selectAll()
        .where('card_id', '=', a as number)
        .execute()
    ).length,
    0,
  )
  const { entries } = (await member.get('/api/review/history')).body
  t.strictSame(
    entries.map((entry: Record<string, unknown>) => [entry.kind, entry.card_id, entry.rating, entry.is_undone]),
    [
      ['undo', a, 'again', false],
      ['undo', b, 'again', false],
      ['undo', a, 'medium', false],
      ['undo', b, 'easy', false],
      ['review', b, 'easy', true],
      ['review', a, 'medium', true],
      ['review', b, 'again', true],
      ['review', a, 'again', true],
    ],
  )
})

t.test('explains why a review cannot be undone', async (t) => {
  const member = await service.member()
  const other = await service.member()
  const { deck, ids } = await createDeckOf(4)
  const [a, b, c, d] = ids as [number, number, number, number]
  const review = async (card: number) => (await rate(member, card, 'medium')).body.review_id
  const undo = (id: unknown) => member.delete(`/api/review/${id}`)

  const first = await review(a)
  t.strictSame((await other.delete(`/api/review/${first}`)).body, errorBody(404, 'Bewertung nicht gefunden'))
  t.strictSame((await undo('99999999999999999999')).body, errorBody(404, 'Bewertung nicht gefunden'))
  t.strictSame((await undo('abc')).body, errorBody(400, 'Ungültige Bewertungs-ID'))

  const changed = await review(b)
  await db.updateTable('card_progress').set({ next_review: '2030-01-01' }).where('card_id', '=', b).execute()
  t.strictSame(
    (await undo(changed)).body,
    errorBody(409, 'Der Fortschritt dieser Karte wurde seitdem geändert'),
    'a script changed the card',
  )
  const archived = await review(c)
  await db.updateTable('cards').set({ archived_at: new Date() }).where('id', '=', c).execute()
  t.strictSame((await undo(archived)).body, errorBody(409, 'Diese Karte wurde seitdem archiviert oder gelöscht'))
  await db.updateTable('cards').set({ archived_at: null }).where('id', '=', c).execute()
  t.equal((await undo(archived)).body.next_undo, null, 'the one before was changed by a script')

  const reset = await review(d)
  t.strictSame((await member.post(`/api/review/cards/${d}/reset`)).body, { ok: true })
  t.strictSame((await undo(reset)).body, errorBody(409, 'Der Fortschritt dieser Karte wurde seitdem zurückgesetzt'))
  const repeated = await review(d)
  t.equal((await undo(repeated)).body.next_undo, null)

  const late = await review(d)
  setDay('2026-11-22')
  t.strictSame((await undo(late)).body, errorBody(409, 'Nur Bewertungen von heute können zurückgenommen werden'))
  await db.updateTable('decks').set({ archived_at: new Date() }).where('id', '=', deck.id).execute()
  t.strictSame((await rate(member, a, 'easy')).body, errorBody(404, 'Karte nicht gefunden'), 'its deck is archived')
})

t.test("suspended cards leave the queue but not the deck list's statistics", async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(3)
  const [a, b, c] = ids as [number, number, number]
  await createProgress(db, { user_id: member.id, card_id: a, last_rating: 'hard', next_review: '2026-11-01' })
  for (const id of [a, b, b]) {
    t.strictSame((await member.post(`/api/review/cards/${id}/suspend`)).body, { ok: true })
  }
  t.strictSame((await member.get('/api/review/queue')).body.counts, { due: 0, new: 1 })
  t.strictSame(await queueIds(member), [c])
  t.match((await member.get('/api/decks')).body.decks[0], { reviewed: 1, due: 1 })
  const suspended = (await member.get('/api/review/cards?state=suspended')).body.cards
  t.match(suspended, [
    { card_id: a, state: 'suspended', progress: { last_rating: 'hard' } },
    { card_id: b, state: 'suspended', progress: null },
  ])
  t.match((await member.get('/api/review/stats')).body.decks, [{ new: 1, young: 0, mature: 0, suspended: 2 }])
  t.strictSame(
    (await rate(member, a, 'again')).body.counts,
    { due: 0, new: 1 },
    'after a rating the card stays suspended',
  )
  const first = await rate(member, b, 'again')
  t.strictSame(first.body.counts, { due: 0, new: 1 })
  t.strictSame((await member.get('/api/review/queue')).body.counts, { due: 0, new: 1 })
  await member.delete(`/api/review/${first.body.review_id}`)
  for (const id of [a, b, b]) {
    t.strictSame((await member.delete(`/api/review/cards/${id}/suspend`)).body, { ok: true })
  }
  t.strictSame(await queueIds(member), [b, c, a])
  const notFound = errorBody(404, 'Karte nicht gefunden')
  t.strictSame((await member.post('/api/review/cards/2147483648/suspend')).body, notFound)
  t.strictSame((await member.post('/api/review/cards/0/reset')).body, notFound)
  t.strictSame((await member.delete('/api/review/cards/0/suspend')).body, { ok: true })
  t.strictSame((await member.delete('/api/review/cards/x/suspend')).body, errorBody(400, 'Ungültige Karten-ID'))
})

t.test('a reset makes a card new; the log keeps its history', async (t) => {
  const member = await service.member()
  const { deck, ids } = await createDeckOf(1)
  const [a] = ids as [number]
  t.strictSame((await member.post(`/api/review/cards/${a}/reset`)).body, { ok: true }, 'no progress to reset')
  const { body } = await rate(member, a, 'easy', { duration_ms: 1_500 })
  await member.post(`/api/review/cards/${a}/reset`)
  t.strictSame(await queueIds(member), [a])
  t.match((await member.get('/api/decks')).body.decks[0], { reviewed: 0 })
  await db.updateTable('cards').set({ archived_at: new Date() }).execute()
  const { entries, next_before } = (await member.get(`/api/review/history?deck=${deck.slug}`)).body
  t.equal(next_before, null)
  t.match(entries, [
    { kind: 'reset', card_id: a, before: body.progress, after: null, rating: null, applied: true, is_undone: false },
    { kind: 'review', card_id: a, before: null, after: body.progress, duration_ms: 1_500, deck_slug: deck.slug },
  ])
  t.equal(entries[1].created_at, '2026-11-21T08:00:00.000Z')
  t.equal(entries[1].studied_on, '2026-11-21')
})

t.test('browses cards in deck order by page and state', async (t) => {
  const member = await service.member()
  const second = await createDeckOf(4, { sort_order: 2, name: 'Ä' })
  const first = await createDeckOf(5, { sort_order: 1 })
  const empty = await createDeck(db, { sort_order: 1, name: 'A' })
  const user_id = member.id
  const all = [...first.ids, ...second.ids]
  const [a, b, c] = [all[0], all[4], all[6]] as [number, number, number]
  await createProgress(db, { user_id, card_id: a, last_rating: 'easy', next_review: '2026-11-21' })
  await createProgress(db, { user_id, card_id: b, last_rating: 'easy', next_review: '2026-11-22' })
  await createProgress(db, { user_id, card_id: c, last_rating: null, next_review: null })
  await member.post(`/api/review/cards/${all[1]}/suspend`)
  const expected: Record<string, number[]> = {
    '': all,
    due: [a],
    learned: [b, c],
    suspended: [all[1] as number],
    new: all.filter((id) => ![a, b, c, all[1]].includes(id)),
  }
  for (const [state, ids] of Object.entries(expected)) {
    for (const limit of [1, 2, 3, 200]) {
      const found: number[] = []
      let after: number | string = ''
      do {
        const page: Record<string, never> & { cards: { card_id: number; state: string }[]; next_after: number | null } =
          (await member.get(`/api/review/cards?state=${state}&limit=${limit}&after=${after}`)).body
        t.ok(page.cards.length <= limit)
        for (const card of page.cards) {
          found.push(card.card_id)
          if (state !== '') t.equal(card.state, state)
        }
        after = page.next_after ?? ''
      } while (after !== '')
      t.strictSame(found, ids, `${state} in pages of ${limit}`)
    }
  }
  const inDeck = await member.get(`/api/review/cards?deck=${second.deck.slug}&after=${all[4]}`)
  t.strictSame(
    inDeck.body.cards.map((card: { card_id: number }) => card.card_id),
    second.ids,
  )
  t.strictSame((await member.get(`/api/review/cards?deck=${empty.slug}`)).body, { cards: [], next_after: null })
  await db.updateTable('cards').set({ archived_at: new Date() }).where('id', '=', b).execute()
  const behind = await member.get(`/api/review/cards?after=${b}&limit=1`)
  t.match(behind.body, { cards: [{ card_id: all[5] }], next_after: all[5] }, 'the card of the cursor was archived')
  await db.deleteFrom('cards').where('id', '=', b).execute()
  for (const gone of [b, -1, '99999999999', '99999999999999999999']) {
    const response = await member.get(`/api/review/cards?after=${gone}`)
    t.strictSame(
      response.body,
      errorBody(400, 'Der Parameter „after“ ist ungültig'),
      `${gone}: not mistaken for the end`,
    )
  }
  t.strictSame(
    (await member.get('/api/review/cards?state=old')).body,
    errorBody(400, 'Der Parameter „state“ muss eines von new, due, learned, suspended sein'),
  )
})

t.test('browses cards by text, page, deck and state', async (t) => {
  const member = await service.member()
  const [one, two] = [await createDeck(db, { sort_order: 1 }), await createDeck(db, { sort_order: 2 })]
  const card = async (deck_id: number, question: string, answer = 'x') =>
    (await createCard(db, { deck_id, question, answer, sort_order: 0 })).id
  const a = await card(one.id, 'Große ÄNDERUNG 100 %')
  await card(one.id, 'anderes')
  const b = await card(one.id, 'y', 'eine A\u0308nderung')
  const c = await card(two.id, 'änderungen')
  await createProgress(db, { user_id: member.id, card_id: b, last_rating: 'easy', next_review: '2026-11-21' })
  await member.post(`/api/review/cards/${c}/suspend`)
  const find = async (query: Record<string, string | number>) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    return (await member.get(`/api/review/cards?${search}`)).body
  }
  const ids = async (query: Record<string, string | number>) =>
    (await find(query)).cards.map((found: { card_id: number }) => found.card_id)
  for (const q of ['änderung', 'A\u0308NDERUNG', 'nderun']) t.strictSame(await ids({ q }), [a, b, c], q)
  t.strictSame(await ids({ q: 'änderung', deck: two.slug }), [c])
  t.strictSame(await ids({ q: 'änderung', state: 'new' }), [a])
  t.strictSame(await ids({ q: 'änderung', state: 'due' }), [b])
  t.strictSame(await ids({ q: 'änderung', state: 'suspended' }), [c])
  t.match(await find({ q: 'änderung', limit: 1 }), { cards: [{ card_id: a }], next_after: a })
  t.match(await find({ q: 'änderung', limit: 1, after: a }), { cards: [{ card_id: b }], next_after: b })
  t.match(await find({ q: 'änderung', limit: 1, after: b }), { cards: [{ card_id: c }], next_after: null })
  t.strictSame(await ids({ q: '0 %' }), [a], 'no character is a wildcard')
  for (const q of ['_', '%%', 'a\0', '\\', 'gibt es nicht']) t.strictSame(await ids({ q }), [], q)
  t.equal((await ids({ q: '' })).length, 4)
  const tooLong = await member.get(`/api/review/cards?q=${'x'.repeat(201)}`)
  t.strictSame(tooLong.body, errorBody(400, 'Höchstens 200 Zeichen'))
  t.match(tooLong.headers, { 'x-error-field': 'q', 'x-error-details': '{"maximum":200}' })
})

t.test('shows a card with its state, even if archived', async (t) => {
  const member = await service.member()
  const { deck, cards, ids } = await createDeckOf(2)
  const [id] = ids as [number]
  const show = async () => (await member.get(`/api/review/cards/${id}`)).body
  const [first] = (await member.get('/api/review/queue')).body.cards
  const { next_review, ...card } = first
  t.strictSame(await show(), { card: { ...card, state: 'new', archived: false }, next_review, today: '2026-11-21' })
  const { progress } = (await rate(member, id, 'medium')).body
  t.match(await show(), { card: { state: 'learned', progress, question: cards[0]?.question } })
  await member.post(`/api/review/cards/${id}/suspend`)
  t.match(await show(), { card: { state: 'suspended', deck: { slug: deck.slug, name: deck.name } } })
  await db.updateTable('cards').set({ archived_at: new Date() }).where('id', '=', id).execute()
  t.match(await show(), { card: { archived: true, progress } })
  await db.updateTable('cards').set({ archived_at: null }).where('id', '=', id).execute()
  await db.updateTable('decks').set({ archived_at: new Date() }).execute()
  t.match(await show(), { card: { archived: true } })
  for (const unknown of [0, -1, 2 ** 31 - 1, '99999999999', '99999999999999999999']) {
    const response = await member.get(`/api/review/cards/${unknown}`)
    t.strictSame([response.status, response.body], [404, errorBody(404, 'Karte nicht gefunden')], `${unknown}`)
  }
  t.strictSame((await member.get('/api/review/cards/x')).body, errorBody(400, 'Ungültige Karten-ID'))
})

t.test('a note is trimmed and replaced, and an empty one deletes it', async (t) => {
  const [member, other] = [await service.member(), await service.member()]
  const { ids } = await createDeckOf(1)
  const url = `/api/review/cards/${ids[0]}`
  const write = (text: string) => member.send({ method: 'PUT', url: `${url}/note`, payload: { text } })
  const noteOf = async (caller: Caller) => (await caller.get(url)).body.card.note
  t.strictSame((await write(' Eselsbrücke\n')).body, { note: 'Eselsbrücke' })
  t.equal((await write('🦫'.repeat(2_000))).status, 200)
  t.equal(await noteOf(member), '🦫'.repeat(2_000))
  t.equal(await noteOf(other), null, 'only the owner sees it')
  for (const [text, message] of [
    ['x'.repeat(2_001), 'Das Feld „text“ darf höchstens 2.000 Zeichen haben'],
    ['a\0', 'Das Feld „text“ enthält unzulässige Zeichen'],
  ] as const) {
    t.strictSame((await write(text)).body, errorBody(400, message))
  }
  t.strictSame((await write(' \n')).body, { note: null })
  t.equal(await noteOf(member), null)
})

t.test('„Morgen“ makes no overdue young card mature', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(1)
  const [card] = ids as [number]
  setDay('2026-10-01')
  await rate(member, card, 'medium')
  const putOff = async () => (await member.post(`/api/review/cards/${card}/tomorrow`, {})).body
  const maturity = async () => {
    const { young, mature } = (await member.get('/api/review/stats')).body.decks[0]
    return { young, mature }
  }
  setDay('2026-11-20')
  t.match(await putOff(), { applied: true, progress: { next_review: '2026-11-21' } })
  t.strictSame(await maturity(), { young: 1, mature: 0 })
  setDay('2026-11-21')
  const { review_id } = await putOff()
  t.strictSame(await maturity(), { young: 1, mature: 0 }, 'also if it is put off again')
  t.equal((await member.delete(`/api/review/${review_id}`)).body.progress.next_review, '2026-11-21')
  t.strictSame(await maturity(), { young: 1, mature: 0 }, 'and after an undo')
  await rate(member, card, 'medium')
  t.strictSame((await member.get('/api/review/stats?days=60')).body.retention.by_maturity, {
    young: { reviews: 1, remembered: 1, rate: 1 },
    mature: { reviews: 0, remembered: 0, rate: null },
  })
  const { put_off_from, next_review } = await db
    .selectFrom('card_progress')
    .select(['put_off_from', 'next_review'])
    .where('card_id', '=', card)
    .executeTakeFirstOrThrow()
  t.equal(put_off_from, null, 'a review sets a new interval')
  t.equal(String(next_review) > '2026-12-12', (await maturity()).mature === 1)
})

t.test('statistics count valid reviews', async (t) => {
  const member = await service.member()
  const { deck, ids } = await createDeckOf(4)
  const [a, b, c, d] = ids as [number, number, number, number]
  setDay('2026-10-01')
  await createProgress(db, { user_id: member.id, card_id: d, last_rating: 'easy', next_review: '2026-10-01' })
  await rate(member, a, 'easy', { duration_ms: 1_000 })
  setDay('2026-10-02')
  await rate(member, b, 'again', { duration_ms: 500 })
  await rate(member, b, 'medium', { duration_ms: 700 })
  setDay('2026-11-20')
  await rate(member, a, 'medium')
  await rate(member, d, 'again')
  setDay('2026-11-21')
  await rate(member, b, 'hard', { duration_ms: 5 })
  await member.delete(`/api/review/${(await rate(member, c, 'easy', { duration_ms: 9 })).body.review_id}`)
  const { body } = await member.get('/api/review/stats?days=60')
  t.equal(body.days.length, 60)
  t.strictSame(
    body.days.filter((day: { reviews: number }) => day.reviews > 0),
    [
      { day: '2026-10-01', reviews: 1, correct: 1, introduced: 1, duration_ms: 1_000 },
      { day: '2026-10-02', reviews: 2, correct: 1, introduced: 1, duration_ms: 1_200 },
      { day: '2026-11-20', reviews: 2, correct: 1, introduced: 0, duration_ms: 0 },
      { day: '2026-11-21', reviews: 1, correct: 0, introduced: 0, duration_ms: 5 },
    ],
  )
  t.strictSame(body.streak, { current: 2, longest: 2 })
  const none = { reviews: 0, remembered: 0, rate: null }
  t.strictSame(body.retention, {
    total: { reviews: 3, remembered: 2, rate: 0.6667 },
    by_previous_rating: {
      again: none,
      hard: none,
      medium: { reviews: 1, remembered: 1, rate: 1 },
      easy: { reviews: 2, remembered: 1, rate: 0.5 },
    },
    by_maturity: { young: { reviews: 3, remembered: 2, rate: 0.6667 }, mature: none },
  })
  t.equal(body.forecast.length, 30)
  t.strictSame(body.forecast[0], { day: '2026-11-21', due: 1 })
  t.strictSame(body.decks, [{ slug: deck.slug, name: deck.name, new: 1, young: 2, mature: 1, suspended: 0 }])
  setDay('2026-11-20')
  t.strictSame(
    (await member.get('/api/review/stats')).body.streak,
    { current: 2, longest: 2 },
    'in a time zone in which it is still yesterday',
  )
  setDay('2026-11-23')
  t.strictSame((await member.get('/api/review/stats')).body.streak, { current: 0, longest: 2 })
  t.equal((await member.get('/api/review/stats?days=1000')).body.days.length, 365)
})

t.test('reads the log in pages', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(5)
  const reviews: number[] = []
  for (const id of ids) reviews.unshift((await rate(member, id, 'hard')).body.review_id)
  const found: number[] = []
  let before: number | string = ''
  do {
    const page: { entries: { id: number }[]; next_before: number | null } = (
      await member.get(`/api/review/history?limit=2&before=${before}`)
    ).body
    found.push(...page.entries.map(({ id }) => id))
    before = page.next_before ?? ''
  } while (before !== '')
  t.strictSame(found, reviews)
  const ofCard = async (query: string) =>
    (await member.get(`/api/review/history?${query}`)).body.entries?.map(({ id }: { id: number }) => id)
  await rate(member, ids[4], 'easy')
  t.equal((await ofCard(`card=${ids[4]}`)).length, 2)
  t.strictSame(await ofCard(`card=${ids[0]}`), [reviews[4]])
  t.strictSame(await ofCard(`card=${ids[0]}&before=${reviews[4]}`), [])
  for (const card of [0, '99999999999', '99999999999999999999'])
    t.strictSame(await ofCard(`card=${card}`), [], `${card}`)
  t.equal((await ofCard('card=')).length, 6)
  t.strictSame(
    (await member.get('/api/review/history?card=x')).body,
    errorBody(400, 'Der Parameter „card“ ist ungültig'),
  )
  t.strictSame(
    (await member.get('/api/review/history?before=x')).body,
    errorBody(400, 'Der Parameter „before“ ist ungültig'),
  )
})

t.test('refuses malformed requests in German', async (t) => {
  const member = await service.member()
  const { ids } = await createDeckOf(1)
  const [card_id] = ids
  for (const [body, message] of [
    [{ rating: 'easy' }, 'Das Feld „card_id“ fehlt'],
    [{ card_id }, 'Das Feld „rating“ fehlt'],
    [{ card_id, rating: 'good' }, 'Das Feld „rating“ muss eines von again, hard, medium, easy sein'],
    [{ card_id: `${card_id}`, rating: 'easy' }, 'Das Feld „card_id“ muss eine ganze Zahl sein'],
    [{ card_id, rating: 'easy', client_id: '' }, /„client_id“/],
    [{ card_id, rating: 'easy', client_id: 'x'.repeat(201) }, /„client_id“/],
    [{ card_id, rating: 'easy', client_id: 'a\0' }, 'Das Feld „client_id“ enthält unzulässige Zeichen'],
    [{ card_id, rating: 'easy', duration_ms: -1 }, /„duration_ms“/],
    [{ card_id, rating: 'easy', duration_ms: 1.5 }, /„duration_ms“/],
  ] as const) {
    const response = await member.post('/api/review', body)
    t.equal(response.status, 400, JSON.stringify(body))
    t.match(response.body.message, message)
  }
  t.strictSame((await rate(member, 2 ** 40, 'easy')).body, errorBody(404, 'Karte nicht gefunden'))
  t.equal((await rate(member, card_id, 'easy', { client_id: null, duration_ms: null, other: 1 })).status, 200)
  for (const url of ['queue?deck=x', 'cards?deck=%00', 'history?deck=x']) {
    t.strictSame((await member.get(`/api/review/${url}`)).body, errorBody(404, 'Deck nicht gefunden'), url)
  }
  t.strictSame(
    (await member.get('/api/review/queue?limit=abc')).body,
    errorBody(400, 'Der Parameter „limit“ muss eine Zahl sein'),
  )
  t.equal((await member.get('/api/review/queue?limit=0&new=-5&deck=')).body.cards.length, 0)
})
