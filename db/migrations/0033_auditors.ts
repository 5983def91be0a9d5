import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column is_auditor boolean not null default false,
      add column auditor_until date`.execute(db)
  await sql`
    comment on column users.is_auditor is 'Whether the user may read the states and certificates of all assignments'`.execute(
    db,
  )
  await sql`
    comment on column users.auditor_until is 'Last day on which is_auditor applies; null if it has no end'`.execute(db)
}
