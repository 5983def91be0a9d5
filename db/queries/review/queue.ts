import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { CardText } from '../../../src/domain/content/card-texts.js'
import { showGaps } from '../../../src/domain/questions/exercise.js'
import type { CardState, Remaining } from '../../../src/domain/review/review.js'
import type { Database } from '../../types.js'
import { CARD_COLUMNS, listTexts } from '../content/card-texts.js'
import { deckOrder } from '../content/decks.js'
import { countCtes, deckRetention, isStudied, type StudyScope, type StudySettings, stateOf } from './progress.js'

// Raw SQL: the statement starts with the shared CTEs of `progress.ts`, whose plan was measured.

/** Builds the expression for the learner's note on a card. Does no lookup per row if the learner has no notes. */
export function noteOf(userId: number, cardId: string): RawBuilder<string | null> {
  return sql`case when (select exists (select from card_notes where user_id = ${userId}))
    then (select text from card_notes where user_id = ${userId} and card_id = ${sql.ref(cardId)}) end`
}

export interface StudyCard extends Record<CardText, string> {
  card_id: number
  deck_slug: string
  deck_name: string
  deck_lang: string
  /** Null for a card that was never reviewed, or that was reset */
  state: CardState | null
  note: string | null
}

/** The extra column of a row whose answer is passed through `showGaps` */
export interface WithForm {
  /** Form of the exercise; null for a plain card */
  form: string | null
}

export interface QueuedCard extends StudyCard {
  /** Desired retention of the deck; null if the general setting of the learner applies */
  deck_retention: number | null
}

export interface Queue {
  cards: QueuedCard[]
  remaining: Remaining
  settings: StudySettings
}

interface Row extends Omit<QueuedCard, 'card_id'>, WithForm {
  card_id: number | null
  remaining: Remaining & { decks: number }
  settings: StudySettings
}

/**
 * Builds the condition that the user has no progress for `cards.id` in these decks. The statement hashes the ids of the
 * seen cards, because a learner who follows the deck order has seen all cards before the new ones, and a lookup for
 * each of them would take five times as long. The arrays keep the planner from scanning the list of ids for each card.
 */
export function isUnseen(userId: number, deckIds: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`cards.id not in (
    select unnest(array(
      select card_id from card_progress where user_id = ${userId} and deck_id = any (array(${deckIds}))
    ))
  )`
}

/**
 * Returns the cards to study now: overdue cards, cards due today, new cards, and then the cards rated `again` today.
 * Returns undefined if the deck of the scope does not exist. The new cards alternate between the decks: each round
 * takes the next new card of each deck, in deck order. The statement reads only the new cards that these rounds need,
 * along the index of the deck's order.
 * @param limit maximum number of cards
 * @param newLimit maximum number of new cards; the rest of today's limit applies as well
 */
export async function findQueue(
  db: Kysely<Database>,
  scope: StudyScope,
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
    wanted as (select least(${newAtMost}::integer, greatest(new_allowed, 0)) as cards from remaining),
    new_decks as (
      -- At most as many decks as cards, because each contributes at least one. Cards that a deck has contributed today
      -- count, so that the next request continues the round.
      select id, position, available, taken, max(taken) over () as most_taken
      from (
        select id, row_number() over (order by ${deckOrder('deck_counts')}) as position,
          unseen - put_off as available, coalesce(introduced.cards, 0) as taken,
          row_number() over (order by coalesce(introduced.cards, 0), ${deckOrder('deck_counts')}) as turn
        from deck_counts left join introduced on introduced.deck_id = deck_counts.id
        where unseen > put_off and ${isStudied(scope)}
      ) as decks
      where turn <= (select cards from wanted)
    ),
    rounds as (
      -- The smallest number of rounds that yields the wanted cards. A deck with fewer cards than rounds contributes all
      -- of its cards, and the larger decks make up for the rest. With too few cards in all: those of the largest deck.
      select coalesce(
        max(level) filter (where level <= available),
        max(available)
      ) as count
      from (
        select available, ceil(
          (cards - coalesce(sum(available) over (fewest rows between unbounded preceding and 1 preceding), 0))
          / (count(*) over () - row_number() over fewest + 1)
        ) as level
        from new_decks cross join wanted
        window fewest as (order by available, id)
      ) as levels
    ),
    new_cards as (
      select card.id as card_id, taken + turn as round, position
      from (select *, (select count from rounds) + most_taken - taken as cards from new_decks) as deck
      cross join lateral (
        select id, row_number() over (order by sort_order, id) as turn
        from (
          select cards.id, cards.sort_order
          from cards
          where cards.deck_id = deck.id and archived_at is null
            and ${isUnseen(userId, sql`select id from new_decks`)}
            and not exists (select from suspended_cards where user_id = ${userId} and card_id = cards.id)
            and cards.id not in (select card_id from put_off)
          order by cards.sort_order, cards.id
          limit least(deck.cards, (select cards from wanted))
        ) as next
      ) as card
      order by round, position
      limit (select cards from wanted)
    ),
    queue as (
      select card_id, row_number() over (order by part, first, second, card_id) as place
      from (
        (select card_id, 1 as part, row_number() over (order by next_review, card_id) as first, 0::bigint as second
          from due_cards where not is_repeat order by next_review, card_id limit ${limit})
        union all
        (select card_id, 2, round, position from new_cards)
        union all
        (select card_id, 3, 0, last_review_id from due_cards where is_repeat order by last_review_id limit ${limit})
      ) as part
      order by place limit ${limit}
    )
    select case when place is null or place = 1 then to_json(remaining) end as remaining,
      case when place is null or place = 1 then to_json(settings) end as settings,
      card_id, ${listTexts((column) => column)}, form, deck_slug, deck_name, deck_lang, state, note, deck_retention
    from remaining cross join settings left join (
      select place, cards.id as card_id, ${CARD_COLUMNS}, exercise ->> 'form' as form,
        decks.slug as deck_slug, decks.name as deck_name,
        coalesce(imported_decks.lang, 'de') as deck_lang,
        case when progress.id is not null then ${stateOf('progress')} end as state,
        ${noteOf(userId, 'cards.id')} as note, ${deckRetention(userId, 'decks.id')} as deck_retention
      from queue
      join cards on cards.id = queue.card_id
      join decks on decks.id = cards.deck_id
      left join imported_decks on imported_decks.deck_id = decks.id
      left join card_progress as progress on progress.user_id = ${userId} and progress.card_id = queue.card_id
    ) as item on true
    order by place`.execute(db)
  const first = rows[0]
  if (first === undefined || (scope.deckSlug !== undefined && first.remaining.decks === 0)) return undefined
  return {
    cards: rows.flatMap((row) =>
      row.card_id === null ? [] : [{ ...row, card_id: row.card_id, answer: showGaps(row.answer, row.form) }],
    ),
    remaining: first.remaining,
    settings: first.settings,
  }
}
