import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Learner } from '../../../src/domain/content/learner.js'
import {
  type CardState,
  DEFAULT_SETTINGS,
  type NewEntry,
  type Rating,
  type Remaining,
  type ReviewPhase,
  type SchedulerSettings,
} from '../../../src/domain/review/review.js'
import { MATURE_DAYS } from '../../../src/domain/review/statistics.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { inactiveCtes, learnerColumns } from '../content/preferred.js'

// Raw SQL: the shared CTEs are parts of several statements, and an entry writes the log and the state at once.

export interface StudySettings extends SchedulerSettings {
  new_per_day: number
  type_answers: boolean
}

export interface StudyScope extends Learner {
  /** Calendar day as `YYYY-MM-DD` */
  today: string
  /** Undefined for all decks */
  deckSlug: string | undefined
}

/** Builds the condition that the queue includes a deck of `deck_counts`. The queue of all decks omits inactive ones. */
export function isStudied({ deckSlug }: StudyScope): RawBuilder<boolean> {
  return deckSlug === undefined ? sql`is_active` : sql`true`
}

/** Builds a CTE with the learner's settings or the defaults. Fitted weights apply only if `adapt_intervals` is on. */
export function settingsCte(userId: number): RawBuilder<StudySettings> {
  return sql`
    settings as (
      select coalesce(new_per_day, ${DEFAULT_SETTINGS.new_per_day}::integer) as new_per_day,
        coalesce(desired_retention, ${DEFAULT_SETTINGS.desired_retention}::double precision) as desired_retention,
        coalesce(maximum_interval, ${DEFAULT_SETTINGS.maximum_interval}::integer) as maximum_interval,
        coalesce(free_weekdays, '{}') as free_weekdays,
        coalesce(type_answers, false) as type_answers,
        case when adapt_intervals is not false
          then (select current -> 'w' from fitted_parameters where user_id = ${userId}) end as weights
      from (select) as always left join review_settings on user_id = ${userId}
    )`
}

/**
 * Builds the desired retention of a deck: set by the learner, or else by the author, or else null for the general
 * setting. Does no lookup per row if neither the learner nor an author has set a retention for any deck.
 */
export function deckRetention(userId: number, deckId: string): RawBuilder<number | null> {
  return sql`case when (
    select exists (select from deck_retentions where user_id = ${userId}) or exists (select from deck_defaults)
  ) then coalesce(
    (select desired_retention from deck_retentions where user_id = ${userId} and deck_id = ${sql.ref(deckId)}),
    (select desired_retention from deck_defaults where deck_id = ${sql.ref(deckId)})
  ) end`
}

/**
 * Builds CTEs `settings`, `extra` (today's extra new cards), `introduced` (new cards studied today, by deck), `put_off`
 * (new cards put off until tomorrow), those of `inactiveCtes`, `deck_counts` (one row per deck) and `remaining` (one row; `decks` is 0 if the
 * deck of the scope does not exist). Reads the user's rows and `card_count` instead of scanning cards. A `limit 1` in a
 * lateral join makes the planner look up each card; it would otherwise join a few suspended cards with the progress of
 * all users.
 */
