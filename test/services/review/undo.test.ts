import assert from 'node:assert/strict'
import t from 'tap'
import { RATINGS } from '../../../src/domain/review/review.js'
import { addDays } from '../../../src/domain/time/calendar.js'
import { createCard, createDeck, createProgress } from '../../support/factories.js'
import fc, { runs } from '../../support/property.js'
import { type Caller, startService } from '../../support/service.js'

const clock = { day: '2026-11-21' }
const service = await startService(t, { now: () => new Date(`${clock.day}T08:00:00Z`) })
const { db } = service
const decks = [await createDeck(db, { sort_order: 1 }), await createDeck(db, { sort_order: 2 })]
const cards: number[] = []
for (let index = 0; index < 6; index++) {
  cards.push((await createCard(db, { deck_id: decks[index % 2]?.id as number, sort_order: index })).id)
}

const RUNS = runs(5)
const STEPS = 20

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ card: fc.nat(5), rating: fc.constantFrom(...RATINGS) }) },
  { weight: 5, arbitrary: fc.constant('undo' as const) },
  { weight: 1, arbitrary: fc.record({ days: fc.integer({ min: 1, max: 30 }) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** New, known and repeated cards; undos of one and of several reviews, on the first and on a later day */
const UNDOS: Step[] = [
  { card: 2, rating: 'medium' },
  'undo',
  { card: 2, rating: 'again' },
  { card: 0, rating: 'hard' },
  { card: 2, rating: 'easy' },
  'undo',
  'undo',
  { days: 3 },
  'undo',
  { card: 1, rating: 'easy' },
  { card: 1, rating: 'again' },
  'undo',
  { card: 3, rating: 'medium' },
  'undo',
  'undo',
]

interface Review {
  day: string
  card: number
  rating: string
}

async function createLearner(): Promise<Caller & { id: number }> {
  const learner = await service.member()
  const user_id = learner.id
  await createProgress(db, { user_id, card_id: cards[0] as number, last_rating: 'easy', next_review: '2026-12-01' })
  await createProgress(db, { user_id, card_id: cards[1] as number, last_rating: null, next_review: '2026-11-01' })
  await learner.post(`/api/review/cards/${cards[5]}/suspend`)
  return learner
}

async function review(learner: Caller, { card, rating }: Omit<Review, 'day'>) {
  const response = await learner.post('/api/review', { card_id: cards[card], rating })
  if (response.status !== 200) throw new Error(response.text)
  return response.body
}

/**
 * Returns the queue, the card list, the statistics and the decks of a learner. Omits the review history, whose ids and
 * times differ between two learners with the same state.
 */
async function readVisibleState(learner: Caller) {
  const [queue, browsed, stats, list] = [
    (await learner.get('/api/review/queue')).body,
    (await learner.get('/api/review/cards')).body,
    (await learner.get('/api/review/stats?days=365')).body,
    (await learner.get('/api/decks')).body,
  ]
  return { queue, browsed, stats, list }
}

t.test(
  `after ${RUNS} runs of ${STEPS} reviews and undos, the state equals that of the remaining reviews alone`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
        clock.day = '2026-11-21'
        const learner = await createLearner()
        const done: (Review & { id: number })[] = []
        for (const step of steps) {
          if (step === 'undo') {
            const last = done.at(-1)
            if (last?.day !== clock.day) continue
            done.pop()
            const { status, body } = await learner.delete(`/api/review/${last.id}`)
            const next = done.at(-1)
            assert.equal(status, 200)
            assert.equal(body.next_undo, next?.day === clock.day ? next.id : null)
            assert.deepEqual((await learner.get('/api/review/queue?limit=1')).body.counts, body.counts)
          } else if ('days' in step) {
            clock.day = addDays(clock.day, step.days)
          } else {
            const body = await review(learner, step)
            done.push({ ...step, day: clock.day, id: body.review_id })
            assert.deepEqual((await learner.get('/api/review/queue?limit=1')).body.counts, body.counts)
          }
        }
        const today = clock.day
        const other = await createLearner()
        for (const entry of done) {
          clock.day = entry.day
          await review(other, entry)
        }
        clock.day = today
        assert.deepEqual(await readVisibleState(learner), await readVisibleState(other))
      }),
      { numRuns: RUNS, endOnFailure: true, examples: [[UNDOS]] },
    )
  },
)
