import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/types.js'
import type { EffectiveReview } from '../../src/domain/review/history.js'
import { MemoryModel } from '../../src/domain/review/memory.js'
import { DEFAULT_WEIGHTS } from '../../src/domain/review/parameters.js'
import { DEFAULT_SETTINGS, type Rating } from '../../src/domain/review/review.js'
import { addDays } from '../../src/domain/time/calendar.js'
import { mulberry32 } from './random.js'

/** Weights of a learner who forgets quickly: lower initial stabilities and slower growth than with the defaults */
export const FORGETFUL = DEFAULT_WEIGHTS.map((weight, index) =>
  index < 4 ? weight / 3 : index === 8 ? weight - 1 : weight,
)

export interface SimulatedReview extends EffectiveReview {
  card: number
}

/**
 * Simulates a learner whose memory follows these weights and whose reviews are scheduled with the default weights. The
 * ids ascend in the order of the reviews.
 */
export function simulateLog(options: { weights: readonly number[]; days: number; newPerDay: number; seed: number }) {
  const { weights, days, newPerDay, seed } = options
  const random = mulberry32(seed)
  const [truth, scheduler] = [new MemoryModel(weights), new MemoryModel(null)]
  const histories: SimulatedReview[][] = []
  const due = new Map<number, number[]>()
  let id = 0
  for (let day = 0; day < days; day++) {
    const today = due.get(day) ?? []
    for (let index = 0; index < newPerDay; index++) today.push(histories.push([]) - 1)
    for (const card of today) {
      const history = histories[card] as SimulatedReview[]
      const memory = truth.replay(history)
      const before = history.at(-1)
      const isKnown =
        memory === null || before === undefined ? random() < 0.76 : random() < truth.chance(memory, day - before.day)
      const rate = (rating: Rating) => history.push({ id: ++id, card, rating, day })
      rate(isKnown ? (random() < 0.15 ? 'easy' : random() < 0.25 ? 'hard' : 'medium') : 'again')
      if (!isKnown) rate('medium')
      const planned = scheduler.replay(history)
      const next = day + (planned === null ? 1 : scheduler.interval(planned, DEFAULT_SETTINGS.desired_retention))
      due.set(next, [...(due.get(next) ?? []), card])
    }
  }
  return histories
}

/**
 * Creates the cards and stores their simulated reviews: log entries with the states before and after the review, and
 * the progress computed with the default weights. Lapses stay 0.
 * @returns ids of the cards
 */
export async function storeLog(
  db: Kysely<Database>,
  userId: number,
  deckId: number,
  histories: readonly SimulatedReview[][],
  firstDay: string,
): Promise<number[]> {
  const { rows: cards } = await sql<{ id: number }>`
    insert into cards (deck_id, question, answer, sort_order)
    select ${deckId}, 'Frage ' || n, 'Antwort ' || n, n from generate_series(1, ${histories.length}::integer) as n
    returning id`.execute(db)
  const { rows } = await sql<{ last: number }>`select coalesce(max(id), 0) as last from review_log`.execute(db)
  const first = rows[0]?.last ?? 0
  const model = new MemoryModel(null)
  const entries: { history: number; index: number; review: SimulatedReview }[] = []
  histories.forEach((reviews, history) => {
    reviews.forEach((review, index) => {
      entries.push({ history, index, review })
    })
  })
  entries.sort((one, two) => one.review.id - two.review.id)
  const states = new Map<number, string | null>()
  const log = entries.map(({ history, index, review }) => {
    const reviews = (histories[history] as SimulatedReview[]).slice(0, index + 1)
    const memory = model.replay(reviews)
    const day = addDays(firstDay, review.day)
    const state = {
      last_rating: review.rating,
      next_review: review.rating === 'again' ? day : addDays(day, memory ? model.interval(memory, 0.9) : 1),
      stability: memory?.stability,
      difficulty: memory?.difficulty,
      last_review: day,
      reps: reviews.length,
      lapses: 0,
    }
    const before = states.get(history) ?? null
    states.set(history, JSON.stringify({ ...state, last_review_id: first + review.id }))
    const phase = index === 0 ? 'new' : reviews.at(-2)?.day === review.day ? 'repeat' : 'recall'
    return {
      id: first + review.id,
      card_id: cards[history]?.id,
      rating: review.rating,
      phase,
      day,
      before,
      after: JSON.stringify(state),
    }
  })
  for (let from = 0; from < log.length; from += 2_000) {
    await sql`
      insert into review_log (id, user_id, card_id, deck_id, kind, rating, phase, duration_ms, studied_on, created_at,
        before, after, answer)
      select id, ${userId}::integer, card_id, ${deckId}::integer, 'review', rating, phase, 5000, day,
        day::timestamp at time zone 'UTC' + id * interval '1 second', before::jsonb, after::jsonb, '{}'
      from json_to_recordset(${JSON.stringify(log.slice(from, from + 2_000))}::json)
        as entry (id bigint, card_id integer, rating text, phase text, day date, before text, after text)`.execute(db)
  }
  await sql`select setval(pg_get_serial_sequence('review_log', 'id'), (select max(id) from review_log))`.execute(db)
  const progress = [...states].map(([history, state]) => ({
    card_id: cards[history]?.id,
    ...JSON.parse(state ?? '{}'),
  }))
  await sql`
    insert into card_progress (user_id, card_id, last_rating, next_review, stability, difficulty, last_review, reps,
      lapses, last_review_id)
    select ${userId}::integer, * from json_to_recordset(${JSON.stringify(progress)}::json)
      as state (card_id integer, last_rating text, next_review date, stability double precision,
        difficulty double precision, last_review date, reps integer, lapses integer, last_review_id bigint)`.execute(db)
  return cards.map(({ id }) => id)
}
