import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table calendar_tokens (
      user_id integer not null,
      token_hash bytea not null,
      created_at timestamptz not null default now(),
      constraint calendar_tokens_pkey primary key (user_id),
      constraint calendar_tokens_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
      constraint calendar_tokens_token_hash_key unique (token_hash)
    )`.execute(db)
}
