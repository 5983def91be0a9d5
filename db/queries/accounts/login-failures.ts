import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  ACCOUNT_LIMIT,
  ADDRESS_LIMIT,
  type LoginAttempt,
  type LoginLimit,
  SITE_ACCOUNT_LIMIT,
  SITE_LIMIT,
} from '../../../src/domain/accounts/login-limits.js'
import type { Database } from '../../types.js'

// Raw SQL: the score is computed inside `on conflict do update`, and keys are compared as rows.

/** Account hash of the counter of a whole network */
const ANY_ACCOUNT = Buffer.alloc(0)

/** Maximum number of counted failures beyond the limit, so that a long attack is forgotten within hours */
const MAX_EXCESS = 10

interface Counter {
  network: string
  account: Buffer
  limit: LoginLimit
}

/** Returns the counters of an attempt, always in the same order, so that two transactions cannot deadlock. */
function countersOf({ network, site, accountHash }: LoginAttempt): Counter[] {
  const own = [
    { network, account: accountHash, limit: ACCOUNT_LIMIT },
    { network, account: ANY_ACCOUNT, limit: ADDRESS_LIMIT },
  ]
  if (site === undefined) return own
  return [
    ...own,
    { network: site, account: accountHash, limit: SITE_ACCOUNT_LIMIT },
    { network: site, account: ANY_ACCOUNT, limit: SITE_LIMIT },
  ]
}

/** Returns the seconds that the attempt must wait; 0 if it may proceed. */
export async function findLoginDelay(db: Kysely<Database>, attempt: LoginAttempt): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    select ${secondsUntil(sql`max(blocked_until)`)} as seconds from login_failures
    where (network, account_hash) in (${sql.join(countersOf(attempt).map(keyOf))}) and ${isInForce()}`.execute(db)
  return rows[0]?.seconds ?? 0
}

/**
 * Counts a failure in each counter of the attempt, except in counters that have begun to block attempts during the
 * verification.
 * @returns false if at least one counter already blocked attempts
 */
export async function addLoginFailure(db: Kysely<Database>, attempt: LoginAttempt): Promise<boolean> {
  const counters = countersOf(attempt)
  const limits = counters.map(({ network, account, limit }) => {
    return sql`(old.network = ${network} and old.account_hash = ${account}::bytea, ${numbersOf(limit)})`
  })
  const result = await sql`
    insert into login_failures as old (network, account_hash, score)
    values ${sql.join(counters.map(({ network, account }) => sql`(${network}, ${account}, 1)`))}
    on conflict on constraint login_failures_pkey do update set (score, blocked_until, changed_at) = (
      select score,
        case when score > forgiven then
          now() + make_interval(secs => least(max_delay, first_delay * power(2, ceil(score - forgiven) - 1)))
        end,
        now()
      from (
        select *, least(forgiven + ${MAX_EXCESS},
          1 + greatest(0, old.score - greatest(0, extract(epoch from now() - old.changed_at)) * per_hour / 3600)) as score
        from (values ${sql.join(limits)}) as limits (applies, forgiven, per_hour, first_delay, max_delay)
        where applies
      ) as counted
    )
    where (${isInForce('old')}) is not true`.execute(db)
  return Number(result.numAffectedRows ?? 0) === counters.length
}

/**
 * Must be called after a successful verification. Returns the seconds that the attempt must wait because a counter
 * began to block attempts during the verification. If the attempt need not wait, clears the counters of the account in
 * the network and in its IPv6 /48. The counters of whole networks remain, because otherwise the owner of one account
 * could guess the passwords of other accounts without limit.
 */
export async function forgiveLoginFailures(db: Kysely<Database>, attempt: LoginAttempt): Promise<number> {
  const counters = countersOf(attempt)
  const ofAccount = counters.filter(({ account }) => account !== ANY_ACCOUNT)
  const { rows } = await sql<{ seconds: number | null }>`
    with limits as (
      select blocked_until from login_failures
      where (network, account_hash) in (${sql.join(counters.map(keyOf))}) and ${isInForce()}
    ), forgotten as (
      delete from login_failures
      where (network, account_hash) in (${sql.join(ofAccount.map(keyOf))}) and not exists (select from limits)
    )
    select ${secondsUntil(sql`max(blocked_until)`)} as seconds from limits`.execute(db)
  return rows[0]?.seconds ?? 0
}

function keyOf({ network, account }: Counter): RawBuilder<unknown> {
  return sql`(${network}, ${account}::bytea)`
}

function numbersOf({ forgiven, forgottenPerHour, firstDelaySeconds, maxDelaySeconds }: LoginLimit) {
  return sql`${forgiven}::double precision, ${forgottenPerHour}::double precision,
    ${firstDelaySeconds}::double precision, ${maxDelaySeconds}::double precision`
}

/**
 * Builds the condition that a counter blocks attempts. Ignores a delay of more than twice the maximum, which can only
 * come from a wrong clock.
 */
function isInForce(table = 'login_failures') {
  const until = sql.ref(`${table}.blocked_until`)
  return sql`${until} > now() and ${until} <= now() + make_interval(secs => ${2 * ACCOUNT_LIMIT.maxDelaySeconds})`
}

function secondsUntil(instant: RawBuilder<unknown>) {
  return sql`ceil(extract(epoch from ${instant} - now()))::integer`
}
