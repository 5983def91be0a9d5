import { type Kysely, sql } from 'kysely'
import type { Database } from '../../types.js'

export interface StoreNumbers {
  /** Version of PostgreSQL */
  version: string
  size_bytes: number
  users: number
  /** Users with at least one review */
  learners: number
}

export async function findStoreNumbers(db: Kysely<Database>): Promise<StoreNumbers> {
  const { rows } = await sql<StoreNumbers>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes,
      (select count(*) from users) as users,
      (select count(*) from users where exists (
        select from review_log where user_id = users.id and kind = 'review'
      )) as learners`.execute(db)
  return rows[0] as StoreNumbers
}
