import assert from 'node:assert/strict'
import t from 'tap'
import {
  type Card,
  createEmptyCard,
  fsrs,
  GenSeedStrategyWithCardId,
  Rating as LibraryRating,
  State,
  StrategyMode,
} from 'ts-fsrs'
import { RATINGS, type Rating } from '../../../src/domain/review/review.js'
import { addDays, calendarIn, noonOf } from '../../../src/domain/time/calendar.js'
import { createCard, createDeck } from '../../support/factories.js'
import type { Json } from '../../support/openapi.js'
import fc, { runs } from '../../support/property.js'
import { type Caller, errorBody, startService } from '../../support/service.js'

const clock = { now: new Date('2026-11-21T08:00:00Z') }
const service = await startService(t, { now: () => clock.now })
const { db } = service
const dayOf = calendarIn('Europe/Berlin')
const deck = await createDeck(db)
const cards: number[] = []
for (let index = 0; index < 4; index++) {
  cards.push((await createCard(db, { deck_id: deck.id, sort_order: index })).id)
}
const [a, b] = cards as [number, number]

t.beforeEach(() => setNow('2026-11-21T08:00:00Z'))

function setNow(text: string): void {
  clock.now = new Date(text)
}

const rate = (caller: Caller, card_id: number, rating: string, reviewed_at?: string, more = {}) =>
  caller.post('/api/review', { card_id, rating, ...(reviewed_at !== undefined && { reviewed_at }), ...more })
const countsOf = async (caller: Caller) => (await caller.get('/api/review/queue?limit=1')).body.counts
const historyOf = async (caller: Caller) => (await caller.get('/api/review/history?limit=200')).body.entries
const progressOf = async (caller: Caller, card_id: number) =>
  (await caller.get('/api/review/cards?limit=200')).body.cards.find((card: Json) => card.card_id === card_id).progress

t.test('a card seen yesterday offline counts for yesterday', async (t) => {
  const member = await service.member()
  await member.send({ method: 'PUT', url: '/api/review/settings', payload: { new_per_day: 2 } })
  const { body } = await rate(member, a, 'medium', '2026-11-20T07:00:00Z', { duration_ms: 3_000 })
  t.match(body, { applied: true, progress: { last_review: '2026-11-20', next_review: '2026-11-23', reps: 1 } })
  t.strictSame(body.counts, { due: 0, new: 2 }, 'the queue still has two new cards of today')
  t.strictSame(await countsOf(member), body.counts)
  const again = await rate(member, b, 'again', '2026-11-20T07:01:00Z')
  t.match(again.body.progress, { next_review: '2026-11-20', last_review: '2026-11-20' })
  t.strictSame(again.body.counts, { due: 1, new: 2 }, 'the card forgotten yesterday is overdue')
  t.strictSame(await countsOf(member), again.body.counts)
  const { days, streak } = (await member.get('/api/review/stats?days=2')).body
  t.strictSame(days, [
    { day: '2026-11-20', reviews: 2, correct: 1, introduced: 2, duration_ms: 3_000 },
    { day: '2026-11-21', reviews: 0, correct: 0, introduced: 0, duration_ms: 0 },
  ])
  t.strictSame(streak, { current: 1, longest: 1 })
  const [, first] = await historyOf(member)
  t.match(first, { created_at: '2026-11-20T07:00:00.000Z', studied_on: '2026-11-20', applied: true })
  t.strictSame(
    (await member.delete(`/api/review/${body.review_id}`)).body,
    errorBody(409, 'Nur Bewertungen von heute können zurückgenommen werden'),
  )
})

