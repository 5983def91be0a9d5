import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table setup_steps (
      id text,
      dismissed boolean not null default false,
      done boolean not null default false,
      constraint setup_steps_pkey primary key (id),
      constraint setup_steps_length_check check (length(id) <= 40)
    )`.execute(db)
  await sql`
    comment on table setup_steps is 'Steps of the setup that an administrator has dismissed, or that leave no other trace'
  `.execute(db)
  await sql`
    comment on column setup_steps.done is 'Whether the step was done; only for steps that leave no other trace'`.execute(
    db,
  )
}
