import { type Kysely, sql } from 'kysely'
import type { QuizCard } from '../../src/quiz.js'
import { isStorable } from '../../src/text.js'
import type { Database } from '../types.js'

/** Up to `count` live cards of the deck (of all decks without a slug), every subset equally likely. */
export async function drawCards(db: Kysely<Database>, slug: string | undefined, count: number): Promise<QuizCard[]> {
  if (slug !== undefined && !isStorable(slug)) return []
  const { rows } = await sql<QuizCard>`
    select cards.id as card_id, question, answer, name as deck_name
    from cards join decks on decks.id = deck_id
    where cards.archived_at is null and decks.archived_at is null
      and (${slug ?? null}::text is null or slug = ${slug ?? null})
    order by random() limit ${count}`.execute(db)
  return rows
}

/** Up to `size` distinct answers of live cards of all decks, drawn at random. */
export async function drawAnswers(db: Kysely<Database>, size: number): Promise<string[]> {
  const { rows } = await sql<{ answer: string }>`
    select answer from (
      select distinct answer from cards join decks on decks.id = deck_id
      where cards.archived_at is null and decks.archived_at is null
    ) as answers
    order by random() limit ${size}`.execute(db)
  return rows.map((row) => row.answer)
}
