import { type Kysely, sql } from 'kysely'
import { DEFAULT_LANGUAGE } from '../../../src/domain/content/translations.js'
import { readStoredExercise, showGaps } from '../../../src/domain/questions/exercise.js'
import type { PracticeCard } from '../../../src/domain/quiz/practice.js'
import type { Database } from '../../types.js'

/** Maximum number of cards from which wrong options are taken, divided among the decks */
const MAX_CANDIDATES = 2_000
/** Maximum size of a wrong option; a page of text is none, and many of them would block other requests. */
const MAX_ANSWER_BYTES = 8_000
/** Maximum length of a candidate's question in code points; its start shows how similar it is. */
const MAX_QUESTION_LENGTH = 1_000

export interface CardOfDeck extends PracticeCard {
  deck_id: number
  /** Language of the deck; undefined for a source of wrong options */
  lang?: string
}

/** Returns the live cards among `ids`, and then the first live cards of their decks, as sources of wrong options. */
export async function listPracticeCards(db: Kysely<Database>, ids: readonly number[]): Promise<CardOfDeck[]> {
  const live = db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'cards.deck_id')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'decks.id')
    .select(['cards.id as card_id', 'cards.deck_id', 'question', 'answer', 'level', 'exercise'])
    .select(({ fn, val }) => fn.coalesce('lang', val(DEFAULT_LANGUAGE)).as('lang'))
    .where('cards.archived_at', 'is', null)
    .where('decks.archived_at', 'is', null)
  const drawn = await live.where('cards.id', '=', ({ fn, val }) => fn.any(val(ids))).execute()
  const decks = [...new Set(drawn.map(({ deck_id }) => deck_id))]
  if (decks.length === 0) return []
  const others = await db
    .selectFrom('decks')
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('cards')
          .select(['cards.id as card_id', 'deck_id', 'answer', 'level'])
          .select([
            sql<string>`left(question, ${MAX_QUESTION_LENGTH})`.as('question'),
            // Only gaps change the text of the answer.
            sql<unknown>`case when exercise ->> 'form' = 'gaps' then exercise end`.as('exercise'),
          ])
          .whereRef('deck_id', '=', 'decks.id')
          .where('archived_at', 'is', null)
          .where(sql<boolean>`octet_length(answer) <= ${MAX_ANSWER_BYTES}`)
          .orderBy('sort_order')
          .orderBy('cards.id')
          .limit(Math.ceil(MAX_CANDIDATES / decks.length))
          .as('candidates'),
      (join) => join.onTrue(),
    )
    .selectAll('candidates')
    .where('decks.id', '=', ({ fn, val }) => fn.any(val(decks)))
    .execute()
  const rows = [...drawn, ...others.filter(({ card_id }) => !ids.includes(card_id))]
  return rows.map(({ exercise: stored, answer, ...row }) => {
    const exercise = readStoredExercise(stored, answer)
    return { ...row, exercise, answer: showGaps(answer, exercise?.form) }
  })
}
