import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { ReviewSettings } from '../../../src/domain/review/settings.js'
import type { Database } from '../../types.js'
import { settingsCte } from './progress.js'

export async function findSettings(db: Kysely<Database>, userId: number): Promise<ReviewSettings> {
  const { rows } = await sql<ReviewSettings>`with ${settingsCte(userId)} select * from settings`.execute(db)
  return rows[0] as ReviewSettings
}

/** Writes what is given and keeps the rest; undefined when the user has been deleted. */
export async function updateSettings(
  db: Kysely<Database>,
  userId: number,
  changes: Partial<ReviewSettings>,
): Promise<ReviewSettings | undefined> {
  const { new_per_day, desired_retention, maximum_interval } = changes
  const { rows } = await sql<ReviewSettings>`
    with ${settingsCte(userId)}
    insert into review_settings (user_id, new_per_day, desired_retention, maximum_interval)
    select users.id, coalesce(${new_per_day ?? null}::integer, settings.new_per_day),
      coalesce(${desired_retention ?? null}::double precision, settings.desired_retention),
      coalesce(${maximum_interval ?? null}::integer, settings.maximum_interval)
    from settings cross join users where users.id = ${userId} for key share of users
    on conflict (user_id) do update set
      new_per_day = coalesce(${new_per_day ?? null}::integer, review_settings.new_per_day),
      desired_retention = coalesce(${desired_retention ?? null}::double precision, review_settings.desired_retention),
      maximum_interval = coalesce(${maximum_interval ?? null}::integer, review_settings.maximum_interval)
    returning new_per_day, desired_retention, maximum_interval`.execute(db)
  return rows[0]
}
