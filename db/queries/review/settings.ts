import { type Kysely, sql, type Transaction } from 'kysely'
import { DEFAULT_SETTINGS, type ReviewSettings } from '../../../src/domain/review/review.js'
import type { Database } from '../../types.js'
import { countCtes, type StudyScope } from './progress.js'

// Raw SQL: the statement starts with the shared CTEs of `progress.ts`.

const SETTINGS = [
  'new_per_day',
  'desired_retention',
  'maximum_interval',
  'adapt_intervals',
  'type_answers',
  'free_weekdays',
] as const

export async function findSettings(db: Kysely<Database>, userId: number): Promise<ReviewSettings> {
  const found = await db.selectFrom('review_settings').select(SETTINGS).where('user_id', '=', userId).executeTakeFirst()
  return found ?? DEFAULT_SETTINGS
}

export async function updateSettings(
  db: Kysely<Database>,
  userId: number,
  changes: Partial<ReviewSettings>,
): Promise<ReviewSettings> {
  // Ignores other keys, because the body of a request may contain some, such as `user_id`.
  const known: Partial<ReviewSettings> = Object.fromEntries(
    SETTINGS.filter((name) => changes[name] !== undefined).map((name) => [name, changes[name]]),
  )
  return db
    .insertInto('review_settings')
    .values({ ...DEFAULT_SETTINGS, ...known, user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...known, user_id: userId }))
    .returning(SETTINGS)
    .executeTakeFirstOrThrow()
}

const MAX_EXTRA_NEW = 9_999

/**
 * Raises today's limit of new cards, so that `cards` more new cards remain than before. If the learner has exceeded the
 * limit, adds the excess as well. The limit exceeds the daily number by at most `MAX_EXTRA_NEW`. The caller must have
 * locked the learner, because concurrent requests add up.
 */
export async function addExtraNew(transaction: Transaction<Database>, scope: StudyScope, cards: number): Promise<void> {
  await sql`
    with ${countCtes(scope)}
    insert into review_settings as mine
      (user_id, new_per_day, desired_retention, maximum_interval, extra_new, extra_new_on)
    select ${scope.userId}::integer, new_per_day, desired_retention, maximum_interval,
      least(${cards}::integer + coalesce((select extra_new from extra), 0) + greatest(-new_allowed, 0), ${MAX_EXTRA_NEW}),
      ${scope.today}::date
    from settings cross join remaining
    on conflict (user_id) do update set extra_new = excluded.extra_new, extra_new_on = excluded.extra_new_on
  `.execute(transaction)
}
