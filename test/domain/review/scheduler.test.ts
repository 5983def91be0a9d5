import assert from 'node:assert/strict'
import t from 'tap'
import {
  type Card,
  createEmptyCard,
  default_w,
  forgetting_curve,
  fsrs,
  GenSeedStrategyWithCardId,
  type Grade,
  Rating as LibraryRating,
  StrategyMode,
} from 'ts-fsrs'
import { type CardState, DEFAULT_SETTINGS, RATINGS, type Rating } from '../../../src/domain/review/review.js'
import { createScheduler, type NextState } from '../../../src/domain/review/scheduler.js'
import { addDays, daysBetween } from '../../../src/domain/time/calendar.js'
import fc, { runs } from '../../support/property.js'

const GRADES: Record<Rating, Grade> = {
  again: LibraryRating.Again,
  hard: LibraryRating.Hard,
  medium: LibraryRating.Good,
  easy: LibraryRating.Easy,
}

const DEFAULTS = { ...DEFAULT_SETTINGS, weights: null }

const settings = fc.record({
  free_weekdays: fc.constant<number[]>([]),
  weights: fc.constant(null),
  desired_retention: fc.integer({ min: 80, max: 97 }).map((percent) => percent / 100),
  maximum_interval: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(36_500)),
})
const history = fc.array(
  fc.record({
    rating: fc.constantFrom(...RATINGS),
    /** Days since the previous review; null if the card is reviewed when it becomes due */
    gap: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 400 })),
  }),
  { minLength: 50, maxLength: 50 },
)

t.test('property: histories of 50 reviews on different days equal ts-fsrs', async () => {
  fc.assert(
    fc.property(settings, history, fc.integer({ min: 1, max: 1e6 }), (settings, history, cardId) => {
      const schedule = createScheduler(settings)
      const library = fsrs({
        enable_short_term: false,
        enable_fuzz: true,
        request_retention: settings.desired_retention,
        maximum_interval: settings.maximum_interval,
      }).useStrategy(StrategyMode.SEED, GenSeedStrategyWithCardId('fuzz_seed'))
      let now = new Date('2026-01-01T12:00:00Z')
      let card: Card & { fuzz_seed: string } = { ...createEmptyCard(now), fuzz_seed: `${cardId}/` }
      let state: CardState | null = null
      for (const { rating, gap } of history) {
        const wait = gap ?? Math.max(card.scheduled_days, 1)
        now = new Date(now.getTime() + Math.min(wait, settings.maximum_interval) * 86_400_000)
        const today = now.toISOString().slice(0, 10)
        card = { ...library.next(card, now, GRADES[rating]).card, fuzz_seed: card.fuzz_seed }
        const next: NextState = schedule(cardId, state, today)[rating]
        const interval = Math.min(card.scheduled_days, settings.maximum_interval)
        const expected = {
          last_rating: rating,
          next_review: rating === 'again' ? today : addDays(today, interval),
          stability: card.stability,
          difficulty: card.difficulty,
          last_review: today,
          reps: card.reps,
          lapses: card.lapses,
        }
        if (JSON.stringify(next) !== JSON.stringify(expected)) {
          throw new Error(`${JSON.stringify(next)} is not ${JSON.stringify(expected)}`)
        }
        state = { ...next, last_review_id: 1 }
      }
    }),
    { numRuns: runs(300) },
  )
})

t.test('further reviews on the same day follow the same-day formula', async () => {
  const schedule = createScheduler(DEFAULTS)
  const formula = fsrs({ enable_short_term: true })
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...RATINGS), { minLength: 2, maxLength: 20 }),
      fc.integer({ min: 1, max: 1e6 }),
      (ratings, cardId) => {
        let state: CardState | null = null
        for (const rating of ratings) {
          const next: NextState = schedule(cardId, state, '2026-11-21')[rating]
          if (state !== null) {
            const { stability, difficulty } = state as { stability: number; difficulty: number }
            const expected = formula.next_short_term_stability(stability, GRADES[rating])
            assert.equal(next.stability, expected)
            assert.equal(next.difficulty, formula.next_difficulty(difficulty, GRADES[rating]))
            const interval = formula.next_interval(expected, 0)
            // The scheduler adds fuzz to longer intervals; `medium` and `easy` keep a later date.
            const isExact = rating === 'hard' || (state as CardState).next_review === '2026-11-21'
            if (rating !== 'again' && isExact && interval < 2.5) {
              assert.equal(next.next_review, addDays('2026-11-21', interval))
            }
          }
          state = { ...next, last_review_id: 1 }
        }
      },
    ),
    { numRuns: runs(50) },
  )
})

