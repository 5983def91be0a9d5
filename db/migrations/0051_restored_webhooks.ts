import { type Kysely, sql } from 'kysely'

/** Allows `restore` as the cause of a pause. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhooks drop constraint webhooks_pause_cause_check`.execute(db)
  await sql`
    alter table webhooks add constraint webhooks_pause_cause_check
      check (pause_cause in ('hand', 'faults', 'restore'))`.execute(db)
}
