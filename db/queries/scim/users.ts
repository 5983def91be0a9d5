import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import { MAX_NAME_LENGTH } from '../../../src/domain/accounts/accounts.js'
import { type Condition, comparedText } from '../../../src/domain/scim/filter.js'
import { invalidFilter } from '../../../src/domain/scim/refusals.js'
import { toRowId } from '../../../src/domain/scim/row-id.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'

// Raw SQL: `fold_text` compares names without case, and conditions are expressions.

const USER = [
  ...(['id', 'username', 'display_name', 'email', 'personnel_number', 'external_id', 'created_at'] as const),
  ...(['is_admin', 'is_author', 'is_auditor', 'auditor_until', 'emergency'] as const),
  ...(['disabled_on', 'scim_disabled', 'scim_former_day', 'scim_deleted', 'awaits_link'] as const),
] as const

const HAS_LOGIN = sql<boolean>`(password_hash is not null
  or exists (select from passkeys where user_id = users.id)
  or exists (select from identities where user_id = users.id))`

export type ScimUser = Pick<Selectable<Database['users']>, (typeof USER)[number]>

export async function findScimUser(db: Kysely<Database>, id: number): Promise<ScimUser | undefined> {
  return db.selectFrom('users').select(USER).where('id', '=', id).executeTakeFirst()
}

/**
 * Returns the account and locks its row until the transaction ends. Must follow the locks of assignments and of
 * administrators.
 */
export async function lockScimUser(transaction: Transaction<Database>, id: number): Promise<ScimUser | undefined> {
  return transaction.selectFrom('users').select(USER).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/** Returns the account with the external id or the personnel number. */
export async function findHolder(
  db: Kysely<Database>,
  key: 'external_id' | 'personnel_number',
  value: string,
): Promise<ScimUser | undefined> {
  return db.selectFrom('users').select(USER).where(key, '=', value).executeTakeFirst()
}

/** Whether a person can log in to the account: it has a password, a passkey or an identity. */
export async function hasLogin(db: Kysely<Database>, id: number): Promise<boolean> {
  const found = await db.selectFrom('users').select('id').where('id', '=', id).where(HAS_LOGIN).executeTakeFirst()
  return found !== undefined
}

/** Returns the accounts whose user names differ only in case from the given one, in the order of ids. */
export async function listFoldedNames(db: Kysely<Database>, username: string): Promise<ScimUser[]> {
  return db.selectFrom('users').select(USER).where(hasName(username)).orderBy('id').execute()
}

function hasName(username: string): RawBuilder<boolean> {
  return sql<boolean>`fold_text(username) = fold_text(${username}::text)`
}

/** Returns a page of the accounts that SCIM has not deleted, in the order of ids. */
export async function listScimUsers(
  db: Kysely<Database>,
  { conditions, today, offset, limit }: { conditions: Condition[]; today: string; offset: number; limit: number },
): Promise<{ users: ScimUser[]; total: number }> {
  const restrictions = conditions.map((condition) => toSql(condition, today))
  const found = () =>
    restrictions
      .reduce((query, restriction) => query.where(restriction), db.selectFrom('users'))
      .where('scim_deleted', '=', false)
  const { total } = await found()
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  const users =
    limit === 0 || Number(total) === 0
      ? []
      : await found().select(USER).orderBy('id').limit(limit).offset(offset).execute()
  return { users, total: Number(total) }
}

/** @throws ScimRefusal `invalidFilter` for an attribute that cannot be compared */
function toSql(condition: Condition, today: string): RawBuilder<boolean> {
  const { attribute } = condition
  if (attribute === 'active') {
    const isActive = parseFlag(condition)
    return sql<boolean>`(disabled_on is null or disabled_on > ${today}::date) = ${isActive}::boolean`
  }
  const compared = comparedText(condition)
  const text = compared ?? ''
  const compare = (comparison: RawBuilder<boolean>) => (compared === undefined ? sql<boolean>`false` : comparison)
  switch (attribute) {
    case 'id':
      return compare(sql<boolean>`users.id = ${toRowId(text) ?? 0}::integer`)
    case 'username':
      // Names in another case count only if no account has the exact name.
      return compare(sql<boolean>`${hasName(text)} and (
        normalize(username, NFC) = ${text}::text
        or not exists (
          select from users as exact
          where normalize(exact.username, NFC) = ${text}::text and not exact.scim_deleted))`)
    case 'externalid':
      return compare(sql<boolean>`external_id = ${text}::text`)
    case 'displayname':
    case 'name.formatted':
      return compare(sql<boolean>`fold_text(display_name) = fold_text(${text}::text)`)
    case 'emails':
    case 'emails.value':
      return compare(sql<boolean>`lower(email) = lower(${text}::text)`)
    case 'enterprise.employeenumber':
      return compare(sql<boolean>`personnel_number = ${text}::text`)
    default:
      throw invalidFilter('users cannot be filtered by this attribute')
  }
}

/** @throws ScimRefusal `invalidFilter` if the value is neither true nor false, also as a text */
function parseFlag({ attribute, value }: Condition): boolean {
  const word = String(value).toLowerCase()
  if (word !== 'true' && word !== 'false') throw invalidFilter(`"${attribute}" is compared with true or false`)
  return word === 'true'
}

/** Changes what SCIM knows about an account. Must follow `updateUser`, which resets some of it. */
export async function markScimUser(
  transaction: Transaction<Database>,
  id: number,
  marks: Pick<Updateable<Database['users']>, 'scim_disabled' | 'scim_former_day' | 'scim_deleted'>,
): Promise<void> {
  await transaction.updateTable('users').set(marks).where('id', '=', id).execute()
}

/**
 * Returns the account that SCIM has created with this user name, compared without case, if the account has no password,
 * passkey or identity.
 */
export async function findAwaitingAccount(
  db: Kysely<Database>,
  username: string,
): Promise<{ id: number; username: string } | undefined> {
  if (!isStorable(username) || username.length > 2 * MAX_NAME_LENGTH) return undefined
  const found = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where(hasName(username))
    .where(isAwaiting())
    .limit(2)
    .execute()
  return found.length === 1 ? found[0] : undefined
}

/** Whether the first login through the provider may link the account; see `findAwaitingAccount`. */
export async function awaitsLink(db: Kysely<Database>, id: number): Promise<boolean> {
  const found = await db.selectFrom('users').select('id').where('id', '=', id).where(isAwaiting()).executeTakeFirst()
  return found !== undefined
}

function isAwaiting(): RawBuilder<boolean> {
  return sql<boolean>`awaits_link and not ${HAS_LOGIN}`
}
