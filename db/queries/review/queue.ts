import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { CardState, Remaining, ReviewSettings } from '../../../src/domain/review/review.js'
import type { Database } from '../../types.js'
import { deckOrder } from '../content/decks.js'
import { countCtes, isStudied, type Scope, stateOf } from './progress.js'

/** A card in the learner's queue. */
export interface StudyCard {
  card_id: number
  question: string
  answer: string
  level: string
  deck_slug: string
  deck_name: string
  /** Null for a card that was never reviewed */
  state: CardState | null
}

export interface Queue {
  cards: StudyCard[]
  remaining: Remaining
  settings: ReviewSettings
}

interface Row extends Omit<StudyCard, 'card_id'> {
  card_id: number | null
  remaining: Remaining & { decks: number }
  settings: ReviewSettings
}

/**
 * Condition that the user has no progress for `cards.id` in these decks. A learner who follows the deck order has seen
 * all cards before the new ones: hashing the seen cards takes a fifth of the time of looking each one up. The arrays
 * keep the planner from scanning the list per card.
 */
export function isUnseen(userId: number, deckIds: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`cards.id not in (
    select unnest(array(
      select card_id from card_progress where user_id = ${userId} and deck_id = any (array(${deckIds}))
    ))
  )`
}

/**
 * Returns the cards to study now: overdue, due today, new cards in deck order, then those forgotten today. Returns
 * undefined if the deck does not exist. New cards are read along the index of the deck order, in only those decks that
 * contain the first `limit` of them.
 * @param limit maximum number of cards
 * @param newLimit maximum number of new cards; the rest of the daily limit also applies
 */
export async function findQueue(
  db: Kysely<Database>,
  scope: Scope,
  limit: number,
  newLimit: number,
): Promise<Queue | undefined> {
  const { userId, today } = scope
  const newAtMost = Math.min(limit, newLimit)
  const { rows } = await sql<Row>`
    with ${countCtes(scope)},
    due_cards as (
      select progress.card_id,
        (last_rating = 'again' and last_review = ${today}::date) is true as is_repeat,
        next_review, last_review_id
      from card_progress as progress
      where user_id = ${userId} and next_review <= ${today}::date and deck_id is not null
        and deck_id in (select id from deck_counts where ${isStudied(scope)})
        and not exists (
          select from suspended_cards where user_id = ${userId} and suspended_cards.card_id = progress.card_id
        )
    ),
    new_decks as (
      select id, row_number() over deck_order as position,
        sum(unseen) over (deck_order rows between unbounded preceding and 1 preceding) as unseen_before
      from deck_counts
      where unseen > 0 and ${isStudied(scope)}
      window deck_order as (order by ${deckOrder('deck_counts')})
    ),
    new_cards as (
      select card.id as card_id, position, card.sort_order
      from new_decks
      cross join lateral (
        select cards.id, cards.sort_order
        from cards
        where cards.deck_id = new_decks.id and archived_at is null
          and ${isUnseen(userId, sql`select id from new_decks where coalesce(unseen_before, 0) < ${newAtMost}`)}
          and not exists (select from suspended_cards where user_id = ${userId} and card_id = cards.id)
        order by cards.sort_order, cards.id
        limit ${newAtMost}
      ) as card
      where coalesce(unseen_before, 0) < ${newAtMost}
      order by position, card.sort_order, card.id
      limit least(${newAtMost}, (select greatest(new_allowed, 0) from remaining))
    ),
    queue as (
      select card_id, row_number() over (order by part, first, second, card_id) as place
      from (
        (select card_id, 1 as part, row_number() over (order by next_review, card_id) as first, 0::bigint as second
          from due_cards where not is_repeat order by next_review, card_id limit ${limit})
        union all
        (select card_id, 2, position, sort_order from new_cards)
        union all
        (select card_id, 3, 0, last_review_id from due_cards where is_repeat order by last_review_id limit ${limit})
      ) as part
      order by place limit ${limit}
    )
    select to_json(remaining) as remaining, to_json(settings) as settings,
      card_id, question, answer, level, deck_slug, deck_name, state
    from remaining cross join settings left join (
      select place, cards.id as card_id, question, answer, level, decks.slug as deck_slug, decks.name as deck_name,
        case when progress.id is not null then ${stateOf('progress')} end as state
      from queue
      join cards on cards.id = queue.card_id
      join decks on decks.id = cards.deck_id
      left join card_progress as progress on progress.user_id = ${userId} and progress.card_id = queue.card_id
    ) as item on true
    order by place`.execute(db)
  const first = rows[0]
  if (first === undefined || (scope.deckSlug !== undefined && first.remaining.decks === 0)) return undefined
  return {
    cards: rows.flatMap((row) => (row.card_id === null ? [] : [toStudyCard({ ...row, card_id: row.card_id })])),
    remaining: first.remaining,
    settings: first.settings,
  }
}

function toStudyCard(row: StudyCard): StudyCard {
  const { card_id, question, answer, level, deck_slug, deck_name, state } = row
  return { card_id, question, answer, level, deck_slug, deck_name, state }
}
