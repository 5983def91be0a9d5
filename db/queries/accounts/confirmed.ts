import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Recheck } from '../../../src/domain/sign-in/settings.js'
import type { Database } from '../../types.js'

// Raw SQL: statements of every request share the condition, and some of them are raw SQL for speed.

/**
 * Builds the condition on `users` that the account is linked to the provider, and the provider has not confirmed the
 * person within the days of the rule. Accounts with emergency access are exempt. Compares times of the database only,
 * so that the clocks of instances do not matter.
 * @param recheck undefined if the rule is off
 */
export function isUnconfirmed(recheck: Recheck | undefined): RawBuilder<boolean> {
  if (recheck === undefined) return sql`false`
  return sql`(not users.emergency and coalesce((
    select max(confirmed_at) from identities where identities.user_id = users.id and issuer = any(${recheck.issuers}::text[])
  ) <= now() - make_interval(days => ${recheck.days}), false))`
}

/** Returns whether `isUnconfirmed` is true for the account. */
export async function findUnconfirmed(
  db: Kysely<Database>,
  userId: number,
  recheck: Recheck | undefined,
): Promise<boolean> {
  if (recheck === undefined) return false
  const { rows } = await sql<{ is_unconfirmed: boolean }>`
    select ${isUnconfirmed(recheck)} as is_unconfirmed from users where id = ${userId}`.execute(db)
  return rows[0]?.is_unconfirmed === true
}
