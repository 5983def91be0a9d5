import { type Insertable, type Kysely, sql } from 'kysely'
import type { Database, QuizResultsTable } from '../../types.js'

const HISTORY_LENGTH = 20

export interface QuizResult {
  deck_slug: string
  quiz_type: string
  score_percent: number
  total_questions: number
  correct_answers: number
  created_at: Date
}

/** Stores a result; false when its user has been deleted meanwhile. */
export async function insertQuizResult(db: Kysely<Database>, result: Insertable<QuizResultsTable>): Promise<boolean> {
  const { user_id, deck_slug, quiz_type, score_percent, total_questions, correct_answers } = result
  const { numAffectedRows } = await sql`
    insert into quiz_results (user_id, deck_slug, quiz_type, score_percent, total_questions, correct_answers)
    select id, ${deck_slug}, ${quiz_type}, ${score_percent}, ${total_questions}, ${correct_answers}
    from users where id = ${user_id} for key share`.execute(db)
  return numAffectedRows === 1n
}

/** The user's last 20 results, newest first. */
export async function listQuizResults(db: Kysely<Database>, userId: number): Promise<QuizResult[]> {
  return db
    .selectFrom('quiz_results')
    .select(['deck_slug', 'quiz_type', 'score_percent', 'total_questions', 'correct_answers', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(HISTORY_LENGTH)
    .execute()
}