t.test('a rating older than the latest one changes no state but counts in the statistics', async (t) => {
  const member = await service.member()
  setNow('2026-11-20T10:00:00Z')
  const seen = (await rate(member, a, 'easy')).body
  setNow('2026-11-21T08:00:00Z')
  const today = (await rate(member, a, 'hard')).body
  for (const [reviewed_at, day] of [
    ['2026-11-21T07:59:59.999Z', '2026-11-21'],
    ['2026-11-20T11:00:00Z', '2026-11-20'],
    ['2026-11-19T11:00:00Z', '2026-11-19'],
  ] as const) {
    const { status, body } = await rate(member, a, 'again', reviewed_at, { duration_ms: 100 })
    t.equal(status, 200)
    t.strictSame(body, { ...today, review_id: body.review_id, applied: false }, 'the current state')
    const [entry] = await historyOf(member)
    t.match(entry, { id: body.review_id, rating: 'again', studied_on: day, applied: false, is_undone: false })
    t.strictSame([entry.before, entry.after], [today.progress, today.progress])
    t.equal((await member.delete(`/api/review/${body.review_id}`)).status, 409)
  }
  t.strictSame(await progressOf(member, a), today.progress)
  const { days, streak, retention } = (await member.get('/api/review/stats?days=3')).body
  t.strictSame(
    days.map(({ reviews, introduced, duration_ms }: Json) => [reviews, introduced, duration_ms]),
    [
      [1, 0, 100],
      [2, 1, 100],
      [2, 0, 100],
    ],
  )
  t.strictSame(streak, { current: 3, longest: 3 }, 'the days were studied')
  t.equal(retention.total.reviews, 1, 'a review without a forecast does not count for retention')
  const undo = await member.delete(`/api/review/${today.review_id}`)
  t.strictSame([undo.status, undo.body.progress], [200, seen.progress], 'late reviews are skipped')
  t.match((await rate(member, a, 'again', '2026-11-20T09:00:00Z')).body, { applied: false })
  t.match(
    (await rate(member, a, 'again', '2026-11-21T07:00:00Z')).body,
    { applied: true },
    'an undone review is no longer the latest',
  )
})

t.test('a reset discards earlier ratings even if they arrive later', async (t) => {
  const member = await service.member()
  await rate(member, a, 'easy', '2026-11-21T06:00:00Z')
  await member.post(`/api/review/cards/${a}/reset`)
  setNow('2026-11-21T09:00:00Z')
  const late = (await rate(member, a, 'medium', '2026-11-21T07:00:00Z', { client_id: 'alt' })).body
  t.match(late, { applied: false, progress: null, counts: { due: 0, new: 4 - 1 + 1 } })
  t.strictSame(await countsOf(member), late.counts)
  const fresh = (await rate(member, a, 'medium', '2026-11-21T08:30:00Z')).body
  t.match(fresh, { applied: true, progress: { reps: 1 } })
  t.equal((await rate(member, a, 'again', '2026-11-21T07:30:00Z')).body.applied, false)
  t.equal((await member.delete(`/api/review/${fresh.review_id}`)).body.progress, null)
  t.equal((await rate(member, a, 'again', '2026-11-21T07:30:00Z')).body.applied, false, 'the reset is still later')
  const repeated = await rate(member, a, 'medium', '2026-11-21T08:59:00Z', { client_id: 'alt' })
  t.strictSame(repeated.body, late, 'the same client id with another instant')
})

t.test("undo removes today's latest rating, whatever arrives later", async (t) => {
  const member = await service.member()
  setNow('2026-11-21T08:00:00Z')
  const first = (await rate(member, a, 'medium')).body
  setNow('2026-11-21T09:00:00Z')
  const yesterday = (await rate(member, b, 'medium', '2026-11-20T12:00:00Z')).body
  const earlier = (await rate(member, cards[2] as number, 'hard', '2026-11-21T07:00:00Z')).body
  t.strictSame(
    (await member.delete(`/api/review/${earlier.review_id}`)).body,
    errorBody(409, 'Nur die letzte Bewertung kann zurückgenommen werden'),
  )
  t.match(await member.delete(`/api/review/${first.review_id}`), {
    status: 200,
    body: { progress: null, next_undo: earlier.review_id },
  })
  t.match(await member.delete(`/api/review/${earlier.review_id}`), { status: 200, body: { next_undo: null } })
  t.equal((await member.delete(`/api/review/${yesterday.review_id}`)).status, 409)
})

t.test('the undo of a rating that replaced a later „Morgen“ offers the „Morgen“ next', async (t) => {
  const member = await service.member()
  const putOff = async (card_id: number) => (await member.post(`/api/review/cards/${card_id}/tomorrow`, {})).body
  setNow('2026-11-20T08:00:00Z')
  await rate(member, a, 'again')
  setNow('2026-11-21T10:00:00Z')
  const other = (await rate(member, cards[2] as number, 'easy', '2026-11-21T08:00:00Z')).body
  for (const [card_id, postponed] of [
    [a, { progress: { next_review: '2026-11-22' } }],
    [b, { progress: null }],
  ] as const) {
    setNow('2026-11-21T10:00:00Z')
    const delay = await putOff(card_id)
    t.match(delay, postponed)
    setNow('2026-11-21T11:00:00Z')
    const replaced = (await rate(member, card_id, 'medium', '2026-11-21T09:00:00Z')).body
    t.equal(replaced.applied, true)
    t.equal((await member.delete(`/api/review/${delay.review_id}`)).status, 409)
    const undo = (await member.delete(`/api/review/${replaced.review_id}`)).body
    t.match(undo, { ...postponed, next_undo: delay.review_id })
    t.match(await member.delete(`/api/review/${delay.review_id}`), {
      status: 200,
      body: { next_undo: other.review_id },
    })
  }
})

