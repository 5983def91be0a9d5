import { type Kysely, sql } from 'kysely'

/** Allows an ended attempt without a score, provided that its answers have been deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table attempts
      drop constraint attempts_ended_check,
      add constraint attempts_ended_check check (
        num_nonnulls(ended_at, ended_by, passed) in (0, 3)
        and (score_percent is null or ended_at is not null)
        and (score_percent is not null or ended_at is null or answers_deleted_at is not null)
      )`.execute(db)
}
