import { type Kysely, sql } from 'kysely'
import { MAX_WRONG_OPTIONS, OPTION_LENGTH, POOL_SIZE, type QuizCard } from '../../../src/domain/quiz/quiz.js'
import { countCharacters, isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'

export interface DrawnCard extends QuizCard {
  /** Answers other than its own, drawn at random from the pool; the long ones without what an option does not show. */
  others: string[]
}

/**
 * Up to `count` live cards of the deck (of all decks without a slug), every subset equally likely, each with the other
 * answers that its wrong options come from. All of these belong to one pool: up to 200 distinct answers of live cards
 * of all decks, every subset equally likely again. Cards and answers are drawn by position, so the cost does not grow
 * with their number.
 */
export async function drawCards(db: Kysely<Database>, slug: string | undefined, count: number): Promise<DrawnCard[]> {
  if (slug !== undefined && !isStorable(slug)) return []
  // One more than needed of the pool: the card's own answer may be among them.
  const candidates = MAX_WRONG_OPTIONS + 1
  const { rows } = await sql<DrawnCard>`
    with live_decks as materialized (
      select id, name, card_count, sum(card_count) over (order by id) - card_count as first
      from decks
      where archived_at is null and card_count > 0 and (${slug ?? null}::text is null or slug = ${slug ?? null})
    ), drawn as materialized (
      select cards.id, question, answer, name, hash_answer(answer) as hash
      from unnest(
        sample_positions((select coalesce(sum(card_count), 0) from live_decks)::integer, ${count}::integer)
      ) as drawn (number)
      cross join lateral (select * from live_decks where first <= number order by first desc limit 1) as deck
      join card_positions on deck_id = deck.id and position = number - first
      join cards on cards.id = card_id
    ), pool as materialized (
      select sample_positions(total, ${POOL_SIZE}::integer) as positions from distinct_answer_totals
    )
    select id as card_id, question, answer, name as deck_name, array(
      -- The card's id makes each card draw anew.
      select option_text
      from unnest(sample_positions(cardinality(positions), ${candidates}::integer + 0 * drawn.id)) as candidate
      join distinct_answers on position = positions[candidate + 1]
      where answer_hash <> hash
    ) as others
    from drawn, pool
    order by random()`.execute(db)
  return rows.map((row) => ({ ...row, others: row.others.map(markCut) }))
}

/** No stored answer holds a NUL character, so a text without its end is never taken for the whole answer of a card. */
function markCut(text: string): string {
  return countCharacters(text) > OPTION_LENGTH ? `${text}\0` : text
}
