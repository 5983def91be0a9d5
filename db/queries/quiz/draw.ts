import { type Kysely, sql } from 'kysely'
import { MAX_WRONG_OPTIONS, POOL_SIZE, type QuizCard } from '../../../src/domain/quiz/quiz.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'

// Raw SQL: the draw uses functions of the database, materialised CTEs and `lateral` subqueries.

export interface DrawnCard extends QuizCard {
  /** Answers that differ from that of the card, each cut to one character more than an option shows */
  others: string[]
}

/**
 * Draws up to `count` live cards of a deck (or of all decks), each with candidates for wrong options. All candidates
 * come from one sample: up to 200 distinct answers of live cards of all decks. Every subset of the cards and of the
 * answers is equally likely. Drawing by position makes the cost independent of the number of cards (docs/quiz-draw.md).
 * @param omitted ids of decks to omit
 */
export async function drawCards(
  db: Kysely<Database>,
  slug: string | undefined,
  count: number,
  omitted: readonly number[] = [],
): Promise<DrawnCard[]> {
  if (slug !== undefined && !isStorable(slug)) return []
  // Draws one candidate more than needed, because the answer of the card itself may be among the candidates.
  const candidates = MAX_WRONG_OPTIONS + 1
  const { rows } = await sql<DrawnCard>`
    with live_decks as materialized (
      select id, name, card_count, sum(card_count) over (order by id) - card_count as first
      from decks
      where archived_at is null and card_count > 0 and (${slug ?? null}::text is null or slug = ${slug ?? null})
        ${omitted.length === 0 ? sql`` : sql`and id <> all (${omitted}::integer[])`}
    ), pool as materialized (
      select sample_positions(total, ${POOL_SIZE}::integer) as positions from distinct_answer_totals
    ), drawn as materialized (
      select cards.id, question, answer, name, hash_answer(answer) as hash, positions,
        sample_positions(cardinality(positions), ${candidates}::integer) as candidates
      from pool, unnest(
        sample_positions((select coalesce(sum(card_count), 0) from live_decks)::integer, ${count}::integer)
      ) as drawn (number)
      cross join lateral (select * from live_decks where first <= number order by first desc limit 1) as deck
      join card_positions on deck_id = deck.id and position = number - first
      join cards on cards.id = card_id
    )
    select id as card_id, question, answer, name as deck_name, array(
      select option_text
      from unnest(candidates) as candidate join distinct_answers on position = positions[candidate + 1]
      where answer_hash <> hash
    ) as others
    from drawn
    order by random()`.execute(db)
  return rows
}
