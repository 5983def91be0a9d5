import { sql, type Transaction } from 'kysely'
import type { Database } from '../types.js'

type OneAtATime = 'import' | 'search index' | 'housekeeping' | 'mail'

/** Takes an advisory lock until the transaction ends; returns false if another transaction holds it. */
export async function tryLock(transaction: Transaction<Database>, what: OneAtATime): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtext(${`svc-training ${what}`})) as locked`.execute(transaction)
  return rows[0]?.locked === true
}
