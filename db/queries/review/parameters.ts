import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { FittedParameters } from '../../../src/domain/review/parameters.js'
import type { Database } from '../../types.js'
import { readInTurn } from '../read-in-turn.js'

// Raw SQL: the statements aggregate JSON and percentiles, and limit subqueries without columns.

const ENTRIES_AT_ONCE = 5_000
const STATES_AT_ONCE = 5_000

interface Batch {
  lines: string | null
  last: number | null
}

/**
 * Yields the learner's reviews, undos and resets as CSV lines with the columns `HISTORY_COLUMNS`, in batches that are
 * read with short statements.
 * @param upTo id of the last log entry to read
 */
export async function* readHistory(db: Kysely<Database>, userId: number, upTo: number): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const position = after
    const read = () => readBatch(db, userId, position, upTo)
    // A transaction holds a connection, so it must not wait for other readers, which may wait for that connection.
    const { lines, last } = await (db.isTransaction ? read() : readInTurn(read))
    if (lines === null || last === null) return
    yield lines
    after = last
  }
}

async function readBatch(db: Kysely<Database>, userId: number, after: number, upTo: number): Promise<Batch> {
  const { rows } = await sql<Batch>`
    select string_agg(line, ${'\n'} order by id) as lines, max(id) as last
    from (
      select id, concat_ws(',', id, case kind when 'review' then 'r' when 'undo' then 'u' else 'x' end,
        coalesce(undoes::text, ''),
        coalesce((array_position(array['again', 'hard', 'medium', 'easy'], rating) - 1)::text, ''),
        studied_on - '1970-01-01'::date, (phase is not distinct from 'late')::integer,
        coalesce(before ->> 'last_review_id', ''), (before ->> 'stability' is not null)::integer) as line
      from review_log
      where user_id = ${userId} and id > ${after} and id <= ${upTo} and kind <> 'tomorrow'
      order by id limit ${ENTRIES_AT_ONCE}
    ) as entries`.execute(db)
  return rows[0] as Batch
}

export type StoredParameters = Pick<
  Selectable<Database['fitted_parameters']>,
  'current' | 'previous' | 'tried_at' | 'tried_items'
>

export interface FitState {
  /** Null if no fit of the parameters was tried */
  stored: StoredParameters | null
  adapt_intervals: boolean
  /** Id of the latest log entry; 0 if there is none */
  last_entry: number
}

export async function findFitState(db: Kysely<Database>, userId: number): Promise<FitState | undefined> {
  const { rows } = await sql<FitState>`
    select
      (select json_build_object('current', current, 'previous', previous, 'tried_at', tried_at, 'tried_items', tried_items)
        from fitted_parameters where user_id = users.id) as stored,
      coalesce((select adapt_intervals from review_settings where user_id = users.id), true) as adapt_intervals,
      coalesce((select max(id) from review_log where user_id = users.id), 0) as last_entry
    from users where id = ${userId}`.execute(db)
  return rows[0]
}

/** Records that a fit was tried; the parameters stay unchanged. */
export async function recordFitAttempt(
  db: Kysely<Database>,
  userId: number,
  attempt: { tried_at: Date; tried_items: number },
): Promise<void> {
  await db
    .insertInto('fitted_parameters')
    .values({ user_id: userId, ...attempt })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(attempt))
    .execute()
}

/**
 * Replaces the learner's parameters and stores the former fitted ones, if there are any, as `previous`. Null restores
 * the defaults.
 */
export async function replaceParameters(
  transaction: Transaction<Database>,
  userId: number,
  parameters: FittedParameters | null,
): Promise<void> {
  const current = parameters === null ? null : JSON.stringify(parameters)
  const attempt = parameters === null ? {} : { tried_at: new Date(parameters.fitted_at), tried_items: parameters.items }
  await transaction
    .insertInto('fitted_parameters')
    .values({ user_id: userId, current, tried_at: new Date(0), tried_items: 0, ...attempt })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(({ ref }) => ({
        previous: sql<
          string | null
        >`coalesce(${ref('fitted_parameters.current')}, ${ref('fitted_parameters.previous')})`,
        current,
        ...attempt,
      })),
    )
    .execute()
}