t.test('a further good rating on the same day never brings the date forward', async (t) => {
  const schedule = createScheduler(DEFAULTS)
  const first = { ...schedule(1, null, '2026-11-21').medium, last_review_id: 1 }
  t.equal(first.next_review, '2026-11-24')
  const { hard, medium, easy } = schedule(1, first, '2026-11-21')
  t.equal(hard.next_review, '2026-11-23', 'a worse rating does')
  t.equal(medium.next_review, '2026-11-24')
  t.ok(easy.next_review >= medium.next_review)
  const shorter = createScheduler({ ...DEFAULTS, maximum_interval: 2 })
  t.equal(shorter(1, first, '2026-11-21').medium.next_review, '2026-11-23', 'a shorter maximum interval applies')
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...RATINGS), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 1e6 }),
      (ratings, cardId) => {
        let state: CardState | null = null
        for (const rating of ratings) {
          const shown = schedule(cardId, state, '2026-11-21')
          const dates = RATINGS.map((one) => shown[one].next_review)
          assert.deepEqual(dates, dates.toSorted())
          const due = (state as CardState | null)?.next_review
          if (due != null) assert.ok(shown.medium.next_review >= due)
          state = { ...shown[rating], last_review_id: 1 }
        }
      },
    ),
    { numRuns: runs(100) },
  )
})

t.test('a forgotten and relearned card returns by its memory state, with one more lapse', async (t) => {
  const schedule = createScheduler(DEFAULTS)
  const known = {
    ...schedule(7, null, '2026-11-01').medium,
    last_review_id: 1,
  }
  const forgotten = { ...schedule(7, known, '2026-11-21').again, last_review_id: 2 }
  const again = { ...schedule(7, forgotten, '2026-11-21').again, last_review_id: 3 }
  t.equal(forgotten.lapses, 1)
  t.equal(again.lapses, 1, 'a card has at most one lapse a day')
  const { hard, medium } = schedule(7, again, '2026-11-21')
  t.ok(Number(medium.stability) < 1.5)
  for (const next of [hard, medium])
    t.equal(next.next_review, '2026-11-22', 'an interval of two days would be too long')
})

t.test('on the scheduled day the recall probability equals the desired retention', async (t) => {
  for (const desired_retention of [0.8, 0.85, 0.9, 0.97]) {
    const schedule = createScheduler({ ...DEFAULTS, desired_retention })
    const chances: number[] = []
    for (let cardId = 1; cardId <= 1_000; cardId++) {
      const state: CardState = {
        last_rating: 'medium',
        next_review: '2026-11-21',
        stability: 20 + cardId / 4,
        difficulty: 1 + (cardId % 9),
        last_review: addDays('2026-11-21', -20 - (cardId % 100)),
        reps: cardId % 10,
        lapses: 0,
        last_review_id: 1,
      }
      const { stability, next_review } = schedule(cardId, state, '2026-11-21').medium
      chances.push(forgetting_curve(default_w, daysBetween('2026-11-21', next_review), Number(stability)))
    }
    const average = chances.reduce((sum, chance) => sum + chance, 0) / chances.length
    t.ok(Math.abs(average - desired_retention) < 0.002, `${average} for ${desired_retention}`)
  }
})

t.test('better ratings lead to later days, up to the maximum interval', async (t) => {
  const schedule = createScheduler(DEFAULTS)
  const first = schedule(7, null, '2026-11-21')
  t.equal(first.again.next_review, '2026-11-21')
  const days = RATINGS.map((rating) => first[rating].next_review)
  t.strictSame(days, [...days].sort())
  t.equal(new Set(days).size, 4)
  const short = createScheduler({ ...DEFAULTS, maximum_interval: 1 })(7, null, '2026-11-21')
  for (const rating of ['hard', 'medium', 'easy'] as const) t.equal(short[rating].next_review, '2026-11-22')
})

t.test('fuzz spreads cards that were learned together', async (t) => {
  const schedule = createScheduler(DEFAULTS)
  const state: CardState = {
    last_rating: 'medium',
    next_review: '2026-11-21',
    stability: 30,
    difficulty: 5,
    last_review: '2026-10-22',
    reps: 4,
    lapses: 0,
    last_review_id: 1,
  }
  const intervals = new Map<number, number>()
  for (let cardId = 1; cardId <= 2_200; cardId++) {
    const days = daysBetween('2026-11-21', schedule(cardId, state, '2026-11-21').hard.next_review)
    intervals.set(days, (intervals.get(days) ?? 0) + 1)
  }
  t.equal(intervals.size, 11)
  const chiSquare = [...intervals.values()].reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0)
  // The limit is the 99.9999 % quantile of the chi-square distribution with 10 degrees of freedom.
  t.ok(chiSquare < 46.9, `${[...intervals.values()]}`)
})

t.test('handles states written by scripts and a clock that was set back', async (t) => {
  const schedule = createScheduler(DEFAULTS)
  const script: CardState = {
    last_rating: 'easy',
    next_review: '2027-01-01',
    stability: null,
    difficulty: null,
    last_review: null,
    reps: 0,
    lapses: 0,
    last_review_id: null,
  }
  t.strictSame(schedule(7, script, '2026-11-21'), schedule(7, null, '2026-11-21'))
  const future = { ...schedule(7, null, '2026-11-25').medium, last_review_id: 1 }
  const sameDay = schedule(7, { ...future, last_review: '2026-11-21' }, '2026-11-21')
  t.strictSame(schedule(7, future, '2026-11-21'), sameDay, 'as if it had been today')
})
