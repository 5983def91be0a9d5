import { type Kysely, sql } from 'kysely'
import type { Database } from '../types.js'
import { CHANGE_KINDS, CHANGES_KEPT_DAYS } from './changes.js'
import { deleteUnusedPictures } from './content/media.js'
import { tryLock } from './try-lock.js'

// Raw SQL: one statement deletes from seven tables in CTEs and counts the rows.

/**
 * Maximum number of rows that a batch deletes per table, so that each batch is short; does not apply to address
 * confirmations
 */
const BATCH_ROWS = 5_000

export interface Purged {
  sessions: number
  tokens: number
  loginFailures: number
  logoutTokens: number
  challenges: number
  changes: number
}

/**
 * Deletes expired rows, and login failures that have not changed for a day. Each batch is a transaction that holds the
 * housekeeping lock.
 * @returns the numbers of deleted rows; undefined if another instance holds the lock
 */
export async function purgeExpired(db: Kysely<Database>): Promise<Purged | undefined> {
  const purged: Purged = { sessions: 0, tokens: 0, loginFailures: 0, logoutTokens: 0, challenges: 0, changes: 0 }
  for (;;) {
    const batch = await db.transaction().execute(async (transaction) => {
      if (!(await tryLock(transaction, 'housekeeping'))) return undefined
      const { rows } = await sql<Purged>`
        with expired_sessions as (
          delete from sessions where id_hash in (
            select id_hash from sessions where expires_at <= now() limit ${BATCH_ROWS}
          ) returning 1
        ), expired_tokens as (
          delete from api_tokens where id in (
            select id from api_tokens where expires_at <= now() limit ${BATCH_ROWS}
          ) returning 1
        ), forgotten_failures as (
          delete from login_failures where (network, account_hash) in (
            select network, account_hash from login_failures
            where changed_at < now() - interval '1 day' limit ${BATCH_ROWS}
          ) returning 1
        ), spent_tokens as (
          delete from spent_logout_tokens where token_hash in (
            select token_hash from spent_logout_tokens where expires_at <= now() limit ${BATCH_ROWS}
          ) returning 1
        ), expired_challenges as (
          delete from passkey_challenges where challenge in (
            select challenge from passkey_challenges where expires_at <= now() limit ${BATCH_ROWS}
          ) returning 1
        ), old_changes as (
          delete from changes where (kind, changed_at, scope_id, object_id) in (
            select kind, changed_at, scope_id, object_id from changes
            where kind = any(${[...CHANGE_KINDS]}::text[]) and changed_at < now() - make_interval(days => ${CHANGES_KEPT_DAYS} + 1)
            limit ${BATCH_ROWS}
          ) returning 1
        ), expired_confirmations as (
          delete from address_confirmations where expires_at <= now()
        )
        select (select count(*) from expired_sessions) as sessions, (select count(*) from expired_tokens) as tokens,
          (select count(*) from forgotten_failures) as "loginFailures",
          (select count(*) from spent_tokens) as "logoutTokens",
          (select count(*) from expired_challenges) as challenges, (select count(*) from old_changes) as changes`.execute(
        transaction,
      )
      return rows[0]
    })
    if (batch === undefined) return undefined
    for (const key of Object.keys(purged) as (keyof Purged)[]) purged[key] += batch[key]
    if (Object.values(batch).every((count) => count < BATCH_ROWS)) return purged
  }
}

/** Deletes unused pictures and returns their number; undefined if another instance holds the lock. */
export async function purgePictures(db: Kysely<Database>): Promise<number | undefined> {
  return db.transaction().execute(async (transaction) => {
    if (!(await tryLock(transaction, 'housekeeping'))) return undefined
    return deleteUnusedPictures(transaction)
  })
}
