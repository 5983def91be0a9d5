import { type Kysely, sql } from 'kysely'

/** Creates indexes for the list of accesses to a person's data, which would otherwise read the whole audit trail. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index audit_log_viewed_idx on audit_log (target_id, id) where action = 'assignment.view'`.execute(db)
  await sql`create index audit_log_exports_idx on audit_log (id) where action = 'proof.export'`.execute(db)
}