/** Memory states as columns of equal length, with the ids of the reviews that produced them */
interface States {
  review_ids: ArrayLike<number>
  stabilities: ArrayLike<number>
  difficulties: ArrayLike<number>
}

/**
 * Stores recomputed memory states; dates and counts stay unchanged. Sets `states_since` to the latest log entry,
 * because this entry and all earlier entries hold states of the former parameters.
 */
export async function storeStates(transaction: Transaction<Database>, userId: number, states: States): Promise<void> {
  const { review_ids, stabilities, difficulties } = states
  for (let first = 0; first < review_ids.length; first += STATES_AT_ONCE) {
    const part = (column: ArrayLike<number>) => Array.prototype.slice.call(column, first, first + STATES_AT_ONCE)
    await sql`
      update card_progress set stability = state.stability, difficulty = state.difficulty
      from unnest(${part(review_ids)}::bigint[], ${part(stabilities)}::double precision[],
        ${part(difficulties)}::double precision[]) as state (review_id, stability, difficulty)
      where user_id = ${userId} and last_review_id = state.review_id and card_progress.stability is not null
    `.execute(transaction)
  }
  await sql`
    update fitted_parameters
    set states_since = coalesce((select max(id) from review_log where user_id = ${userId}), 0)
    where user_id = ${userId}`.execute(transaction)
}

export interface FitCriteria {
  /** Only users with a higher id */
  after: number
  limit: number
  /** Latest permitted day of the learner's first log entry, `YYYY-MM-DD` */
  firstBefore: string
  /** Latest permitted time of the last attempt to fit, if there was an attempt */
  triedBefore: Date
  /** Minimum number of recalls */
  minItems: number
  /** Minimum ratio of the number of recalls to the number at the last attempt */
  growth: number
}

/**
 * Returns the ids of learners who meet the criteria and have not disabled `adapt_intervals`, ascending. Counts undone
 * recalls as well, so the fit must count the recalls again.
 */
export async function listFitCandidates(db: Kysely<Database>, criteria: FitCriteria): Promise<number[]> {
  const { after, limit, firstBefore, triedBefore, minItems, growth } = criteria
  const needed = sql`
    greatest(${minItems}::integer, ceil(coalesce(fit.tried_items, 0) * ${growth}::double precision))::integer`
  const { rows } = await sql<{ id: number }>`
    select users.id
    from users
    left join review_settings on review_settings.user_id = users.id
    left join fitted_parameters as fit on fit.user_id = users.id
    where users.id > ${after} and adapt_intervals is not false
      and (tried_at is null or tried_at <= ${triedBefore}::timestamptz)
      and (select min(studied_on) from review_log where user_id = users.id) <= ${firstBefore}::date
      and (
        select count(*) from (
          select from review_log where user_id = users.id and phase = 'recall' and kind = 'review' limit ${needed}
        ) as recalls
      ) >= ${needed}
    order by users.id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Returns the number of the learner's recalls, at most `limit`, and the median duration in milliseconds of the last
 * 1,000 reviews with a duration; null if there are none.
 */
export async function findFitNumbers(
  db: Kysely<Database>,
  userId: number,
  limit: number,
): Promise<{ items: number; median_ms: number | null }> {
  const { rows } = await sql<{ items: number; median_ms: number | null }>`
    select
      (select count(*) from (
        select from review_log where user_id = ${userId} and phase = 'recall' and kind = 'review' limit ${limit}
      ) as recalls) as items,
      (select percentile_disc(0.5) within group (order by duration_ms) from (
        select duration_ms from review_log
        where user_id = ${userId} and kind = 'review' and duration_ms > 0
        order by studied_on desc limit 1000
      ) as latest) as median_ms`.execute(db)
  return rows[0] as { items: number; median_ms: number | null }
}
