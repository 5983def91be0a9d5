import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  ACCOUNT_LIMIT,
  ADDRESS_LIMIT,
  type LoginAttempt,
  type LoginLimit,
} from '../../../src/domain/accounts/login-limits.js'
import type { Database } from '../../types.js'

/** The address as a whole. */
const ANY_ACCOUNT = Buffer.alloc(0)

/** Failures above what is forgiven are counted up to here, so that a long attack is forgotten within hours too. */
const MAX_EXCESS = 10

/** How many seconds the attempt must wait; 0 when it may go on. */
export async function findLoginDelay(db: Kysely<Database>, attempt: LoginAttempt): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    select ${secondsUntil(sql`max(blocked_until)`)} as seconds from login_failures
    where network = ${attempt.network} and account_hash in (${attempt.accountHash}, ${ANY_ACCOUNT})
      and ${isInForce()}`.execute(db)
  return rows[0]?.seconds ?? 0
}

/**
 * Counts a failure for the account at the address and for the address. Attempts that were verified while a limit came
 * into force are not counted any more. Always in the same order of rows, so that two at once wait for each other.
 * @returns how many rows counted it: fewer than 2 when a limit is in force
 */
export async function addLoginFailure(db: Kysely<Database>, attempt: LoginAttempt): Promise<number> {
  const result = await sql`
    insert into login_failures as old (network, account_hash, score)
    values (${attempt.network}, ${attempt.accountHash}, 1), (${attempt.network}, ${ANY_ACCOUNT}, 1)
    on conflict on constraint login_failures_pkey do update set (score, blocked_until, changed_at) = (
      select score,
        case when score > forgiven then
          now() + make_interval(secs => least(max_delay, first_delay * power(2, ceil(score - forgiven) - 1)))
        end,
        now()
      from (
        select *, least(forgiven + ${MAX_EXCESS},
          1 + greatest(0, old.score - greatest(0, extract(epoch from now() - old.changed_at)) * per_hour / 3600)) as score
        from (values (${ANY_ACCOUNT}::bytea = old.account_hash, ${numbersOf(ADDRESS_LIMIT)}),
          (${ANY_ACCOUNT}::bytea <> old.account_hash, ${numbersOf(ACCOUNT_LIMIT)})
        ) as limits (applies, forgiven, per_hour, first_delay, max_delay)
        where applies
      ) as counted
    )
    where (${isInForce('old')}) is not true`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

/**
 * After the right password: how many seconds the attempt must wait all the same, because a limit came into force while
 * the password was verified. When it need not, the mistypes of the account at the address are forgotten; the address
 * keeps its own, or whoever owns one account could try all others for ever.
 */
export async function forgiveLoginFailures(db: Kysely<Database>, attempt: LoginAttempt): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    with limits as (
      select blocked_until from login_failures
      where network = ${attempt.network} and account_hash in (${attempt.accountHash}, ${ANY_ACCOUNT})
        and ${isInForce()}
    ), forgotten as (
      delete from login_failures
      where network = ${attempt.network} and account_hash = ${attempt.accountHash} and not exists (select from limits)
    )
    select ${secondsUntil(sql`max(blocked_until)`)} as seconds from limits`.execute(db)
  return rows[0]?.seconds ?? 0
}

function numbersOf({ forgiven, forgottenPerHour, firstDelaySeconds, maxDelaySeconds }: LoginLimit) {
  return sql`${forgiven}::double precision, ${forgottenPerHour}::double precision,
    ${firstDelaySeconds}::double precision, ${maxDelaySeconds}::double precision`
}

/** A delay longer than any is of a clock that was ahead, and must not outlast its correction. */
function isInForce(table = 'login_failures') {
  const until = sql.ref(`${table}.blocked_until`)
  return sql`${until} > now() and ${until} <= now() + make_interval(secs => ${2 * ACCOUNT_LIMIT.maxDelaySeconds})`
}

function secondsUntil(instant: RawBuilder<unknown>) {
  return sql`ceil(extract(epoch from ${instant} - now()))::integer`
}
