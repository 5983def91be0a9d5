import t from 'tap'
import { createCards, createDeck, createProgress } from '../support/factories.js'
import type { Json } from '../support/openapi.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const service = await startService(t, { now: () => new Date('2026-11-21T08:00:00Z') })
const { db } = service
t.afterEach(() => db.deleteFrom('decks').execute())

async function createDeckOf(count: number, overrides = {}) {
  const deck = await createDeck(db, overrides)
  const cards = await createCards(db, deck.id, count)
  return { ...deck, ids: cards.map(({ id }) => id) }
}

const switchDeck = (caller: Caller, slug: string, active: unknown) =>
  caller.send({ method: 'PUT', url: `/api/review/decks/${slug}`, payload: { active } })
const queueOf = async (caller: Caller, query = '') => (await caller.get(`/api/review/queue${query}`)).body
const idsOf = (queue: Json) => queue.cards.map(({ card_id }: Json) => card_id)

t.test('an inactive deck is not in the queue unless named', async (t) => {
  const member = await service.member()
  const first = await createDeckOf(3, { sort_order: 1 })
  const second = await createDeckOf(4, { sort_order: 2 })
  const [a] = first.ids as [number]
  const [x, y] = second.ids as [number, number]
  const day = { last_rating: 'hard', next_review: '2026-11-20' } as const
  for (const card_id of [a, x, y]) await createProgress(db, { user_id: member.id, card_id, ...day })
  await member.post(`/api/review/cards/${y}/suspend`)
  const wishes = { lang: 'de', translation_of: null, preferred: true, desired_retention: null, default_retention: null }
  const numbers = { due: 1, new: 2, young: 1, mature: 0, suspended: 0, unseen: 2, ...wishes }
  const one = { slug: first.slug, name: first.name, active: true, cards: 3, ...numbers }
  const two = { slug: second.slug, name: second.name, active: true, cards: 4, ...numbers, suspended: 1 }
  t.strictSame((await member.get('/api/review/decks')).body, { decks: [one, two], today: '2026-11-21' })
  const all = await queueOf(member)
  t.strictSame(all.counts, { due: 2, new: 4 })

  for (let round = 0; round < 2; round++) {
    t.strictSame((await switchDeck(member, second.slug, false)).body, { ...two, active: false })
  }
  t.strictSame((await member.get('/api/review/decks')).body.decks, [one, { ...two, active: false }])
  const queue = await queueOf(member)
  t.strictSame(idsOf(queue), first.ids)
  t.strictSame(queue.counts, { due: 1, new: 2 })
  const named = await queueOf(member, `?deck=${second.slug}`)
  t.strictSame(idsOf(named), [x, ...second.ids.slice(2)])
  t.strictSame(named.counts, { due: 1, new: 2 }, 'the choice is ignored')
  const { forecast, decks } = (await member.get('/api/review/stats')).body
  t.equal(forecast[0].due, 1, 'the number of cards that the queue will return')
  t.equal(decks.length, 2)
  t.equal((await member.get('/api/review/cards')).body.cards.length, 7)
  t.equal((await member.get('/api/decks')).body.decks[1].due, 2, 'the deck list is unchanged')

  for (const card_id of [x, second.ids[2]]) {
    const { body } = await member.post('/api/review', { card_id, rating: 'again' })
    t.strictSame(body.counts, (await queueOf(member)).counts)
    const undo = await member.delete(`/api/review/${body.review_id}`)
    t.strictSame(undo.body.counts, queue.counts)
    t.equal((await member.post('/api/review', { card_id, rating: 'again' })).status, 200)
  }
  const other = await service.member()
  t.strictSame((await queueOf(other)).counts, { due: 0, new: 7 }, 'the choice affects one user only')
  t.match((await switchDeck(member, second.slug, true)).body, { ...two, due: 2, new: 1, unseen: 1, young: 2 })
  t.strictSame((await queueOf(member)).counts, { due: 3, new: 3 })
})

t.test('the daily limit of new cards is shared by all decks', async (t) => {
  const member = await service.member()
  await member.send({ method: 'PUT', url: '/api/review/settings', payload: { new_per_day: 2 } })
  const first = await createDeckOf(3, { sort_order: 1 })
  const second = await createDeckOf(3, { sort_order: 2 })
  await switchDeck(member, second.slug, false)
  const { body } = await member.post('/api/review', { card_id: second.ids[0], rating: 'easy' })
  t.strictSame(body.counts, { due: 0, new: 1 }, 'a new card of an inactive deck counts towards the daily limit as well')
  t.strictSame(idsOf(await queueOf(member)), first.ids.slice(0, 1))
  await switchDeck(member, first.slug, false)
  t.strictSame(await queueOf(member), {
    cards: [],
    counts: { due: 0, new: 0 },
    today: '2026-11-21',
    type_answers: false,
  })
})

