import assert from 'node:assert/strict'
import t from 'tap'
import { checkParameters, clipParameters, fsrs } from 'ts-fsrs'
import { costsOf } from '../../../src/domain/review/costs.js'
import { MemoryModel } from '../../../src/domain/review/memory.js'
import { blendWeights, DEFAULT_WEIGHTS, itemsForNextFit } from '../../../src/domain/review/parameters.js'
import { type CardState, DEFAULT_SETTINGS, RATINGS } from '../../../src/domain/review/review.js'
import { createScheduler, type NextState } from '../../../src/domain/review/scheduler.js'
import { addDays, daysBetween } from '../../../src/domain/time/calendar.js'
import { weightsArbitrary } from '../../support/arbitraries.js'
import fc, { runs } from '../../support/property.js'

t.test('blends fitted weights with the defaults by the number of recalls', async (t) => {
  const fitted = DEFAULT_WEIGHTS.map((weight) => weight * 2)
  fitted[0] = 0.001
  t.strictSame(blendWeights(fitted, 0), DEFAULT_WEIGHTS)
  const half = blendWeights(fitted, 1_000)
  t.equal(half[0], Math.round(Math.sqrt(0.1 * (DEFAULT_WEIGHTS[0] as number)) * 1e8) / 1e8, 'at least 0.1, geometric')
  t.equal(half[3], Math.round(Math.SQRT2 * (DEFAULT_WEIGHTS[3] as number) * 1e8) / 1e8)
  t.equal(half[5], Math.round(1.5 * (DEFAULT_WEIGHTS[5] as number) * 1e8) / 1e8, 'linear')
  t.ok((blendWeights(fitted, 1e9)[0] as number) >= 0.1)
  t.throws(() => blendWeights(fitted.slice(1), 10), RangeError)
  t.throws(() => blendWeights([...fitted.slice(1), Number.NaN], 10), RangeError)
})

t.test('property: ts-fsrs schedules with exactly the blended weights', async () => {
  fc.assert(
    fc.property(weightsArbitrary, fc.nat(1e5), (fitted, items) => {
      const w = blendWeights(fitted, items)
      checkParameters(w)
      for (const enable_short_term of [false, true]) {
        assert.deepEqual(fsrs({ w, enable_short_term }).parameters.w, w)
        assert.deepEqual(clipParameters(w, 0, enable_short_term), w)
      }
    }),
  )
})

t.test('the next fit needs 400 recalls, then half as many again', async (t) => {
  t.strictSame([null, 0, 100, 400, 1_001].map(itemsForNextFit), [400, 400, 400, 600, 1_502])
})

t.test('property: a replay leads to the states of the scheduler, under any weights', async () => {
  const review = fc.record({ rating: fc.constantFrom(...RATINGS), gap: fc.oneof(fc.constant(0), fc.nat(300)) })
  fc.assert(
    fc.property(weightsArbitrary, fc.array(review, { minLength: 1, maxLength: 30 }), (fitted, reviews) => {
      const weights = blendWeights(fitted, 5_000)
      const schedule = createScheduler({ ...DEFAULT_SETTINGS, weights })
      let state: CardState | null = null
      let today = '2026-01-01'
      const history = reviews.map(({ rating, gap }, index) => {
        today = addDays(today, gap)
        const next: NextState = schedule(1, state, today)[rating]
        state = { ...next, last_review_id: index }
        return { id: index, rating, day: daysBetween('1970-01-01', today) }
      })
      const { stability, difficulty } = state as unknown as CardState
      assert.deepEqual(new MemoryModel(weights).replay(history), { stability, difficulty })
    }),
    { numRuns: runs(300) },
  )
})

t.test('a higher retention costs more reviews, and the same weights cost the same', async (t) => {
  const costs = costsOf(null)
  const reviews = costs.map(({ reviews_per_card }) => reviews_per_card)
  t.strictSame(
    reviews,
    [...reviews].sort((a, b) => a - b),
  )
  t.ok(Number(reviews.at(-1)) > 2 * Number(reviews[0]), reviews.join(' '))
  t.strictSame(costsOf([...DEFAULT_WEIGHTS]), costs)
})
