import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The default lets the period of existing identities start at the upgrade.
  await sql`alter table identities add column confirmed_at timestamptz not null default now()`.execute(db)
  await sql`
    comment on column identities.confirmed_at is 'When the provider last confirmed that this is the person'`.execute(db)
  await sql`alter table api_tokens add column is_service boolean not null default false`.execute(db)
  await sql`
    comment on column api_tokens.is_service
      is 'Marked by an administrator: works without a recent confirmation of the owner by the provider'`.execute(db)
}
