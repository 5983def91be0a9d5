import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table occurrences
      add column missed_at timestamptz,
      add column reopened_at timestamptz,
      add column proof_deleted_on date,
      drop constraint occurrences_state_check,
      add constraint occurrences_state_check
        check (state in ('open', 'in_progress', 'done', 'exempt', 'recognised', 'missed', 'left')),
      add constraint occurrences_missed_check check (state <> 'missed' or missed_at is not null)`.execute(db)
  await sql`
    comment on column occurrences.missed_at is
      'Start of the day on which the time was over. Attempts that began later do not count'`.execute(db)
  await sql`
    comment on column occurrences.reopened_at is
      'When the responsible person opened a missed occurrence again; attempts count from then on'`.execute(db)
  await sql`
    comment on column occurrences.proof_deleted_on is
      'Day on which the certificate was deleted after its retention; none is issued again'`.execute(db)
  await sql`alter table occurrence_parts add column sheet_version integer`.execute(db)
  await sql`
    comment on column occurrence_parts.sheet_version is 'Version of the sheet that the person confirmed'`.execute(db)
  await sql`
    create index occurrences_missed_idx on occurrences (assignment_id, user_id, period) where state = 'missed'`.execute(
    db,
  )
  let settled: bigint | undefined
  do {
    settled = await settle(db)
    await countFromCompletion(db)
  } while ((settled ?? 0n) > 0n)
  await missOlder(db)
}

const IS_OPEN = sql`state in ('open', 'in_progress')`

/** Condition that all parts are done; the next planning marks such an occurrence as done. */
const IS_COMPLETE = sql`not exists (
  select from assignment_parts as part where part.assignment_id = occurrences.assignment_id and not exists (
    select from occurrence_parts as done where done.occurrence_id = occurrences.id and done.position = part.position))`

/** Marks parts as done by passes and reviews already made, by the earlier rule: for the oldest open occurrence only. */
async function settle(db: Kysely<unknown>): Promise<bigint | undefined> {
  const { numAffectedRows } = await sql`
    with incomplete as (
      select id, assignment_id, user_id, period, counts_from from occurrences where ${IS_OPEN} and not ${IS_COMPLETE}
    ), pending as (
      select incomplete.*, position, kind, test_id, deck_id, share_percent,
        counts_from is distinct from renewed_at and not exists (
          select from occurrences as earlier
          where earlier.assignment_id = incomplete.assignment_id and earlier.user_id = incomplete.user_id
            and earlier.period < incomplete.period
        ) as is_first
      from incomplete
        join assignments on assignments.id = incomplete.assignment_id and archived_at is null
        join assignment_parts on assignment_parts.assignment_id = incomplete.assignment_id
      where not exists (
          select from incomplete as earlier
          where earlier.assignment_id = incomplete.assignment_id and earlier.user_id = incomplete.user_id
            and earlier.period < incomplete.period
        )
        and not exists (
          select from occurrence_parts
          where occurrence_id = incomplete.id and occurrence_parts.position = assignment_parts.position
        )
    ), found as (
      select pending.id, position, min(ended_at) as done_at
      from pending
        join attempts on attempts.user_id = pending.user_id and attempts.test_id = pending.test_id
          and passed and started_at >= counts_from
      where kind = 'test'
      group by pending.id, position
      union all
      select pending.id, position, learnt.done_at
      from pending
        join decks on decks.id = deck_id and decks.archived_at is null and card_count > 0
        cross join lateral (
          select count(distinct card_id) as cards, max(review_log.created_at) as done_at
          from review_log
            join cards on cards.id = card_id and cards.deck_id = pending.deck_id and cards.archived_at is null
          where review_log.user_id = pending.user_id and review_log.deck_id = pending.deck_id and kind = 'review'
            and (share_percent is null or rating in ('medium', 'easy'))
            and (is_first or review_log.created_at >= counts_from)
            and not exists (select from review_log as undo where undo.undoes = review_log.id)
        ) as learnt
      where pending.kind = 'deck' and learnt.cards >= ceil(card_count * coalesce(share_percent, 100) / 100.0)
    )
    insert into occurrence_parts (occurrence_id, position, done_at) select id, position, done_at from found
    on conflict do nothing`.execute(db)
  return numAffectedRows
}

/** Lets later open occurrences count only what was done after the completion of an earlier one. */
async function countFromCompletion(db: Kysely<unknown>): Promise<void> {
  await sql`
    with complete as (
      select assignment_id, user_id, period,
        (select max(done_at) from occurrence_parts where occurrence_id = occurrences.id) as done_at
      from occurrences where ${IS_OPEN} and ${IS_COMPLETE}
    )
    update occurrences set counts_from = greatest(counts_from, complete.done_at + interval '1 millisecond')
    from complete
    where occurrences.assignment_id = complete.assignment_id and occurrences.user_id = complete.user_id
      and occurrences.period > complete.period and ${IS_OPEN}`.execute(db)
}

/** Leaves only the newest open occurrence of each person and assignment open. */
async function missOlder(db: Kysely<unknown>): Promise<void> {
  await sql`
    with ordered as (
      select id, lead(counts_from) over (partition by assignment_id, user_id order by period) as next_from
      from occurrences where ${IS_OPEN}
    )
    update occurrences set state = 'missed', missed_at = next_from from ordered
    where occurrences.id = ordered.id and next_from is not null`.execute(db)
}