t.test('a clock that was set back blocks neither reviews nor undo', async (t) => {
  const member = await service.member()
  setNow('2026-11-21T10:30:00Z')
  await rate(member, a, 'again')
  setNow('2026-11-21T09:30:00Z')
  const other = (await rate(member, b, 'easy')).body
  setNow('2026-11-21T09:40:00Z')
  const back = (await rate(member, a, 'medium', '2026-11-21T09:39:00Z')).body
  t.match(back, { applied: true, progress: { reps: 2 } })
  t.equal((await rate(member, a, 'again', '2026-11-20T09:39:00Z')).body.applied, false)
  const undo = await member.delete(`/api/review/${back.review_id}`)
  t.match(undo, { status: 200, body: { progress: { reps: 1 }, next_undo: other.review_id } })
  t.equal((await member.delete(`/api/review/${other.review_id}`)).status, 200)
})

t.test('refuses only invalid timestamps', async (t) => {
  const member = await service.member()
  for (const reviewed_at of [null, '1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2026-11-21T08:00:00+14:00']) {
    const { status, body } = await member.post('/api/review', { card_id: a, rating: 'hard', reviewed_at })
    t.match({ status, body }, { status: 200, body: {} }, `${reviewed_at}`)
  }
  const days = (await historyOf(member)).map(({ created_at }: Json) => created_at)
  t.strictSame(days, [
    '2026-11-20T18:00:00.000Z',
    '2026-11-21T08:00:00.000Z',
    '2026-11-07T08:00:00.000Z',
    '2026-11-21T08:00:00.000Z',
  ])
  const problem = 'Das Feld „reviewed_at“ muss ein Zeitpunkt sein, etwa 2026-11-21T08:00:00Z'
  for (const reviewed_at of ['', 'gestern', '2026-11-21', '2026-02-30T08:00:00Z', '2026-11-21T08:00:00']) {
    t.strictSame((await rate(member, a, 'hard', reviewed_at)).body, errorBody(400, problem), reviewed_at)
  }
  const number = await member.post('/api/review', { card_id: a, rating: 'hard', reviewed_at: 1_700_000_000_000 })
  t.match(number, { status: 400, body: { message: 'Das Feld „reviewed_at“ muss ein Text sein' } })
})

const GRADES = {
  again: LibraryRating.Again,
  hard: LibraryRating.Hard,
  medium: LibraryRating.Good,
  easy: LibraryRating.Easy,
} as const

const RUNS = runs(4)
const STEPS = 30

type Step = { card: number; rating: Rating; delay: number } | 'undo' | { reset: number } | { hours: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      card: fc.nat(cards.length - 1),
      rating: fc.constantFrom(...RATINGS),
      /** Minutes between the rating and its arrival */
      delay: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90 }), fc.integer({ min: 90, max: 6 * 24 * 60 })),
    }),
  },
  { weight: 3, arbitrary: fc.constant('undo' as const) },
  { weight: 1, arbitrary: fc.record({ reset: fc.nat(cards.length - 1) }) },
  { weight: 4, arbitrary: fc.record({ hours: fc.integer({ min: 1, max: 40 }) }) },
)

/** Ratings that arrive in another order than they were given, and undos of applied ratings after late ones */
const LATE: Step[] = [
  { card: 0, rating: 'medium', delay: 0 },
  { hours: 30 },
  { card: 0, rating: 'again', delay: 60 },
  { card: 0, rating: 'hard', delay: 90 },
  { card: 1, rating: 'easy', delay: 4_000 },
  'undo',
  { card: 0, rating: 'easy', delay: 30 },
  { reset: 1 },
  { card: 1, rating: 'medium', delay: 4_000 },
  'undo',
  'undo',
]

