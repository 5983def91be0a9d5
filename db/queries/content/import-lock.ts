import { sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'

/** Only one import writes at a time; the lock ends with the transaction. False when another one holds it. */
export async function tryLockImport(transaction: Transaction<Database>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('svc-training import')) as locked`.execute(transaction)
  return rows[0]?.locked === true
}