export function countCtes(scope: StudyScope): RawBuilder<unknown> {
  const { userId, today, deckSlug } = scope
  const inScope = deckSlug === undefined ? sql`true` : isStorable(deckSlug) ? sql`decks.slug = ${deckSlug}` : sql`false`
  return sql`
    ${settingsCte(userId)},
    extra as (select extra_new from review_settings where user_id = ${userId} and extra_new_on = ${today}::date),
    introduced as (
      select deck_id, sum(case kind when 'review' then 1 else -1 end) as cards
      from review_log
      where user_id = ${userId} and studied_on = ${today}::date and phase = 'new' and kind in ('review', 'undo')
      group by deck_id
    ),
    seen as (
      select deck_id, count(*) as cards, count(*) filter (where next_review <= ${today}::date) as due
      from card_progress
      where user_id = ${userId} and deck_id is not null
      group by deck_id
    ),
    put_off as materialized (
      -- Cards that are still new and were put off until tomorrow, including suspended ones
      select entry.card_id, card.deck_id
      from review_log as entry
      cross join lateral (
        select deck_id from cards where id = entry.card_id and archived_at is null limit 1
      ) as card
      where entry.user_id = ${userId} and studied_on = ${today}::date and kind = 'tomorrow' and entry.before is null
        and entry.phase is null
        and not exists (
          select from card_progress where user_id = ${userId} and card_progress.card_id = entry.card_id
        )
        and not exists (
          select from review_log as later
          where later.user_id = ${userId} and later.id > entry.id and later.card_id = entry.card_id
            and (later.undoes = entry.id or (later.kind = 'review' and later.phase <> 'late' and not exists (
              select from review_log as undo where undo.user_id = ${userId} and undo.undoes = later.id
            )))
        )
      group by entry.card_id, card.deck_id
    ),
    suspended as (
      select deck_id, count(*) as cards,
        count(*) filter (where progress_id is null) as unseen,
        count(*) filter (where next_review <= ${today}::date) as due
      from (
        -- A progress row has the deck of its card while the card is live, so only unseen cards are looked up.
        select progress.id as progress_id, next_review, coalesce(progress.deck_id, card.deck_id) as deck_id
        from suspended_cards
        left join lateral (
          select id, deck_id, next_review from card_progress
          where user_id = ${userId} and card_id = suspended_cards.card_id
          limit 1
        ) as progress on true
        left join lateral (
          select deck_id from cards
          where progress.id is null and id = suspended_cards.card_id and archived_at is null
          limit 1
        ) as card on true
        where suspended_cards.user_id = ${userId}
      ) as suspended_card
      where deck_id is not null
      group by deck_id
    ),
    ${inactiveCtes(learnerColumns(scope))},
    deck_counts as (
      select decks.id, decks.slug, decks.name, decks.sort_order, card_count,
        coalesce(seen.due, 0) - coalesce(suspended.due, 0) as due,
        card_count - coalesce(seen.cards, 0) - coalesce(suspended.unseen, 0) as unseen,
        coalesce(waiting.cards, 0) as put_off,
        coalesce(suspended.cards, 0) as suspended,
        decks.id not in (select deck_id from inactive) as is_active,
        decks.id not in (select id from other_variants) as is_preferred
      from decks
      left join seen on seen.deck_id = decks.id
      left join suspended on suspended.deck_id = decks.id
      left join (
        select deck_id, count(*) as cards
        from put_off
        where not exists (
          select from suspended_cards where user_id = ${userId} and suspended_cards.card_id = put_off.card_id
        )
        group by deck_id
      ) as waiting on waiting.deck_id = decks.id
      where decks.archived_at is null and ${inScope}
    ),
    remaining as (
      select count(*)::integer as decks, coalesce(sum(due) filter (where ${isStudied(scope)}), 0)::integer as due,
        coalesce(sum(unseen - put_off) filter (where ${isStudied(scope)}), 0)::integer as unseen,
        ((select new_per_day from settings) + coalesce((select extra_new from extra), 0)
          - coalesce((select sum(cards) from introduced), 0))::integer as new_allowed
      from deck_counts
    )`
}

/** Interval that the latest review set, in days; null if unknown */
export const INTERVAL = sql<number | null>`coalesce(put_off_from, next_review) - last_review`

/**
 * Builds CTEs `studied` with the user's progress rows in the decks of `deck_counts`, without suspended cards, and
 * `maturity` with the number of young and mature cards by deck. Must follow `countCtes`.
 */
