import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table form_requests (
      user_id integer not null,
      kind text not null,
      client_id text not null,
      body_hash bytea not null,
      object_id integer not null,
      created_at timestamptz not null default now(),
      constraint form_requests_pkey primary key (user_id, kind, client_id),
      constraint form_requests_user_id_fkey foreign key (user_id) references users (id) on delete cascade
    )`.execute(db)
}
