import t from 'tap'
import { lockLearner } from '../../db/queries/review/progress.js'
import { addExtraNew } from '../../db/queries/review/settings.js'
import { waitUntilBlocked } from '../support/database.js'
import { createCards, createDeck } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'

let now = new Date('2026-11-21T08:00:00Z')
const service = await startService(t, { now: () => now })
const { db } = service
const deck = await createDeck(db)
await createCards(db, deck.id, 20)

const queueOf = async (caller: Caller) => (await caller.get('/api/review/queue?limit=300')).body
const set = (caller: Caller, payload: object) => caller.send({ method: 'PUT', url: '/api/review/settings', payload })

async function rateAll(caller: Caller): Promise<number> {
  const { cards } = await queueOf(caller)
  for (const { card_id } of cards) await caller.post('/api/review', { card_id, rating: 'easy' })
  return cards.length
}

t.test('adds new cards beyond the daily limit, for today only', async (t) => {
  const member = await service.member()
  await set(member, { new_per_day: 3 })
  t.equal(await rateAll(member), 3)
  t.strictSame((await queueOf(member)).counts, { due: 0, new: 0 })

  const more = await member.post('/api/review/extra', { cards: 4 })
  t.strictSame([more.status, more.body], [200, { counts: { due: 0, new: 4 }, today: '2026-11-21' }])
  const queue = await queueOf(member)
  t.equal(queue.cards.length, 4)
  t.equal((await member.get('/api/review/decks')).body.decks[0].new, 4)
  const { body } = await member.post('/api/review', { card_id: queue.cards[0].card_id, rating: 'medium' })
  t.strictSame(body.counts, { due: 0, new: 3 })
  t.strictSame((await member.delete(`/api/review/${body.review_id}`)).body.counts, { due: 0, new: 4 })
  t.equal(await rateAll(member), 4)
  t.equal((await member.post('/api/review/extra', { cards: 2 })).body.counts.new, 2, 'extra cards can be added again')
  t.strictSame((await member.get('/api/review/settings')).body.new_per_day, 3, 'the daily limit stays the same')

  await set(member, { new_per_day: 1 })
  t.strictSame((await queueOf(member)).counts.new, 0, 'a lower daily limit applies at once')
  t.equal(
    (await member.post('/api/review/extra', { cards: 2 })).body.counts.new,
    2,
    'the extra cards count from the cards of today',
  )

  now = new Date('2026-11-22T08:00:00Z')
  t.equal((await queueOf(member)).counts.new, 1, 'the daily limit applies again the next day')
})

t.test('concurrent requests add up', async (t) => {
  const member = await service.member()
  await set(member, { new_per_day: 0 })
  const scope = { userId: member.id, languages: [], today: '2026-11-22', deckSlug: undefined }
  let request: Promise<unknown> | undefined
  await db.transaction().execute(async (transaction) => {
    await lockLearner(transaction, member.id)
    await addExtraNew(transaction, scope, 2)
    request = member.post('/api/review/extra', { cards: 3 })
    await waitUntilBlocked(service.database)
  })
  t.match(await request, { status: 200, body: { counts: { new: 5 } } })
})

t.test("works without stored settings, per learner, and is part of the user's data", async (t) => {
  const [member, other] = [await service.member(), await service.member()]
  t.equal((await member.post('/api/review/extra', { cards: 1 })).status, 200)
  t.match((await member.get('/api/review/settings')).body, { new_per_day: 20, maximum_interval: 36_500 })
  t.match((await member.get('/api/accounts/me/data')).body.review_settings, {
    extra_new: 1,
    extra_new_on: '2026-11-22',
  })
  await set(other, { new_per_day: 0 })
  t.equal((await queueOf(other)).counts.new, 0)
})

t.test('accepts 1 to 300 cards', async (t) => {
  const member = await service.member()
  for (const cards of [0, 301, 1.5, 'viele', null]) {
    t.equal((await member.post('/api/review/extra', { cards })).status, 400, String(cards))
  }
  t.equal((await member.post('/api/review/extra')).status, 400)
  for (let times = 0; times < 40; times++) await member.post('/api/review/extra', { cards: 300 })
  t.equal((await member.post('/api/review/extra', { cards: 300 })).status, 200, 'repeated requests are accepted')
  t.strictSame(
    (await service.anonymous.post('/api/review/extra', { cards: 1 })).body,
    errorBody(401, 'Nicht angemeldet'),
  )
})
