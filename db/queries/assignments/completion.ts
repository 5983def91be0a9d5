import { type Kysely, sql } from 'kysely'
import type { Database } from '../../types.js'
import { insertOccurrenceEvents } from '../webhooks/announce.js'

// Raw SQL: each statement reads and writes in several CTEs, so that no attempt or review counts twice.

export type OccurrenceFilter = { assignmentId: number } | { userId: number } | { ids: readonly number[] }

export function matchesFilter(filter: OccurrenceFilter) {
  if ('assignmentId' in filter) return sql`occurrences.assignment_id = ${filter.assignmentId}`
  if ('userId' in filter) return sql`occurrences.user_id = ${filter.userId}`
  return sql`occurrences.id = any(${filter.ids}::integer[])`
}

/**
 * Builds the condition that an attempt or review at this time counts for an occurrence: in its period, until it was
 * missed, and again after it was reopened.
 */
const countsAt = (time: string) =>
  sql`${sql.ref(time)} >= counts_from
    and (missed_at is null or ${sql.ref(time)} < missed_at or coalesce(${sql.ref(time)} >= reopened_at, false))`

/** Builds the time from which attempts at a part count in an ordered assignment; `infinity` if it is not open yet. */
const opensAt = (position: string) => sql`case when not ordered then '-infinity' else (
  select case when count(*) < ${sql.ref(position)} then 'infinity' else coalesce(max(before.done_at), '-infinity') end
  from occurrence_parts as before
  where before.occurrence_id = occurrences.id and before.position < ${sql.ref(position)}) end`

/** An open occurrence, or a missed one that a test which was begun before can still complete */
const IS_PENDING = sql`(state in ('open', 'in_progress') or state = 'missed' and not exists (
  select from occurrences as later
  where later.assignment_id = occurrences.assignment_id and later.user_id = occurrences.user_id
    and later.period > occurrences.period and later.state = 'done'))`

/**
 * Marks parts of occurrences as done if a passed test or the reviews of a deck complete them, in any language of the
 * group; for a deck, that with the most progress decides. An attempt or review
 * counts for one period of an assignment only, the earliest one. In an ordered assignment, a test counts if it was begun
 * after its part has opened.
 * @returns whether it marked a part of an ordered assignment, which may open the next one
 */
export async function markDoneParts(db: Kysely<Database>, filter: OccurrenceFilter): Promise<boolean> {
  const { rows } = await sql<{ may_open: boolean }>`
    with pending as (
      select occurrences.id, occurrences.assignment_id, user_id, counts_from, missed_at, reopened_at, position, kind,
        test_id, deck_id, share_percent,
        counts_from is distinct from renewed_at and not exists (
          select from occurrences as earlier
          where earlier.assignment_id = occurrences.assignment_id and earlier.user_id = occurrences.user_id
            and earlier.period < occurrences.period
        ) as is_first, (
          select max(done.done_at)
          from occurrence_parts as done join occurrences as earlier on earlier.id = done.occurrence_id
          where earlier.assignment_id = occurrences.assignment_id and earlier.user_id = occurrences.user_id
            and earlier.period < occurrences.period and done.position = assignment_parts.position
        ) as used_until, ${opensAt('assignment_parts.position')} as opens_at
      from occurrences
        join assignments on assignments.id = occurrences.assignment_id and archived_at is null
        join assignment_parts on assignment_parts.assignment_id = occurrences.assignment_id
      where ${matchesFilter(filter)} and ${IS_PENDING} and kind in ('test', 'deck')
        and not exists (
          select from occurrence_parts
          where occurrence_id = occurrences.id and occurrence_parts.position = assignment_parts.position
        )
        and not exists (
          select from occurrences as earlier
          where earlier.assignment_id = occurrences.assignment_id and earlier.user_id = occurrences.user_id
            and earlier.state in ('open', 'in_progress') and earlier.period < occurrences.period
            and not exists (
              select from occurrence_parts as done
              where done.occurrence_id = earlier.id and done.position = assignment_parts.position
            )
        )
    ), found as (
      select pending.id, position, ended_at as done_at, taken.lang, taken.id as content_id
      from pending
        join tests as taken on coalesce(taken.translation_of, taken.id) = pending.test_id
        join attempts on attempts.user_id = pending.user_id and attempts.test_id = taken.id
          and passed and ${countsAt('started_at')} and started_at > coalesce(used_until, '-infinity')
          and started_at >= opens_at
      where kind = 'test'
      union all
      select pending.id, position, greatest(learnt.done_at, opens_at), member.lang, member.id
      from pending
        join decks as original on original.id = pending.deck_id and original.archived_at is null
        cross join lateral (
          select deck_id as id, lang from imported_decks where coalesce(translation_of, deck_id) = pending.deck_id
          union
          -- A deck of an early version has no row in imported_decks.
          select pending.deck_id, 'de'
          where not exists (select from imported_decks where imported_decks.deck_id = pending.deck_id)
        ) as member
        join decks on decks.id = member.id and decks.archived_at is null and decks.card_count > 0
        cross join lateral (
          select count(distinct card_id) as cards, max(review_log.created_at) as done_at
          from review_log
            join cards on cards.id = card_id and cards.deck_id = decks.id and cards.archived_at is null
          where review_log.user_id = pending.user_id and review_log.deck_id = decks.id and kind = 'review'
            and (share_percent is null or rating in ('medium', 'easy'))
            -- Reviews before the first period count as well: a learner who knows the deck need not learn it again.
            and (is_first and coalesce(review_log.created_at < missed_at, true) or ${countsAt('review_log.created_at')})
            and review_log.created_at > coalesce(used_until, '-infinity')
            and not exists (select from review_log as undo where undo.undoes = review_log.id)
        ) as learnt
      where pending.kind = 'deck' and opens_at < 'infinity' and learnt.cards >= ceil(decks.card_count * coalesce(share_percent, 100) / 100.0)
    ), marked as (
      insert into occurrence_parts (occurrence_id, position, done_at, lang, content_id)
      select first.id, position, first.done_at, lang, content_id
      from (
        -- Done in any language is done; the earliest one counts.
        select distinct on (id, position) * from found order by id, position, done_at, content_id
      ) as first
        join occurrences on occurrences.id = first.id
      order by first.id, position for key share of occurrences
      on conflict do nothing returning occurrence_id
    )
    select exists (
      select from marked
        join occurrences on occurrences.id = occurrence_id
        join assignments on assignments.id = assignment_id and ordered
    ) as may_open`.execute(db)
  return rows[0]?.may_open ?? false
}

