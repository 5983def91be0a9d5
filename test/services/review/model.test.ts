import assert from 'node:assert/strict'
import t from 'tap'
import { RATINGS } from '../../../src/domain/review/review.js'
import { addDays, calendarIn } from '../../../src/domain/time/calendar.js'
import { createCard, createDeck } from '../../support/factories.js'
import fc, { runs } from '../../support/property.js'
import { type Caller, startService } from '../../support/service.js'

/**
 * Learners, scripts and imports act in random order on a few cards, and some ratings arrive late. After each step the
 * test compares the queue, the card list, the statistics and the deck list with a naive evaluation of the tables, and
 * the undo with a list of actions.
 */
const FIRST_DAY = '2026-11-21'
const RUNS = runs(2)
const STEPS = 25
const NEW_PER_DAY = 3

/** Simulated clock; each step takes a minute */
const clock = { day: FIRST_DAY, minutes: 0 }
const MINUTE = 60_000
const now = () => new Date(new Date(`${clock.day}T08:00:00Z`).getTime() + clock.minutes * MINUTE)
const dayOf = calendarIn('Europe/Berlin')
const service = await startService(t, { now })
const { db } = service
const decks = [
  await createDeck(db, { sort_order: 1, name: 'Ä' }),
  await createDeck(db, { sort_order: 1, name: 'B' }),
  await createDeck(db, { sort_order: 0, name: 'Z' }),
]
const deckIds = decks.map(({ id }) => id)
const cardIds: number[] = []
for (let index = 0; index < 7; index++) {
  const card = await createCard(db, { deck_id: deckIds[index % 3] as number, sort_order: Math.floor(index / 6) })
  cardIds.push(card.id)
}

const card = fc.nat(cardIds.length - 1)
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('review' as const),
      card,
      rating: fc.constantFrom(...RATINGS),
      /** Minutes between the rating and its arrival */
      delay: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 500, max: 6_000 })),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('undo' as const), back: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('tomorrow' as const), card }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('reset' as const, 'forget' as const, 'archive' as const), card }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('suspend' as const, 'unsuspend' as const), card }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('switch' as const), deck: fc.nat(2), active: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), card, deck: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('archive deck' as const), deck: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('write' as const), card, days: fc.integer({ min: -3, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('night' as const), days: fc.integer({ min: 1, max: 5 }) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Done {
  kind: 'review' | 'tomorrow'
  id: number
  /** Deck of the card at the time of the review or postponement */
  deck_id: number
  card_id: number
  at: Date
  day: string
  before: object | undefined
  after: object | undefined
  /** Day on which the card, which was new, had been postponed when it was reviewed */
  putOff?: string | undefined
}

interface Learner extends Caller {
  id: number
  /** Reviews and postponements that had an effect and were not undone, in the order of their times */
  done: Done[]
  /** Days of late reviews, which changed no state */
  late: string[]
  /** Times of reviews by review id */
  given: Map<number, Date>
  /** Times of the latest resets by card */
  resets: Map<number, Date>
  introduced: Map<string, number>
  /** Day on which a new card was postponed, by card */
  putOff: Map<number, string>
}

/**
 * Steps that random runs may miss: late ratings, one of them of a card that was reset and postponed before; undos of
 * reviews and postponements, also of a postponement between a rating and its arrival; and the postponement of a suspended card
 */
const ALWAYS: Step[] = [
  { kind: 'review', card: 0, rating: 'medium', delay: 0 },
  { kind: 'review', card: 0, rating: 'easy', delay: 3_000 },
  { kind: 'undo', back: 0 },
  { kind: 'tomorrow', card: 1 },
  { kind: 'undo', back: 0 },
  { kind: 'tomorrow', card: 2 },
  { kind: 'review', card: 2, rating: 'again', delay: 0 },
  { kind: 'tomorrow', card: 2 },
  { kind: 'undo', back: 0 },
  { kind: 'undo', back: 0 },
  { kind: 'review', card: 3, rating: 'hard', delay: 0 },
  { kind: 'reset', card: 3 },
  { kind: 'tomorrow', card: 3 },
  { kind: 'review', card: 3, rating: 'easy', delay: 600 },
  { kind: 'suspend', card: 4 },
  { kind: 'tomorrow', card: 4 },
  { kind: 'tomorrow', card: 4 },
  { kind: 'unsuspend', card: 4 },
  { kind: 'tomorrow', card: 5 },
  { kind: 'review', card: 5, rating: 'medium', delay: 0 },
  { kind: 'undo', back: 0 },
  { kind: 'undo', back: 0 },
  { kind: 'review', card: 5, rating: 'again', delay: 0 },
  { kind: 'tomorrow', card: 5 },
  { kind: 'review', card: 5, rating: 'medium', delay: 1 },
  { kind: 'undo', back: 0 },
  { kind: 'undo', back: 0 },
  { kind: 'undo', back: 0 },
]

t.test(`${RUNS} runs of ${STEPS} steps agree with a naive evaluation of the tables`, async (t) => {
  const tally: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
      clock.day = FIRST_DAY
      clock.minutes = 0
      await db.updateTable('cards').set({ archived_at: null }).execute()
      await db.updateTable('decks').set({ archived_at: null }).execute()
      const lists = {
        done: [],
        late: [],
        given: new Map(),
        resets: new Map(),
        introduced: new Map(),
        putOff: new Map(),
      }
      const learner: Learner = { ...(await service.member()), ...lists }
      const payload = { new_per_day: NEW_PER_DAY }
      await learner.send({ method: 'PUT', url: '/api/review/settings', payload })
      for (const step of steps) {
        clock.minutes++
        const outcome = await act(t, learner, step)
        tally[outcome] = (tally[outcome] ?? 0) + 1
        await compare(t, learner)
      }
    }),
    { numRuns: RUNS, endOnFailure: true, examples: [[ALWAYS]] },
  )
  for (const outcome of ['review 200', 'review late', 'undo 200', 'tomorrow new', 'tomorrow due'])
    t.ok((tally[outcome] ?? 0) > 0, `${outcome}: ${tally[outcome]}`)
})

