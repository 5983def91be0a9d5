import { type Kysely, sql, type Transaction } from 'kysely'
import type { StoredAccount } from '../../../src/domain/accounts/user-changes.js'
import { CHANGED_FIELDS } from '../../../src/domain/accounts/user-list.js'
import type { Database } from '../../types.js'
import { isEnabled } from './enabled.js'

// Raw SQL: rows come from arrays (`unnest`), and names are compared by an expression that has an index.

type Account = Omit<StoredAccount, 'teams' | 'fixed_teams'>

const ACCOUNT = ['id', 'username', ...CHANGED_FIELDS] as const

/**
 * Returns the ids of the accounts with one of the names, personnel numbers or external ids, as one JSON value, because many
 * rows would block other requests. @param isLocking whether to lock their rows, in the order of the ids
 */
export async function findNamedIds(
  db: Kysely<Database>,
  {
    names,
    numbers,
    externalIds,
    isLocking,
  }: { names: string[]; numbers: string[]; externalIds: string[]; isLocking: boolean },
): Promise<number[]> {
  const named = db
    .selectFrom('users')
    .select('id')
    .where(({ eb, or }) =>
      or([
        eb(sql`normalize(username, NFC)`, '=', sql`any(${names}::text[])`),
        eb('personnel_number', '=', sql<string>`any(${numbers}::text[])`),
        eb('external_id', '=', sql<string>`any(${externalIds}::text[])`),
      ]),
    )
    .orderBy('id')
    .$if(isLocking, (query) => query.forNoKeyUpdate())
  const { ids } = await db
    .selectFrom(named.as('named'))
    .select(sql<number[]>`coalesce(json_agg(id), '[]')`.as('ids'))
    .executeTakeFirstOrThrow()
  return ids
}

export async function listAccounts(db: Kysely<Database>, ids: readonly number[]): Promise<Account[]> {
  return db
    .selectFrom('users')
    .select(ACCOUNT)
    .where('id', '=', sql<number>`any(${ids}::integer[])`)
    .orderBy('id')
    .execute()
}

export async function countEnabled(db: Kysely<Database>, today: string): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where(isEnabled(today))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Returns the enabled accounts that are missing from a list, without administrators, emergency accounts and the caller.
 * @param listed ids of the accounts in the list
 */
export async function listMissingAccounts(
  db: Kysely<Database>,
  { listed, callerId, today, isLocking }: { listed: number[]; callerId: number; today: string; isLocking: boolean },
): Promise<Account[]> {
  return db
    .selectFrom('users')
    .select(ACCOUNT)
    .where(isEnabled(today))
    .where('is_admin', '=', false)
    .where('emergency', '=', false)
    .where('id', '<>', callerId)
    .where(
      sql<boolean>`not exists (select from unnest(${listed}::integer[]) as listed (user_id) where user_id = users.id)`,
    )
    .orderBy('id')
    .$if(isLocking, (query) => query.forNoKeyUpdate())
    .execute()
}

/** Stores the fields of the accounts. A new address is unconfirmed and cancels a pending confirmation. */
export async function updateListed(transaction: Transaction<Database>, accounts: readonly Account[]): Promise<void> {
  const column = <K extends keyof Account>(name: K) => accounts.map((account) => account[name])
  const ids = column('id')
  await sql`
    delete from address_confirmations
    using users, unnest(${ids}::integer[], ${column('email')}::text[]) as given (user_id, email)
    where address_confirmations.user_id = given.user_id and users.id = given.user_id
      and users.email is distinct from given.email`.execute(transaction)
  // Jobs lock users in the order of their ids, against changes of columns with a unique index.
  await sql`
    select count(*) from (
      select from users join unnest(
        ${ids}::integer[], ${column('personnel_number')}::text[], ${column('external_id')}::text[]
      ) as given (user_id, number, given_id) on users.id = user_id
      where personnel_number is distinct from number or external_id is distinct from given_id
      order by users.id for update of users
    ) as locked`.execute(transaction)
  // Numbers and ids that move between accounts would break the unique indexes.
  await sql`
    update users set personnel_number = null
    from unnest(${ids}::integer[], ${column('personnel_number')}::text[]) as given (user_id, number)
    where id = user_id and personnel_number is distinct from number`.execute(transaction)
  await sql`
    update users set external_id = null
    from unnest(${ids}::integer[], ${column('external_id')}::text[]) as given (user_id, given_id)
    where id = user_id and external_id is distinct from given_id`.execute(transaction)
  await sql`
    update users set
      display_name = given.display_name, is_admin = given.is_admin, is_author = given.is_author,
      is_auditor = given.is_auditor, auditor_until = given.auditor_until,
      must_change_password = given.must_change_password, disabled_on = given.disabled_on, email = given.email,
      scim_disabled = scim_disabled and users.disabled_on is not distinct from given.disabled_on,
      scim_former_day = case when users.disabled_on is not distinct from given.disabled_on then scim_former_day end,
      email_confirmed_at = case when users.email = given.email then email_confirmed_at end,
      personnel_number = given.personnel_number, external_id = given.external_id
    from unnest(
      ${ids}::integer[], ${column('display_name')}::text[], ${column('is_admin')}::boolean[],
      ${column('is_author')}::boolean[], ${column('is_auditor')}::boolean[], ${column('auditor_until')}::date[],
      ${column('must_change_password')}::boolean[], ${column('disabled_on')}::date[], ${column('email')}::text[],
      ${column('personnel_number')}::text[], ${column('external_id')}::text[]
    ) as given (
      user_id, display_name, is_admin, is_author, is_auditor, auditor_until, must_change_password, disabled_on, email,
      personnel_number, external_id
    )
    where id = user_id`.execute(transaction)
}