t.test(`${RUNS} logs of ratings in any order of arrival lead to the states that ts-fsrs computes`, async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
      setNow('2026-11-21T08:00:00Z')
      const learner = await service.member()
      for (const step of steps) {
        clock.now = new Date(clock.now.getTime() + 60_000)
        if (step === 'undo') await undoLatest(t, learner)
        else if ('hours' in step) clock.now = new Date(clock.now.getTime() + step.hours * 3_600_000)
        else if ('reset' in step) await learner.post(`/api/review/cards/${cards[step.reset]}/reset`)
        else {
          const reviewed_at = new Date(clock.now.getTime() - step.delay * 60_000).toISOString()
          const { body } = await rate(learner, cards[step.card] as number, step.rating, reviewed_at)
          assert.deepEqual(body.counts, await countsOf(learner))
        }
      }
      const entries: Json[] = (await historyOf(learner)).reverse()
      for (const card_id of cards) assert.deepEqual(await progressOf(learner, card_id), replay(card_id, entries))
      await compareDays(t, learner, entries)
    }),
    { numRuns: RUNS, endOnFailure: true, examples: [[LATE]] },
  )
})

/** Tries to undo the latest valid review and checks the message of a refusal. */
async function undoLatest(t: Tap, learner: Caller): Promise<void> {
  const standing = (await historyOf(learner))
    .filter(({ kind, is_undone, applied }: Json) => kind === 'review' && !is_undone && applied)
    .sort((one: Json, two: Json) => two.created_at.localeCompare(one.created_at) || two.id - one.id)
  const [last] = standing
  if (last === undefined) return
  const { status, body } = await learner.delete(`/api/review/${last.id}`)
  if (last.studied_on !== dayOf(clock.now))
    t.equal(body.message, 'Nur Bewertungen von heute können zurückgenommen werden')
  else if (status !== 200) t.equal(body.message, 'Der Fortschritt dieser Karte wurde seitdem zurückgesetzt')
}

/** Replays the valid reviews of a card since its last reset in the order of their times, with ts-fsrs. */
function replay(cardId: number, entries: Json[]) {
  const ofCard = entries.filter(({ card_id }) => card_id === cardId)
  const lastReset = ofCard.findLastIndex(({ kind }) => kind === 'reset')
  const given = ofCard
    .filter(({ kind, applied, is_undone }, index) => kind === 'review' && applied && !is_undone && index > lastReset)
    .sort((one, two) => one.created_at.localeCompare(two.created_at))
  const options = { enable_fuzz: true, request_retention: 0.9, maximum_interval: 36_500 }
  const withSeed = (short: object) =>
    fsrs({ ...options, ...short }).useStrategy(StrategyMode.SEED, GenSeedStrategyWithCardId('fuzz_seed'))
  const firstOfDay = withSeed({ enable_short_term: false })
  const furtherOfDay = withSeed({ enable_short_term: true, learning_steps: [], relearning_steps: [] })
  let card: Card & { fuzz_seed: string } = { ...createEmptyCard(), fuzz_seed: `${cardId}/` }
  let state: object | null = null
  let next_review = ''
  for (const { rating, studied_on } of given as { rating: Rating; studied_on: string }[]) {
    const now = noonOf(studied_on)
    const isFurther = card.last_review?.getTime() === now.getTime()
    const library = isFurther ? furtherOfDay : firstOfDay
    const before =
      card.last_review === undefined ? card : { ...card, state: isFurther ? State.Relearning : State.Review }
    card = { ...library.next(before, now, GRADES[rating]).card, fuzz_seed: card.fuzz_seed }
    const { stability, difficulty, reps, lapses } = card
    const own = addDays(studied_on, rating === 'again' ? 0 : card.scheduled_days)
    // A further good rating on the same day never brings the date forward.
    const isKept = isFurther && (rating === 'medium' || rating === 'easy') && own < next_review
    if (!isKept) next_review = own
    state = { last_rating: rating, next_review, stability, difficulty, last_review: studied_on, reps, lapses }
  }
  return state
}

/**
 * Checks that the daily statistics equal the log. Late reviews, which changed no state, count as reviews but never as
 * introductions of new cards.
 */
async function compareDays(t: Tap, learner: Caller, entries: Json[]) {
  const { days } = (await learner.get('/api/review/stats?days=365')).body
  const standing = entries.filter(({ kind, is_undone }) => kind === 'review' && !is_undone)
  const shown = days.filter(({ reviews }: Json) => reviews > 0)
  const names = [...new Set(standing.map(({ studied_on }) => studied_on))].sort()
  t.strictSame(
    shown.map(({ day, reviews, introduced }: Json) => ({ day, reviews, introduced })),
    names.map((day) => {
      const own = standing.filter(({ studied_on }) => studied_on === day)
      const introduced = own.filter(({ applied, before }) => applied && before === null).length
      return { day, reviews: own.length, introduced }
    }),
  )
}

type Tap = Pick<typeof t, 'equal' | 'strictSame'>
