import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Database } from '../../types.js'

const HISTORY_LENGTH = 20

const RESULT = ['deck_slug', 'quiz_type', 'score_percent', 'total_questions', 'correct_answers', 'created_at'] as const

export type QuizResult = Pick<Selectable<Database['quiz_results']>, (typeof RESULT)[number]>

export async function insertQuizResult(
  db: Kysely<Database>,
  result: Insertable<Database['quiz_results']>,
): Promise<void> {
  await db.insertInto('quiz_results').values(result).execute()
}

export async function listQuizResults(db: Kysely<Database>, userId: number): Promise<QuizResult[]> {
  return db
    .selectFrom('quiz_results')
    .select(RESULT)
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(HISTORY_LENGTH)
    .execute()
}
