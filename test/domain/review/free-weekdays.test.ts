import assert from 'node:assert/strict'
import t from 'tap'
import { fsrs, get_fuzz_range } from 'ts-fsrs'
import { blendWeights } from '../../../src/domain/review/parameters.js'
import { type CardState, DEFAULT_SETTINGS, RATINGS } from '../../../src/domain/review/review.js'
import { createScheduler } from '../../../src/domain/review/scheduler.js'
import { addDays, daysBetween, noonOf } from '../../../src/domain/time/calendar.js'
import { weightsArbitrary } from '../../support/arbitraries.js'
import fc, { runs } from '../../support/property.js'

const TODAY = '2026-11-21'
const weekdayOf = (day: string) => noonOf(day).getUTCDay() || 7

const free = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 })
const state = fc.record({
  stability: fc.double({ min: 0.2, max: 3_000, noNaN: true }),
  difficulty: fc.double({ min: 1, max: 10, noNaN: true }),
  /** Days since the last review; 0 for a further review on the same day */
  elapsed: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 500 })),
  reps: fc.integer({ min: 1, max: 60 }),
})

t.test('a date on a free day moves, except without fuzz', async (t) => {
  const dateOf = (stability: number, free_weekdays: number[]) => {
    const known: CardState = {
      stability,
      difficulty: 5,
      reps: 4,
      lapses: 0,
      last_rating: 'medium',
      last_review_id: 1,
      next_review: TODAY,
      last_review: addDays(TODAY, -1),
    }
    return createScheduler({ ...DEFAULT_SETTINGS, weights: null, free_weekdays })(1, known, TODAY).hard.next_review
  }
  const far = dateOf(30, [])
  const moved = dateOf(30, [weekdayOf(far)])
  t.not(moved, far)
  const soon = dateOf(0.1, [])
  t.equal(soon, addDays(TODAY, 2))
  t.equal(dateOf(0.1, [weekdayOf(soon)]), soon)
})

t.test('property: free days move a date only within its fuzz range, and only to a day that is not free', async () => {
  fc.assert(
    fc.property(
      state,
      free,
      weightsArbitrary.map((fitted) => blendWeights(fitted, 2_000)),
      fc.integer({ min: 1, max: 1e6 }),
      fc.constantFrom(0.8, 0.9, 0.97),
      ({ elapsed, ...memory }, free_weekdays, weights, cardId, desired_retention) => {
        const known: CardState = {
          ...memory,
          last_rating: 'medium',
          next_review: TODAY,
          last_review: addDays(TODAY, -elapsed),
          lapses: 0,
          last_review_id: 1,
        }
        const settings = { ...DEFAULT_SETTINGS, weights, desired_retention }
        const plain = createScheduler(settings)(cardId, known, TODAY)
        const schedule = createScheduler({ ...settings, free_weekdays })
        const next = schedule(cardId, known, TODAY)
        assert.deepEqual(schedule(cardId, known, TODAY), next, 'the shown date holds')
        const library = fsrs({ w: weights, request_retention: desired_retention, enable_short_term: elapsed === 0 })
        const dates = RATINGS.map((rating) => next[rating].next_review)
        assert.deepEqual(dates, dates.toSorted(), 'a better rating never leads to an earlier date')
        for (const rating of RATINGS) {
          const [was, is] = [plain[rating].next_review, next[rating].next_review]
          assert.deepEqual({ ...next[rating], next_review: was }, plain[rating], 'only the date differs')
          const isFree = free_weekdays.includes(weekdayOf(was))
          if (was === is) continue
          assert.ok(isFree, `${was} was no free day`)
          assert.ok(!free_weekdays.includes(weekdayOf(is)), `${is} is a free day`)
          const interval = Math.round((plain[rating].stability ?? 0) * library.interval_modifier)
          const { min_ivl, max_ivl } = get_fuzz_range(interval, elapsed, settings.maximum_interval)
          const days = daysBetween(TODAY, is)
          assert.ok(days >= min_ivl && days <= max_ivl, `${days} is not in ${min_ivl} to ${max_ivl}`)
        }
      },
    ),
    { numRuns: runs(300) },
  )
})
