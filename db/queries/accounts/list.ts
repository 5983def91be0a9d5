import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { type ChangedIds, changesSince } from '../changes.js'
import { type AccountWithState, MAY_LINK } from './users.js'

// Raw SQL: count and page share one CTE; sort keys and JSON objects are expressions of PostgreSQL.

/** Sort keys. Names use the root collation of Unicode; in ascending order, users who were never active come first. */
const KEYS = {
  username: sql`username collate "und-x-icu"`,
  display_name: sql`display_name collate "und-x-icu"`,
  created_at: sql`created_at`,
  last_seen_on: sql`coalesce(last_seen_on, '-infinity')`,
} satisfies Record<string, RawBuilder<unknown>>

export type AccountKey = keyof typeof KEYS

export const ACCOUNT_KEYS = Object.keys(KEYS) as AccountKey[]

export interface AccountSearch {
  /** Part of the user name, display name or personnel number, case-insensitive, in any Unicode form; empty for all */
  q: string
  sort: AccountKey
  order: 'asc' | 'desc'
  limit: number
  offset: number
}

export interface ListedAccount extends Omit<AccountWithState, 'language' | 'language_used'> {
  extra_time_percent: number
  email: string | null
  email_confirmed_at: Date | null
  personnel_number: string | null
  external_id: string | null
  sign_in: {
    password: boolean
    passkeys: number
    passkey_only: boolean
    oidc: boolean
    emergency: boolean
    link_next_login: boolean
  }
}

type Row = { [K in keyof ListedAccount]: ListedAccount[K] | null } & { total: number }

export async function listAccounts(
  db: Kysely<Database>,
  { q, sort, order, limit, offset }: AccountSearch,
): Promise<{ users: ListedAccount[]; total: number }> {
  if (!isStorable(q)) return { users: [], total: 0 }
  const inOrder = sql`${KEYS[sort]} ${sql.raw(order)}, id`
  const { rows } = await sql<Row>`
    with found as (
      select id, username, display_name, is_admin, is_author, is_auditor, auditor_until, created_at, must_change_password,
        last_seen_on, disabled_on, extra_time_percent, email, email_confirmed_at, personnel_number,
        external_id, password_hash is not null as password, passkey_only, emergency, ${MAY_LINK} as link_next_login
      from users where ${isFound(q)}
    ),
    page as (select * from found order by ${inOrder} limit ${limit} offset ${offset})
    select totals.total, id, username, display_name, is_admin, is_author, is_auditor, auditor_until, created_at,
      must_change_password, last_seen_on, disabled_on, extra_time_percent, email, email_confirmed_at, personnel_number,
      external_id, json_build_object(
        'password', password, 'passkey_only', passkey_only, 'emergency', emergency, 'link_next_login', link_next_login,
        'passkeys', (select count(*) from passkeys where user_id = page.id),
        'oidc', exists (select from identities where user_id = page.id)
      ) as sign_in
    from (select count(*) as total from found) as totals left join page on true
    order by ${inOrder}`.execute(db)
  const users = rows.flatMap(({ total: _, ...user }) => (user.id === null ? [] : [user as ListedAccount]))
  return { users, total: rows[0]?.total ?? 0 }
}

function isFound(q: string): RawBuilder<unknown> {
  const isPart = (column: string) => sql`strpos(fold_text(${sql.ref(column)}), fold_text(${q}::text)) > 0`
  return q === ''
    ? sql`true`
    : sql`(${isPart('username')} or ${isPart('display_name')} or ${isPart('personnel_number')})`
}

/** Returns the ids of found accounts that have changed, and of all that were deleted, with their number on all pages. */
export async function listChangedAccounts(
  db: Kysely<Database>,
  q: string,
  { since, after, limit }: ChangedIds,
): Promise<{ ids: number[]; total: number }> {
  if (!isStorable(q)) return { ids: [], total: 0 }
  const { rows } = await sql<{ total: number; ids: number[] }>`
    with found as (
      select changed.id
      from (select distinct object_id as id from ${changesSince('account', since)} as log) as changed
        left join users on users.id = changed.id
      where users.id is null or ${isFound(q)}
    )
    select (select count(*) from found) as total,
      array(select id from found where id > ${after} order by id limit ${limit}) as ids`.execute(db)
  return rows[0] ?? { ids: [], total: 0 }
}

export async function findListedAccount(db: Kysely<Database>, id: number): Promise<ListedAccount | undefined> {
  const [account] = await findListedAccounts(db, '', [id])
  return account
}

/** Returns those of the accounts that a search finds. */
export async function findListedAccounts(
  db: Kysely<Database>,
  q: string,
  ids: readonly number[],
): Promise<ListedAccount[]> {
  if (!isStorable(q)) return []
  const { rows } = await sql<ListedAccount>`
    select id, username, display_name, is_admin, is_author, is_auditor, auditor_until, created_at,
      must_change_password, last_seen_on, disabled_on, extra_time_percent, email, email_confirmed_at, personnel_number,
      external_id, json_build_object(
        'password', password_hash is not null, 'passkey_only', passkey_only, 'emergency', emergency,
        'link_next_login', ${MAY_LINK}, 'passkeys', (select count(*) from passkeys where user_id = users.id),
        'oidc', exists (select from identities where user_id = users.id)
      ) as sign_in
    from users where id = any(${ids}::integer[]) and ${isFound(q)}`.execute(db)
  return rows
}