t.test('refuses to activate an unknown deck', async (t) => {
  const member = await service.member()
  const deck = await createDeckOf(1)
  const archived = await createDeckOf(1, { archived_at: new Date() })
  const notFound = errorBody(404, 'Deck nicht gefunden')
  for (const slug of [archived.slug, 'x', '%00', '__proto__', '1'.repeat(400)]) {
    for (const active of [true, false]) t.strictSame((await switchDeck(member, slug, active)).body, notFound, slug)
  }
  for (const active of ['true', 1, null]) {
    t.strictSame(
      (await switchDeck(member, deck.slug, active)).body,
      errorBody(400, 'Das Feld „active“ muss true oder false sein'),
    )
  }
  t.equal(
    (await switchDeck(member, deck.slug, undefined)).body.message,
    'Das Feld „active“ oder „desired_retention“ fehlt',
  )
  t.strictSame((await service.anonymous.get('/api/review/decks')).body, errorBody(401, 'Nicht angemeldet'))
  t.strictSame(await db.selectFrom('inactive_decks').selectAll().execute(), [])
})

t.test('an archived deck returns with its setting; a deleted one loses it', async (t) => {
  const member = await service.member()
  const deck = await createDeckOf(1)
  await switchDeck(member, deck.slug, false)
  const archive = (archived_at: Date | null) =>
    db.updateTable('decks').set({ archived_at }).where('id', '=', deck.id).execute()
  await archive(new Date())
  t.strictSame((await member.get('/api/review/decks')).body.decks, [])
  await archive(null)
  t.match((await member.get('/api/review/decks')).body.decks, [{ active: false, due: 0, new: 1 }])
  await db.deleteFrom('decks').execute()
  t.strictSame(await db.selectFrom('inactive_decks').selectAll().execute(), [])
})

t.test('a page of the queue holds up to 300 cards', async (t) => {
  const member = await service.member()
  await member.send({ method: 'PUT', url: '/api/review/settings', payload: { new_per_day: 999 } })
  const { ids } = await createDeckOf(310)
  for (const [query, count] of [
    ['', 20],
    ['?limit=300', 300],
    ['?limit=1000', 300],
    ['?limit=300&new=250', 250],
  ] as const) {
    t.strictSame(idsOf(await queueOf(member, query)), ids.slice(0, count), query)
  }
})

t.test(
  "the learner's retention of a deck takes precedence over its author's, and this one over the general one",
  async (t) => {
    const member = await service.member()
    const deck = await createDeckOf(1)
    const other = await createDeckOf(1)
    const wish = (desired_retention: unknown) =>
      member.send({ method: 'PUT', url: `/api/review/decks/${deck.slug}`, payload: { desired_retention } })
    const easyOf = async () => {
      const queue = await queueOf(member)
      const cards: Json[] = [deck, other].map(({ ids }) => queue.cards.find(({ card_id }: Json) => card_id === ids[0]))
      for (const card of cards) {
        const shown = (await member.get(`/api/review/cards/${card.card_id}`)).body.next_review
        t.strictSame(card.next_review, shown, 'the card shows the dates of the queue')
      }
      return cards.map(({ next_review }) => next_review.easy)
    }
    const [general, neighbour] = await easyOf()
    t.strictSame((await wish(0.97)).body.desired_retention, 0.97)
    const [strict, untouched] = await easyOf()
    t.ok(strict < general, `${strict} is before ${general}`)
    t.equal(untouched, neighbour, 'another deck keeps its dates')
    await db.insertInto('deck_defaults').values({ deck_id: deck.id, desired_retention: 0.8 }).execute()
    t.equal((await easyOf())[0], strict, "the learner's setting takes precedence")
    t.match((await wish(null)).body, { desired_retention: null, default_retention: 0.8 })
    const [loose] = await easyOf()
    t.ok(loose > general)
    const { body } = await member.post('/api/review', { card_id: deck.ids[0], rating: 'easy' })
    t.equal(body.progress.next_review, loose, 'the rating leads to the shown date')
    for (const wrong of [0.79, 0.98, 'viel']) t.equal((await wish(wrong)).status, 400, `${wrong}`)
    t.equal(
      (await member.send({ method: 'PUT', url: '/api/review/decks/x', payload: { desired_retention: 0.9 } })).status,
      404,
    )
  },
)
