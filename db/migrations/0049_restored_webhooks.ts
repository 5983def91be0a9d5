import { type Kysely, sql } from 'kysely'

/** Allows `restore` as the cause of a pause, and describes it as the fault of an event. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table webhooks drop constraint webhooks_pause_cause_check`.execute(db)
  await sql`
    alter table webhooks add constraint webhooks_pause_cause_check
      check (pause_cause in ('hand', 'faults', 'restore'))`.execute(db)
  await sql`
    comment on column webhook_events.fault is
      'Why there was no response to the last attempt, or that a backup was restored while the event waited'`.execute(db)
}
