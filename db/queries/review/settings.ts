import { type Kysely, sql } from 'kysely'
import { DEFAULT_SETTINGS, type ReviewSettings } from '../../../src/domain/review/review.js'
import type { Database } from '../../types.js'
import { countCtes, type Scope } from './progress.js'

const SETTINGS = ['new_per_day', 'desired_retention', 'maximum_interval'] as const

/** Returns the learner's settings, or the defaults. */
export async function findSettings(db: Kysely<Database>, userId: number): Promise<ReviewSettings> {
  const found = await db.selectFrom('review_settings').select(SETTINGS).where('user_id', '=', userId).executeTakeFirst()
  return found ?? DEFAULT_SETTINGS
}

/** Updates the given settings and keeps the others. */
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

const MOST_EXTRA = 9_999

/** Raises the daily number of new cards for today, so that `cards` more than today has brought are left. */
export async function addExtraNew(db: Kysely<Database>, scope: Scope, cards: number): Promise<void> {
  await sql`
    with ${countCtes(scope)}
    insert into review_settings as mine
      (user_id, new_per_day, desired_retention, maximum_interval, extra_new, extra_new_on)
    select ${scope.userId}::integer, new_per_day, desired_retention, maximum_interval,
      least(${cards}::integer + coalesce((select extra_new from extra), 0) + greatest(-new_allowed, 0), ${MOST_EXTRA}),
      ${scope.today}::date
    from settings cross join remaining
    on conflict (user_id) do update set extra_new = excluded.extra_new, extra_new_on = excluded.extra_new_on
  `.execute(db)
}