export function maturityCtes(userId: number): RawBuilder<unknown> {
  return sql`
    studied as (
      select deck_id, next_review, coalesce(${INTERVAL} >= ${MATURE_DAYS}, false) as is_mature
      from card_progress as progress
      where user_id = ${userId} and deck_id in (select id from deck_counts)
        and not exists (
          select from suspended_cards where user_id = ${userId} and suspended_cards.card_id = progress.card_id
        )
    ),
    maturity as (
      select deck_id, count(*) filter (where not is_mature) as young, count(*) filter (where is_mature) as mature
      from studied group by deck_id
    )`
}

export const stateOf = (row: string) => {
  const of = (column: string) => sql.ref(`${row}.${column}`)
  return sql`json_build_object('last_rating', ${of('last_rating')}, 'next_review', ${of('next_review')},
    'stability', ${of('stability')}, 'difficulty', ${of('difficulty')}, 'last_review', ${of('last_review')},
    'reps', ${of('reps')}, 'lapses', ${of('lapses')}, 'last_review_id', ${of('last_review_id')},
    'put_off_from', ${of('put_off_from')})`
}

/** Serialises the user's reviews until the transaction ends; returns false if the user has been deleted. */
export async function lockLearner(transaction: Transaction<Database>, userId: number): Promise<boolean> {
  const user = await transaction
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return user !== undefined
}

/**
 * Locks the learner as `lockLearner` does, and then the card against moving and archiving. The card's deck and state
 * must be read with a later statement, because the lock may have waited for an import that moved the card. An archived
 * card is locked as well, because a script could restore it before the next statement.
 */
export async function lockLearnerAndCard(
  transaction: Transaction<Database>,
  userId: number,
  cardId: number,
): Promise<boolean> {
  const user = await transaction
    .with('learner', (cte) => cte.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate())
    .selectFrom('learner')
    .leftJoin(
      (eb) => eb.selectFrom('cards').select('id').where('id', '=', cardId).forShare().as('card'),
      (join) => join.onTrue(),
    )
    .select('learner.id')
    .executeTakeFirst()
  return user !== undefined
}

export interface LearnerCard {
  /** Null if the card or its deck is archived, or if the card does not exist */
  deck_id: number | null
  /** Null if the card has never been reviewed or has been reset, or if it is archived */
  state: CardState | null
  is_suspended: boolean
  /** Whether the card is new and was put off today until tomorrow */
  is_put_off: boolean
  /** Whether the card's deck is active; false if the card is not live */
  is_active: boolean
  remaining: Remaining
  settings: StudySettings
  /** Desired retention of the deck; null if the general setting of the learner applies */
  deck_retention: number | null
}

/** The stored response to an earlier request with the same client id. */
export interface EarlierReview {
  id: number
  card_id: number
  /** Null if the card was put off */
  rating: Rating | null
  phase: ReviewPhase | null
  after: CardState | null
  response: unknown
}

export interface ReviewSituation extends LearnerCard {
  earlier: EarlierReview | null
  /** Time of the latest review or reset that the card's state includes; null if there is none */
  latest_at: Date | null
}

/**
 * Reads the input of a review in one statement and locks the progress against scripts. The caller must have locked the
 * card before, because archiving a card locks the card and then its progress.
 */
export async function findLearnerCard(
  transaction: Transaction<Database>,
  learner: Learner,
  cardId: number,
  today: string,
  clientId: string | null,
): Promise<ReviewSituation> {
  const { userId } = learner
  const { rows } = await sql<ReviewSituation>`
    with ${countCtes({ ...learner, today, deckSlug: undefined })},
    card as (select id, deck_id from cards where id = ${cardId} and archived_at is null),
    progress as (
      select * from card_progress where user_id = ${userId} and card_id in (select id from card) for update
    )
    select
      (select deck_id from card join deck_counts on deck_counts.id = deck_id) as deck_id,
      coalesce((select is_active from card join deck_counts on deck_counts.id = deck_id), false) as is_active,
      (select ${stateOf('progress')} from progress) as state,
      exists (select from suspended_cards where user_id = ${userId} and card_id = ${cardId}) as is_suspended,
      exists (select from put_off where card_id = ${cardId}) as is_put_off,
      greatest(
        (select created_at from review_log
          where user_id = ${userId} and id = (select last_review_id from progress)),
        (select max(created_at) from review_log
          where user_id = ${userId} and card_id = ${cardId} and kind = 'reset')
      ) as latest_at,
      (select json_build_object('id', id, 'card_id', card_id, 'rating', rating, 'phase', phase, 'after', after,
          'response', answer)
        from review_log where user_id = ${userId} and client_id = ${clientId}::text) as earlier,
      to_json(remaining) as remaining, to_json(settings) as settings,
      (select ${deckRetention(userId, 'card.deck_id')} from card) as deck_retention
    from remaining cross join settings`.execute(transaction)
  return rows[0] as ReviewSituation
}

