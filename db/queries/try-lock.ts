import { sql, type Transaction } from 'kysely'
import type { Database } from '../types.js'

/** Work that only one instance does at a time */
type OneAtATime = 'import' | 'search index' | 'housekeeping' | 'mail'

/** Returns false if another instance holds the lock, which ends with the transaction. */
export async function tryLock(transaction: Transaction<Database>, what: OneAtATime): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtext(${`svc-training ${what}`})) as locked`.execute(transaction)
  return rows[0]?.locked === true
}
