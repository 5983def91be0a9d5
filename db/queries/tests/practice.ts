import type { Kysely } from 'kysely'
import { type Exercise, readStoredExercise, showGaps } from '../../../src/domain/questions/exercise.js'
import type { Candidate } from '../../../src/domain/quiz/distractors.js'
import type { Database } from '../../types.js'

/** Maximum number of cards per deck from which wrong options are taken */
const MOST_CANDIDATES = 2_000

export interface PracticeCard extends Candidate {
  deck_id: number
  exercise: Exercise | null
}

/** Returns the live cards of the decks of these cards, without pools, and the cards themselves first. */
export async function listPracticeCards(db: Kysely<Database>, ids: readonly number[]): Promise<PracticeCard[]> {
  const rows = await db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'cards.deck_id')
    .select(['cards.id as card_id', 'deck_id', 'question', 'answer', 'level', 'exercise'])
    .where('cards.archived_at', 'is', null)
    .where('decks.archived_at', 'is', null)
    .where(({ eb, selectFrom, fn, val }) =>
      eb(
        'deck_id',
        'in',
        selectFrom('cards as drawn')
          .select('drawn.deck_id')
          .where('drawn.id', '=', fn.any(val(ids))),
      ),
    )
    .orderBy(({ eb, fn, val }) => eb('cards.id', '=', fn.any(val(ids))), 'desc')
    .orderBy('cards.id')
    .limit(MOST_CANDIDATES)
    .execute()
  return rows.map(({ exercise: stored, answer, ...row }) => {
    const exercise = readStoredExercise(stored, answer)
    return { ...row, exercise, answer: showGaps(answer, exercise?.form) }
  })
}
