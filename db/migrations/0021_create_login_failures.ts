import { type Kysely, sql } from 'kysely'

/**
 * Failed logins, for all instances: one row for an account at an address and one for the address as a whole, whose
 * `account_hash` is empty. `score` is the number of failures, less what has leaked away until `changed_at`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table login_failures (
      network text not null,
      account_hash bytea not null,
      score double precision not null,
      changed_at timestamptz not null default now(),
      blocked_until timestamptz,
      constraint login_failures_pkey primary key (network, account_hash)
    )`.execute(db)
  await sql`create index login_failures_changed_at_idx on login_failures (changed_at)`.execute(db)
}
