import { type Kysely, sql } from 'kysely'

/** Indexes for what a person may ask at any time, so that it does not read the whole audit trail or outbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_log_viewed_idx on audit_log (target_id, id) where action = 'assignment.view'`.execute(db)
  await sql`create index audit_log_exports_idx on audit_log (id) where action = 'proof.export'`.execute(db)
  await sql`create index mails_confirmations_idx on mails (created_at) where kind = 'confirm_address'`.execute(db)
}