/**
 * Updates the state of open occurrences from their done parts, and of missed ones that are complete, and writes the
 * events of the completed ones.
 * @param timeZone IANA name
 * @returns the persons who have completed one, and whether any completed occurrence of the filter lacks a certificate
 */
export async function updateStates(
  db: Kysely<Database>,
  filter: OccurrenceFilter,
  timeZone: string,
): Promise<{ user_ids: number[]; lacks_certificate: boolean }> {
  const { rows } = await sql<{ user_ids: number[]; lacks_certificate: boolean }>`
    with progress as (
      select occurrences.id, max(done.done_at) as done_at,
        max(coalesce(held_on, (done.done_at at time zone ${timeZone}::text)::date)) as done_on,
        count(*) = (
          select count(*) from assignment_parts where assignment_parts.assignment_id = occurrences.assignment_id
        ) as is_done
      from occurrences join occurrence_parts as done on occurrence_id = occurrences.id
      where state in ('open', 'in_progress', 'missed') and ${matchesFilter(filter)}
      group by occurrences.id
    ), changed as (
      update occurrences
      set state = case when is_done then 'done' else 'in_progress' end,
        done_at = case when is_done then progress.done_at end,
        done_on = case when is_done then greatest(period, progress.done_on) end
      from progress
      where occurrences.id = progress.id and (is_done or state = 'open') and state in ('open', 'in_progress', 'missed')
      returning occurrences.id, assignment_id, user_id, period, coalesce(extended_until, due_on) as due_on,
        occurrences.done_at, occurrences.done_on
    ), written as (
      ${insertOccurrenceEvents('assignment.completed', 'changed', sql`changed.done_at is not null`)}
    )
    select array(select distinct user_id from changed where done_at is not null) as user_ids,
      exists (select from changed where done_at is not null) or exists (
      -- Completed by a request that ended before it issued the certificate
      select from occurrences
      where state = 'done' and proof_deleted_on is null and ${matchesFilter(filter)}
        and not exists (select from proofs where occurrence_id = occurrences.id)
    ) as lacks_certificate`.execute(db)
  return rows[0] ?? { user_ids: [], lacks_certificate: false }
}

/** Effect of a person's open occurrences on the number of attempts that a required test allows. */
export interface AttemptCredit {
  /** Id of the original of the test */
  group_id: number
  /**
   * Attempts outside the period, which do not count towards the limit, plus granted attempts; the maximum if several
   * occurrences require the test
   */
  credit: number
  /** Latest `counts_from` of these occurrences */
  since: Date
  /** Whether each of these occurrences has a passed attempt, even if the part is not marked as done yet */
  has_passed: boolean
}

/**
 * Returns the credits for the tests that a person's open occurrences still require. Attempts in all languages count.
 * @param groupId id of the original; undefined for all tests
 */
export async function listAttemptCredits(
  db: Kysely<Database>,
  userId: number,
  groupId: number | undefined,
): Promise<AttemptCredit[]> {
  const { rows } = await sql<AttemptCredit>`
    select part.test_id as group_id, max(extra_attempts + (
        select count(*) from attempts join tests on tests.id = attempts.test_id
        where attempts.user_id = occurrences.user_id and coalesce(translation_of, tests.id) = part.test_id
          and (not (${countsAt('started_at')}) or started_at < ${opensAt('part.position')} and ${opensAt('part.position')} < 'infinity')
      ))::integer as credit,
      max(counts_from) as since,
      bool_and(exists (
        select from attempts join tests on tests.id = attempts.test_id
        where attempts.user_id = occurrences.user_id and coalesce(translation_of, tests.id) = part.test_id and passed
          and ${countsAt('started_at')} and started_at >= ${opensAt('part.position')}
      )) as has_passed
    from occurrences
      join assignments on assignments.id = assignment_id and archived_at is null
      join assignment_parts as part using (assignment_id)
    where user_id = ${userId} and state in ('open', 'in_progress') and part.test_id is not null
      and (${groupId ?? null}::integer is null or part.test_id = ${groupId ?? null}::integer)
      and not exists (
        select from occurrence_parts as done where done.occurrence_id = occurrences.id and done.position = part.position)
    group by part.test_id`.execute(db)
  return rows
}
