import type { Kysely } from 'kysely'
import { DEFAULT_SETTINGS, type ReviewSettings } from '../../../src/domain/review/review.js'
import type { Database } from '../../types.js'

const SETTINGS = ['new_per_day', 'desired_retention', 'maximum_interval'] as const

/** The learner's settings, or the defaults. */
export async function findSettings(db: Kysely<Database>, userId: number): Promise<ReviewSettings> {
  const found = await db.selectFrom('review_settings').select(SETTINGS).where('user_id', '=', userId).executeTakeFirst()
  return found ?? DEFAULT_SETTINGS
}

/** Writes what is given and keeps the rest. */
export async function updateSettings(
  db: Kysely<Database>,
  userId: number,
  changes: Partial<ReviewSettings>,
): Promise<ReviewSettings> {
  const { new_per_day, desired_retention, maximum_interval } = changes
  return db
    .insertInto('review_settings')
    .values({
      user_id: userId,
      new_per_day: new_per_day ?? DEFAULT_SETTINGS.new_per_day,
      desired_retention: desired_retention ?? DEFAULT_SETTINGS.desired_retention,
      maximum_interval: maximum_interval ?? DEFAULT_SETTINGS.maximum_interval,
    })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(({ ref }) => ({
        new_per_day: new_per_day ?? ref('review_settings.new_per_day'),
        desired_retention: desired_retention ?? ref('review_settings.desired_retention'),
        maximum_interval: maximum_interval ?? ref('review_settings.maximum_interval'),
      })),
    )
    .returning(SETTINGS)
    .executeTakeFirstOrThrow()
}
