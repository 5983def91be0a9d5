import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'

/** Mail settings as shown to the person. */
export interface OwnMail {
  email: string | null
  email_confirmed_at: Date | null
  pending: { address: string; expires_at: Date } | null
  due_cards: boolean
}

/** Returns the mail settings of a person. @param at confirmations that have expired by then are left out */
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
    ...{ email, email_confirmed_at, due_cards: due_cards_mail_key !== null },
    pending: address === null || expires_at === null ? null : { address, expires_at },
  }
}

/** Locks a person's row, so that changes of the address wait for each other. Returns false if there is none. */
export async function lockPerson(transaction: Transaction<Database>, userId: number): Promise<boolean> {
  const { rows } = await sql`select from users where id = ${userId} for no key update`.execute(transaction)
  return rows.length > 0
}

/** Counts the confirmation mails of the last hour that the person requested or that went to the address. */
export async function countConfirmations(db: Kysely<Database>, userId: number, address: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from mails
    where kind = 'confirm_address' and created_at > now() - interval '1 hour'
      and (user_id = ${userId} or lower(address) = lower(${address}))`.execute(db)
  return rows[0]?.count ?? 0
}

/** Stores an address to be confirmed; replaces an earlier one. */
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

/** Locks the person of a valid token and returns the id with the address to confirm; undefined if there is none. */
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
  // All transactions lock the person first. A concurrent change may then have deleted the confirmation.
  return found !== undefined && (await lockPerson(transaction, found.user_id)) ? find() : undefined
}

/** Turns the mail about due cards on, with the key of its unsubscribe link, or off. An existing key is kept. */
export async function setDueCardsKey(db: Kysely<Database>, userId: number, key: string | null): Promise<void> {
  await sql`
    update users set due_cards_mail_key = case when ${key}::text is not null then coalesce(due_cards_mail_key, ${key}) end
    where id = ${userId}`.execute(db)
}

/** Turns off the mail about due cards of the person with this key, if there is one. */
export async function endDueCards(db: Kysely<Database>, key: string): Promise<void> {
  await db.updateTable('users').set({ due_cards_mail_key: null }).where('due_cards_mail_key', '=', key).execute()
}
