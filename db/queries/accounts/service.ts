import { type Kysely, sql } from 'kysely'
import type { Database } from '../../types.js'

// Raw SQL: the numbers are functions of PostgreSQL and scalar subqueries without a common table.

export interface StoreNumbers {
  /** Version of PostgreSQL */
  version: string
  size_bytes: number
  users: number
  /** Number of users with at least one review */
  learners: number
  /** Number of failed mails that were created in the last 7 days */
  mails_failed: number
  /** Number of mails in the state `unknown` that were created in the last 7 days */
  mails_unknown: number
  /** Number of webhooks that were paused because all attempts have failed for a day, or by the restore of a backup */
  webhooks_paused: number
}

export async function findStoreNumbers(db: Kysely<Database>): Promise<StoreNumbers> {
  const { rows } = await sql<StoreNumbers>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes,
      (select count(*) from users) as users,
      (select count(*) from users where exists (
        select from review_log where user_id = users.id and kind = 'review'
      )) as learners, mails_failed, mails_unknown,
      (select count(*) from webhooks where pause_cause in ('faults', 'restore')) as webhooks_paused
    from (
      select count(*) filter (where state = 'failed') as mails_failed,
        count(*) filter (where state = 'unknown') as mails_unknown
      from mails where created_at > now() - interval '7 days'
    ) as mails`.execute(db)
  return rows[0] as StoreNumbers
}
