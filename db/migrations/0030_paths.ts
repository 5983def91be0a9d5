import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table assignments
      add column ordered boolean not null default false,
      add column starts_days integer,
      add constraint assignments_starts_days_check check (starts_days is null or (starts_on is null and starts_days >= 0))`.execute(
    db,
  )
  await sql`
    comment on column assignments.ordered is 'Whether a part can be done only after all parts before it'`.execute(db)
  await sql`
    comment on column assignments.starts_days is
      'Days from joining the audience to the start; null if the start is the day of joining or a fixed day'`.execute(db)
}