async function act(t: Tap, learner: Learner, step: Step): Promise<string> {
  const user_id = learner.id
  const card_id = 'card' in step ? (cardIds[step.card] as number) : 0
  const path = `/api/review/cards/${card_id}`
  switch (step.kind) {
    case 'review': {
      const before = await findProgress(user_id, card_id)
      const expected = (await isLive(card_id)) ? 200 : 404
      const at = new Date(now().getTime() - step.delay * MINUTE)
      const { status, body } = await learner.post('/api/review', {
        card_id,
        rating: step.rating,
        ...(step.delay > 0 && { reviewed_at: at.toISOString() }),
      })
      assert.equal(status, expected)
      if (status !== 200) return 'review 404'
      assert.deepEqual(body.counts, (await learner.get('/api/review/queue?limit=1')).body.counts)
      const after = await findProgress(user_id, card_id)
      const latest = [learner.given.get(before?.last_review_id ?? 0), learner.resets.get(card_id)]
      assert.equal(body.applied, !latest.some((known) => known !== undefined && known > at))
      if (!body.applied) {
        assert.deepEqual(after, before, 'nothing changes')
        assert.deepEqual(body.progress, before === undefined ? null : shownOf(before))
        assert.equal((await learner.delete(`/api/review/${body.review_id}`)).status, 409)
        learner.late.push(dayOf(at))
        return 'review late'
      }
      t.match(after, { ...body.progress, last_review_id: body.review_id })
      learner.given.set(body.review_id, at)
      const deck_id = await findDeckOf(card_id)
      const day = dayOf(at)
      const putOff = learner.putOff.get(card_id)
      learner.done.push({ kind: 'review', id: body.review_id, card_id, deck_id, at, day, before, after, putOff })
      learner.putOff.delete(card_id)
      learner.done.sort((one, two) => one.at.getTime() - two.at.getTime() || one.id - two.id)
      if (before === undefined) addIntroduced(learner, dayOf(at), 1)
      return 'review 200'
    }
    case 'tomorrow': {
      const before = await findProgress(user_id, card_id)
      const { status, body } = await learner.post(`${path}/tomorrow`, {})
      assert.equal(status, (await isLive(card_id)) ? 200 : 404)
      if (status !== 200) return 'tomorrow 404'
      const isWaiting = before ? (before.next_review ?? '9') <= clock.day : learner.putOff.get(card_id) !== clock.day
      assert.equal(body.applied, isWaiting)
      assert.deepEqual(body.counts, (await learner.get('/api/review/queue?limit=1')).body.counts)
      const after = await findProgress(user_id, card_id)
      const expected = isWaiting && before ? { ...before, next_review: addDays(clock.day, 1) } : before
      assert.deepEqual(after, expected, 'only the date changes')
      if (!body.applied) return 'tomorrow of no effect'
      const deck_id = await findDeckOf(card_id)
      const [at, day] = [now(), clock.day]
      learner.done.push({ kind: 'tomorrow', id: body.review_id, card_id, deck_id, at, day, before, after })
      if (before === undefined) learner.putOff.set(card_id, clock.day)
      return before === undefined ? 'tomorrow new' : 'tomorrow due'
    }
    case 'undo':
      return undo(t, learner, step.back)
    case 'reset': {
      const isKnown = (await findProgress(user_id, card_id)) !== undefined
      const { status } = await learner.post(`${path}/reset`)
      assert.equal(status, (await isLive(card_id)) ? 200 : 404)
      if (status === 200 && (await findProgress(user_id, card_id)) !== undefined) t.fail('the progress still exists')
      if (status === 200 && isKnown) learner.resets.set(card_id, now())
      return `reset ${status}`
    }
    case 'suspend': {
      const { status } = await learner.post(`${path}/suspend`)
      assert.equal(status, (await isLive(card_id)) ? 200 : 404)
      return `suspend ${status}`
    }
    case 'unsuspend':
      assert.equal((await learner.delete(`${path}/suspend`)).status, 200)
      return step.kind
    case 'switch': {
      const { id, slug } = decks[step.deck] as (typeof decks)[number]
      const { archived_at } = await db
        .selectFrom('decks')
        .select('archived_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const payload = { active: step.active }
      const { status } = await learner.send({ method: 'PUT', url: `/api/review/decks/${slug}`, payload })
      assert.equal(status, archived_at === null ? 200 : 404)
      return `switch ${status}`
    }
    case 'forget':
      await db.deleteFrom('card_progress').where('user_id', '=', user_id).where('card_id', '=', card_id).execute()
      return step.kind
    case 'write': {
      const values = { last_rating: 'hard' as const, next_review: addDays(clock.day, step.days) }
      await db
        .insertInto('card_progress')
        .values({ user_id, card_id, ...values })
        .onConflict((conflict) => conflict.columns(['user_id', 'card_id']).doUpdateSet(values))
        .execute()
      return step.kind
    }
    case 'archive': {
      const { archived_at } = await db
        .selectFrom('cards')
        .select('archived_at')
        .where('id', '=', card_id)
        .executeTakeFirstOrThrow()
      const toggled = archived_at === null ? new Date() : null
      await db.updateTable('cards').set({ archived_at: toggled }).where('id', '=', card_id).execute()
      return step.kind
    }
    case 'archive deck': {
      const id = deckIds[step.deck] as number
      const { archived_at } = await db
        .selectFrom('decks')
        .select('archived_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const toggled = archived_at === null ? new Date() : null
      await db.updateTable('decks').set({ archived_at: toggled }).where('id', '=', id).execute()
      return step.kind
    }
    case 'move':
      await db
        .updateTable('cards')
        .set({ deck_id: deckIds[step.deck] as number })
        .where('id', '=', card_id)
        .execute()
      return step.kind
    case 'night':
      clock.day = addDays(clock.day, step.days)
      clock.minutes = 0
      return step.kind
  }
}

async function undo(t: Tap, learner: Learner, back: number): Promise<string> {
  const review = undoable(learner).at(-1 - back)
  if (review === undefined) return 'undo of nothing'
  const obstacle =
    review.day !== clock.day
      ? /von heute/
      : back > 0 && undoable(learner).at(-1)?.day === clock.day
        ? /Nur die letzte/
        : await findObstacle(learner, review)
  const { status, body } = await learner.delete(`/api/review/${review.id}`)
  if (obstacle !== undefined) {
    assert.equal(status, 409)
    t.match(body.message, obstacle)
    return 'undo 409'
  }
  assert.equal(status, 200, body.message)
  learner.done.splice(learner.done.indexOf(review), 1)
  if (review.before === undefined && review.kind === 'review') addIntroduced(learner, review.day, -1)
  if (review.putOff !== undefined) learner.putOff.set(review.card_id, review.putOff)
  if (review.before === undefined && review.kind === 'tomorrow') learner.putOff.delete(review.card_id)
  assert.deepEqual(await findProgress(learner.id, review.card_id), review.before, 'exactly as before')
  assert.deepEqual(body.counts, (await learner.get('/api/review/queue?limit=1')).body.counts)
  const next = undoable(learner).at(-1)
  const isNext = next?.day === clock.day && (await findObstacle(learner, next)) === undefined
  assert.equal(body.next_undo, isNext ? next.id : null)
  assert.deepEqual((await learner.delete(`/api/review/${review.id}`)).body, body, 'repeated')
  return 'undo 200'
}

/** Returns what was done without postponements that a rating replaced, which was given before and arrived later. */
function undoable({ done }: Learner): Done[] {
  const isReplaced = ({ kind, card_id, id, at }: Done) =>
    kind === 'tomorrow' &&
    done.some((other) => other.kind === 'review' && other.card_id === card_id && other.id > id && other.at < at)
  return done.filter((one) => !isReplaced(one))
}

async function findObstacle(learner: Learner, review: Done): Promise<RegExp | undefined> {
  const resets = await db
    .selectFrom('review_log')
    .select('id')
    .where('user_id', '=', learner.id)
    .where('card_id', '=', review.card_id)
    .where('kind', '=', 'reset')
    .where('id', '>', review.id)
    .execute()
  if (resets.length > 0) return /zurückgesetzt/
  if (!(await isLive(review.card_id))) return /archiviert/
  const now = await findProgress(learner.id, review.card_id)
  return JSON.stringify(now) === JSON.stringify(review.after) ? undefined : /geändert/
}

function addIntroduced({ introduced }: Learner, day: string, cards: number): void {
  introduced.set(day, (introduced.get(day) ?? 0) + cards)
}

function shownOf({ last_review_id: _, ...shown }: { last_review_id: number | null }) {
  return shown
}

async function findProgress(userId: number, cardId: number) {
  return (await findAllProgress(userId)).get(cardId)
}

async function findAllProgress(userId: number) {
  const rows = await db
    .selectFrom('card_progress')
    .select(['card_id', 'last_rating', 'next_review', 'stability', 'difficulty', 'last_review'])
    .select(['reps', 'lapses', 'last_review_id'])
    .where('user_id', '=', userId)
    .execute()
  return new Map(rows.map(({ card_id, ...progress }) => [card_id, progress]))
}

async function findLiveCards(userId: number) {
  const cards = await db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'cards.deck_id')
    .select(['cards.id', 'cards.sort_order', 'decks.sort_order as deck_order', 'decks.name', 'decks.slug', 'deck_id'])
    .where('cards.archived_at', 'is', null)
    .where('decks.archived_at', 'is', null)
    .orderBy('decks.sort_order')
    .orderBy('decks.name')
    .orderBy('decks.id')
    .orderBy('cards.sort_order')
    .orderBy('cards.id')
    .execute()
  const suspended = await db.selectFrom('suspended_cards').select('card_id').where('user_id', '=', userId).execute()
  const isSuspended = new Set(suspended.map(({ card_id }) => card_id))
  const off = await db.selectFrom('inactive_decks').select('deck_id').where('user_id', '=', userId).execute()
  const isOff = new Set(off.map(({ deck_id }) => deck_id))
  const allProgress = await findAllProgress(userId)
  return cards.map((card) => {
    const progress = allProgress.get(card.id)
    const isDue = progress?.next_review != null && progress.next_review <= clock.day
    const seen = isDue ? 'due' : 'learned'
    const state = isSuspended.has(card.id) ? 'suspended' : progress === undefined ? 'new' : seen
    return { ...card, progress, state, isDue, isActive: !isOff.has(card.deck_id) }
  })
}

async function findDeckOf(cardId: number): Promise<number> {
  const { deck_id } = await db.selectFrom('cards').select('deck_id').where('id', '=', cardId).executeTakeFirstOrThrow()
  return deck_id
}

/**
 * Orders new cards in rounds, each with at most one card of each deck. A deck misses one round for each of its cards
 * that was introduced today.
 */
function inTurn<T extends { deck_id: number }>(cards: T[], { done }: Learner): T[] {
  const taken = (deckId: number) =>
    done.filter(
      (one) => one.kind === 'review' && one.before === undefined && one.day === clock.day && one.deck_id === deckId,
    ).length
  const decks = [...new Set(cards.map(({ deck_id }) => deck_id))]
  return cards
    .map((card) => {
      const inDeck = cards.filter(({ deck_id }) => deck_id === card.deck_id)
      return { card, round: taken(card.deck_id) + inDeck.indexOf(card), deck: decks.indexOf(card.deck_id) }
    })
    .sort((one, two) => one.round - two.round || one.deck - two.deck)
    .map(({ card }) => card)
}

async function isLive(cardId: number): Promise<boolean> {
  return (await findLiveCards(0)).some(({ id }) => id === cardId)
}

async function compare(t: Tap, learner: Learner): Promise<void> {
  const cards = await findLiveCards(learner.id)
  const queue = (await learner.get('/api/review/queue?limit=100')).body
  const due = cards.filter(({ state, isActive }) => state === 'due' && isActive)
  const isRepeat = ({ progress }: (typeof cards)[number]) =>
    progress?.last_rating === 'again' && progress.last_review === clock.day
  const key = (text: string | null | undefined) => String(text)
  const first = due
    .filter((card) => !isRepeat(card))
    .sort((a, b) => key(a.progress?.next_review).localeCompare(key(b.progress?.next_review)) || a.id - b.id)
  const last = due
    .filter(isRepeat)
    .sort((a, b) => Number(a.progress?.last_review_id) - Number(b.progress?.last_review_id))
  const allowed = Math.max(NEW_PER_DAY - (learner.introduced.get(clock.day) ?? 0), 0)
  const isOffered = ({ id, state }: (typeof cards)[number]) => state === 'new' && learner.putOff.get(id) !== clock.day
  const offered = cards.filter((card) => isOffered(card) && card.isActive)
  const fresh = inTurn(offered, learner).slice(0, allowed)
  assert.deepEqual(
    idsOf(queue.cards),
    [...first, ...fresh, ...last].map(({ id }) => id),
    'the queue',
  )
  assert.deepEqual(queue.counts, { due: due.length, new: fresh.length })

  const browsed = (await learner.get('/api/review/cards?limit=200')).body.cards
  assert.deepEqual(
    browsed.map(({ card_id, state }: { card_id: number; state: string }) => [card_id, state]),
    cards.map(({ id, state }) => [id, state]),
    'the browsed cards',
  )
  const list = (await learner.get('/api/decks')).body.decks
  const stats = (await learner.get('/api/review/stats?days=8')).body
  const studied = (await learner.get('/api/review/decks')).body.decks
  for (const [index, deck] of list.entries()) {
    const own = cards.filter(({ deck_id }) => deck_id === deck.id)
    const count = (state: string) => own.filter((card) => card.state === state).length
    t.match(deck, {
      card_count: own.length,
      reviewed: own.filter(({ progress }) => progress !== undefined).length,
      due: own.filter(({ isDue }) => isDue).length,
    })
    const { slug, new: unseen, young, mature, suspended } = stats.decks[index]
    assert.deepEqual(
      { slug, unseen, seen: young + mature, suspended },
      { slug: deck.slug, unseen: count('new'), seen: count('due') + count('learned'), suspended: count('suspended') },
    )
    assert.deepEqual(studied[index], {
      slug: deck.slug,
      name: deck.name,
      lang: 'de',
      translation_of: null,
      preferred: true,
      active: own.every(({ isActive }) => isActive) && studied[index].active,
      due: count('due'),
      new: Math.min(own.filter(isOffered).length, allowed),
      cards: own.length,
      young,
      mature,
      suspended,
      unseen,
      desired_retention: null,
      default_retention: null,
    })
  }
  assert.equal(stats.forecast[0].due, due.length)
  for (const { day, reviews, introduced } of stats.days) {
    const reviewed = learner.done.filter(({ kind }) => kind === 'review')
    const given = [...reviewed.map((review) => review.day), ...learner.late].filter((one) => one === day)
    assert.equal(reviews, given.length)
    assert.equal(introduced, given.length === 0 ? 0 : (learner.introduced.get(day) ?? 0))
  }
}

const idsOf = (cards: { card_id: number }[]) => cards.map(({ card_id }) => card_id)

type Tap = Pick<typeof t, 'equal' | 'match' | 'strictSame' | 'ok' | 'fail'>
