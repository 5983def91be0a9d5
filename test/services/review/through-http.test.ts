import assert from 'node:assert/strict'
import t from 'tap'
import {
  type Card,
  createEmptyCard,
  fsrs,
  GenSeedStrategyWithCardId,
  Rating as LibraryRating,
  StrategyMode,
} from 'ts-fsrs'
import { blendWeights } from '../../../src/domain/review/parameters.js'
import { RATINGS } from '../../../src/domain/review/review.js'
import { addDays } from '../../../src/domain/time/calendar.js'
import { weightsArbitrary } from '../../support/arbitraries.js'
import { countStatements, createMigratedDatabase } from '../../support/database.js'
import { createCard, createCards, createDeck } from '../../support/factories.js'
import fc, { runs } from '../../support/property.js'
import { startService } from '../../support/service.js'

const clock = { now: new Date('2026-01-01T12:00:00Z') }
const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { now: () => clock.now, database: counter.database })
const deck = await createDeck(service.db)
const member = await service.member()

const GRADES = {
  again: LibraryRating.Again,
  hard: LibraryRating.Hard,
  medium: LibraryRating.Good,
  easy: LibraryRating.Easy,
} as const

const HISTORIES = runs(2)
const REVIEWS = 50

/** With `fitted`, each history uses separate weights, like those that a fit stores. */
for (const kind of ['default', 'fitted'] as const) {
  t.test(
    `${HISTORIES} histories of ${REVIEWS} reviews through the API equal those of ts-fsrs with ${kind} weights`,
    () => compareHistories(kind),
  )
}

async function compareHistories(kind: 'default' | 'fitted'): Promise<void> {
  const settings = fc.record({
    desired_retention: fc.integer({ min: 80, max: 97 }).map((percent) => percent / 100),
    maximum_interval: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(36_500)),
  })
  const weights =
    kind === 'default' ? fc.constant(undefined) : weightsArbitrary.map((fitted) => blendWeights(fitted, 3_000))
  const history = fc.array(
    fc.record({ rating: fc.constantFrom(...RATINGS), gap: fc.option(fc.integer({ min: 1, max: 200 })) }),
    { minLength: REVIEWS, maxLength: REVIEWS },
  )
  await fc.assert(
    fc.asyncProperty(settings, history, weights, async (settings, history, w) => {
      const { desired_retention: request_retention, maximum_interval } = settings
      const library = fsrs({
        enable_short_term: false,
        enable_fuzz: true,
        request_retention,
        maximum_interval,
        ...(w && { w }),
      }).useStrategy(StrategyMode.SEED, GenSeedStrategyWithCardId('fuzz_seed'))
      await member.send({ method: 'PUT', url: '/api/review/settings', payload: settings })
      const current = w && JSON.stringify({ model: 'fsrs-6', w, items: 3_000 })
      if (current) await storeWeights(current)
      const { id: card_id } = await createCard(service.db, { deck_id: deck.id })
      let now = new Date('2026-01-01T12:00:00Z')
      let card: Card & { fuzz_seed: string } = { ...createEmptyCard(now), fuzz_seed: `${card_id}/` }
      for (const { rating, gap } of history) {
        now = new Date(now.getTime() + Math.min(gap ?? Math.max(card.scheduled_days, 1), maximum_interval) * 86_400_000)
        const today = now.toISOString().slice(0, 10)
        card = { ...library.next(card, now, GRADES[rating]).card, fuzz_seed: card.fuzz_seed }
        clock.now = now
        const { body } = await member.post('/api/review', { card_id, rating })
        assert.deepEqual(body.progress, {
          last_rating: rating,
          next_review: rating === 'again' ? today : addDays(today, Math.min(card.scheduled_days, maximum_interval)),
          stability: card.stability,
          difficulty: card.difficulty,
          last_review: today,
          reps: card.reps,
          lapses: card.lapses,
        })
      }
    }),
    { numRuns: HISTORIES, endOnFailure: true },
  )
}

async function storeWeights(current: string): Promise<void> {
  await service.db
    .insertInto('fitted_parameters')
    .values({ user_id: member.id, current, tried_at: new Date(0), tried_items: 3_000 })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ current }))
    .execute()
}

t.test('the queue shows exactly the date that a rating leads to, even for a second review on a day', async (t) => {
  const learner = await service.member()
  await createCards(service.db, deck.id, 8)
  clock.now = new Date('2026-11-21T12:00:00Z')
  for (let round = 0; round < 3; round++) {
    for (const rating of RATINGS) {
      const [card] = (await learner.get('/api/review/queue?limit=1')).body.cards
      const { body } = await learner.post('/api/review', { card_id: card.card_id, rating })
      t.equal(body.progress.next_review, card.next_review[rating], rating)
    }
    clock.now = new Date(clock.now.getTime() + 5 * 86_400_000)
  }
})

t.test('a review and an undo need three statements each besides authentication', async (t) => {
  const { id: card_id } = await createCard(service.db, { deck_id: deck.id })
  const authentication = 1
  const statementsOf = async (work: () => Promise<unknown>) => (await counter.countOf(work)) - authentication
  let review_id = 0
  const review = async () => {
    review_id = (await member.post('/api/review', { card_id, rating: 'again', client_id: 'x' })).body.review_id
  }
  t.equal(await statementsOf(review), 3)
  t.equal(await statementsOf(review), 2, 'a repeated one writes nothing')
  t.equal(await statementsOf(() => member.delete(`/api/review/${review_id}`)), 3)
  for (const path of ['queue', 'stats', 'cards', 'history', 'settings']) {
    t.equal(await statementsOf(() => member.get(`/api/review/${path}`)), 1, path)
  }
})
