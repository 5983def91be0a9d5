import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../types.js'

/**
 * Pauses the webhooks of a restored backup and settles their waiting events. Most of these were sent after the backup was
 * made, and the store may be a copy, or have an address that was changed since. A webhook that an administrator had
 * paused stays as it is, because nothing of it is sent before an administrator resumes it. Must run in the transaction of
 * the restore, and works on the schema of any backup; therefore the cause is `hand` until `nameRestore`.
 * @returns ids of the paused webhooks
 */
export async function holdWebhooks(transaction: Transaction<Database>): Promise<number[]> {
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass('webhooks') is not null as exists`.execute(transaction)
  if (!tables[0]?.exists) return []
  const { rows } = await sql<{ id: number }>`
    with held as (
      update webhooks set paused_at = now(), pause_cause = 'hand' where pause_cause is distinct from 'hand' returning id
    ), settled as (
      update webhook_events set state = 'failed', status = null, fault = 'restore', answer = null
      where state = 'waiting' and webhook_id in (select id from held)
    )
    select id from held`.execute(transaction)
  return rows.map(({ id }) => id)
}

/** Names the restore as the cause of the pause of these webhooks. The schema must be the current one. */
export async function nameRestore(db: Kysely<Database>, held: readonly number[]): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ pause_cause: 'restore' })
    .where('id', '=', ({ fn, val }) => fn.any(val([...held])))
    // A service that runs during the restore may have resumed one already.
    .where('pause_cause', '=', 'hand')
    .execute()
}
