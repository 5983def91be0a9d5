import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/types.js'

/**
 * Moves the limits of failed logins five minutes into the future without changing their delays. The next request then
 * meets the limit, even if a busy machine takes longer than the delay to send it.
 */
export async function holdLoginLimits(db: Kysely<Database>): Promise<void> {
  await sql`
    update login_failures
    set changed_at = now() + interval '5 minutes', blocked_until = now() + interval '5 minutes' + (blocked_until - changed_at)
  `.execute(db)
}
