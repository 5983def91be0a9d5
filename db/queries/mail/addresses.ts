import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'

export interface OwnMail {
  email: string | null
  email_confirmed_at: Date | null
  pending: { address: string; expires_at: Date } | null
  due_cards: boolean
}

/** @param at instant; a confirmation that has expired by then is omitted */
export async function findOwnMail(db: Kysely<Database>, userId: number, at: Date): Promise<OwnMail | undefined> {
  const row = await db
    .selectFrom('users')
    .leftJoin('address_confirmations as pending', (join) =>
      join.onRef('pending.user_id', '=', 'users.id').on('pending.expires_at', '>', at),
    )
    .select(['email', 'email_confirmed_at', 'due_cards_mail_key', 'pending.address', 'pending.expires_at'])
    .where('users.id', '=', userId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { email, email_confirmed_at, due_cards_mail_key, address, expires_at } = row
  return {
    email,
    email_confirmed_at,
    due_cards: due_cards_mail_key !== null,
    pending: address === null || expires_at === null ? null : { address, expires_at },
  }
}

/** Locks a person's row, so that changes of the address wait for each other. */
export async function lockPerson(transaction: Transaction<Database>, userId: number): Promise<boolean> {
  const row = await transaction
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Counts the confirmation mails of the last hour that the person requested or that went to the address. */
export async function countConfirmations(db: Kysely<Database>, userId: number, address: string): Promise<number> {
  const { count } = await db
    .selectFrom('mails')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    // A literal, because a generic plan cannot use the partial index with a parameter.
    .where('kind', '=', sql.lit('confirm_address'))
    .where('created_at', '>', sql<Date>`now() - interval '1 hour'`)
    .where((eb) => eb.or([eb('user_id', '=', userId), sql<boolean>`lower(address) = lower(${address})`]))
    .executeTakeFirstOrThrow()
  return count
}

/** Stores an address to be confirmed; replaces an earlier unconfirmed address. */
export async function putConfirmation(
  db: Kysely<Database>,
  confirmation: { user_id: number; address: string; token_hash: Buffer; expires_at: Date },
): Promise<void> {
  const { address, token_hash, expires_at } = confirmation
  await db
    .insertInto('address_confirmations')
    .values(confirmation)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ address, token_hash, expires_at }))
    .execute()
}

export async function deleteConfirmation(db: Kysely<Database>, userId: number): Promise<void> {
  await db.deleteFrom('address_confirmations').where('user_id', '=', userId).execute()
}

/** Locks the row of the token's owner and returns the address to confirm. */
export async function lockConfirmation(
  transaction: Transaction<Database>,
  tokenHash: Buffer,
  at: Date,
): Promise<{ user_id: number; address: string; disabled_on: string | null } | undefined> {
  const find = () =>
    transaction
      .selectFrom('address_confirmations')
      .innerJoin('users', 'users.id', 'user_id')
      .select(['user_id', 'address', 'disabled_on'])
      .where('token_hash', '=', tokenHash)
      .where('expires_at', '>', at)
      .executeTakeFirst()
  const found = await find()
  // Reads the confirmation again, because a transaction that held the lock may have deleted it.
  return found !== undefined && (await lockPerson(transaction, found.user_id)) ? find() : undefined
}

/**
 * Enables the mail about due cards with the key of its unsubscribe link, or disables it if the key is null. If the mail
 * is already enabled, the existing key stays.
 */
export async function setDueCardsKey(db: Kysely<Database>, userId: number, key: string | null): Promise<void> {
  await db
    .updateTable('users')
    .set({ due_cards_mail_key: key && sql<string>`coalesce(due_cards_mail_key, ${key})` })
    .where('id', '=', userId)
    .execute()
}

/** Disables the mail about due cards for the owner of the key. */
export async function endDueCards(db: Kysely<Database>, key: string): Promise<void> {
  await db.updateTable('users').set({ due_cards_mail_key: null }).where('due_cards_mail_key', '=', key).execute()
}