/** A script has inserted a progress row for a card that was read as never seen, so the computed state is invalid. */
export class ProgressAppeared extends Error {}

/**
 * Appends a log entry and stores its `after` as the card's state in one statement. The state stays unchanged if the
 * entry is late and is not an undo, or if the card was new and stays new. Returns the entry's id.
 * @throws ProgressAppeared if `before` is null but a script has inserted a progress row in the meantime
 */
export async function appendEntry(transaction: Transaction<Database>, entry: NewEntry): Promise<number> {
  const { user_id, card_id, after } = entry
  const appended = sql`
    entry as (
      insert into review_log (user_id, card_id, deck_id, kind, undoes, rating, previous_rating, phase, interval_days,
        duration_ms, studied_on, created_at, client_id, before, after, answer)
      values (${user_id}, ${card_id}, ${entry.deck_id}, ${entry.kind}, ${entry.undoes}, ${entry.rating},
        ${entry.previous_rating}, ${entry.phase}, ${entry.interval_days}, ${entry.duration_ms}, ${entry.studied_on},
        ${entry.created_at}, ${entry.client_id}, ${json(entry.before)}::jsonb, ${json(after)}::jsonb,
        ${json(entry.response)}::jsonb)
      returning id
    )`
  const isStateKept = entry.phase === 'late' ? entry.kind !== 'undo' : entry.before === null && after === null
  if (isStateKept) {
    const { rows } = await sql<{ id: number }>`with ${appended} select id from entry`.execute(transaction)
    return (rows[0] as { id: number }).id
  }
  const { rows } =
    after === null
      ? await sql<{ id: number; is_written: boolean }>`
          with ${appended},
          forgotten as (delete from card_progress where user_id = ${user_id} and card_id = ${card_id})
          select id, true as is_written from entry`.execute(transaction)
      : await sql<{ id: number; is_written: boolean }>`
          with ${appended},
          written as (
            insert into card_progress (user_id, card_id, last_rating, next_review, stability, difficulty, last_review,
              reps, lapses, last_review_id, put_off_from)
            select ${user_id}::integer, ${card_id}::integer, ${after.last_rating}::text, ${after.next_review}::date,
              ${after.stability}::double precision, ${after.difficulty}::double precision, ${after.last_review}::date,
              ${after.reps}::integer, ${after.lapses}::integer,
              ${entry.kind === 'review' ? sql`id` : sql`${after.last_review_id}::bigint`},
              ${after.put_off_from ?? null}::date
            from entry
            on conflict (user_id, card_id) do update set last_rating = excluded.last_rating,
              next_review = excluded.next_review, stability = excluded.stability, difficulty = excluded.difficulty,
              last_review = excluded.last_review, reps = excluded.reps, lapses = excluded.lapses,
              last_review_id = excluded.last_review_id, put_off_from = excluded.put_off_from
              where ${entry.before !== null}::boolean
            returning id
          )
          select id, exists (select from written) as is_written from entry`.execute(transaction)
  const { id, is_written } = rows[0] as { id: number; is_written: boolean }
  if (!is_written) throw new ProgressAppeared()
  return id
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
