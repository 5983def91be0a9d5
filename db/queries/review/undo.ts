import { sql, type Transaction } from 'kysely'
import type { Learner } from '../../../src/domain/content/learner.js'
import type { EffectiveReview } from '../../../src/domain/review/history.js'
import type { CardState, Rating, Remaining, ReviewPhase } from '../../../src/domain/review/review.js'
import type { Moment } from '../../../src/domain/time/calendar.js'
import type { Database } from '../../types.js'
import { countCtes, stateOf } from './progress.js'

// Raw SQL: the statement starts with the shared CTEs of `progress.ts`, locks in an order, and the history is recursive.

/** A review, or an entry that put a card off, with the current state of its card. */
export interface UndoCandidate {
  id: number
  kind: 'review' | 'tomorrow'
  card_id: number
  deck_id: number | null
  /** Null, like `phase`, if the card was put off */
  rating: Rating | null
  previous_rating: Rating | null
  phase: ReviewPhase | null
  interval_days: number | null
  duration_ms: number | null
  before: CardState | null
  /** Null if a new card was put off */
  after: CardState | null
  /** Current state of the card */
  state: CardState | null
  is_live: boolean
  is_suspended: boolean
  /** Whether the card's deck is active; true if the deck is archived or the card has been deleted */
  is_active: boolean
  was_reset: boolean
  /** Whether the card was new and put off when it was reviewed */
  was_put_off: boolean
}

export interface UndoSituation {
  /** Day of the review or of the entry that put the card off; null if the user has no such entry */
  studied_on: string | null
  /** The stored undo of the review; null if it has not been undone */
  earlier: { card_id: number; after: CardState | null; response: unknown } | null
  /**
   * Today's latest two entries that are reviews or put a card off, without late and undone entries; latest first. The
   * second includes entries that the review replaced, which count again when it is undone.
   */
  latest: UndoCandidate[]
  remaining: Remaining
  states_since: number
  weights: number[] | null
}

/**
 * Reads the input of an undo in one statement. Locks the card of the latest entry, if the card is not archived, and
 * then its progress, in the same order as a review.
 */
export async function findUndoSituation(
  transaction: Transaction<Database>,
  learner: Learner,
  reviewId: number,
  { at, today }: Moment,
): Promise<UndoSituation> {
  const { userId } = learner
  const { rows } = await sql<UndoSituation>`
    with ${countCtes({ ...learner, today, deckSlug: undefined })},
    todays as materialized (
      select * from review_log where user_id = ${userId} and studied_on = ${today}::date
    ),
    standing as (
      -- An entry dated later than now was made before the clock was set back, so it is older than the others.
      select todays.*, is_restored,
        row_number() over (order by created_at <= ${at}::timestamptz desc, created_at desc, id desc) as age
      from todays cross join lateral (
        -- A rating that was given before the card was put off, but arrived later, replaced the new date.
        -- The undo of the only such rating restores the entry.
        select coalesce(bool_or(review.id <> ${reviewId}), false) as is_replaced,
          coalesce(bool_or(review.id = ${reviewId}), false) as is_restored
        from review_log as review
        where todays.kind = 'tomorrow' and review.user_id = ${userId} and review.card_id = todays.card_id
          and review.id > todays.id and review.created_at < todays.created_at
          and review.kind = 'review' and review.phase <> 'late'
          and not exists (
            select from review_log as undo where undo.user_id = ${userId} and undo.undoes = review.id
          )
      ) as replacements
      where kind in ('review', 'tomorrow') and phase is distinct from 'late' and not is_replaced
        and not exists (select from todays as undo where undo.undoes = todays.id)
    ),
    last as (
      select * from standing where not is_restored order by age limit 1
    ),
    latest as (
      select 1 as place, last.* from last
      union all
      (select 2, standing.* from standing where id <> (select id from last) order by age limit 1)
    ),
    card as materialized (
      select id from cards where id = (select card_id from last) and archived_at is null for share
    ),
    locked as materialized (
      select * from card_progress where user_id = ${userId} and card_id in (select id from card) for update
    ),
    progress as (
      select * from locked
      union all
      select * from card_progress
      where user_id = ${userId} and card_id in (select card_id from latest except select id from card)
    ),
    candidates as (
      select place, latest.id, kind, latest.card_id, latest.deck_id, rating, previous_rating, phase, interval_days, duration_ms,
        before, after,
        case when progress.id is not null then ${stateOf('progress')} end as state,
        exists (select from cards join deck_counts on deck_counts.id = cards.deck_id
          where cards.id = latest.card_id and archived_at is null) as is_live,
        exists (select from suspended_cards where user_id = ${userId} and card_id = latest.card_id) as is_suspended,
        coalesce((select is_active from cards join deck_counts on deck_counts.id = cards.deck_id
          where cards.id = latest.card_id), true) as is_active,
        exists (select from todays as reset
          where reset.card_id = latest.card_id and reset.kind = 'reset' and reset.id > latest.id) as was_reset,
        exists (
          select from todays as delay
          where delay.card_id = latest.card_id and delay.id < latest.id and delay.kind = 'tomorrow'
            and delay.before is null and delay.phase is null
            and not exists (
              select from todays as later
              where later.card_id = delay.card_id and later.id > delay.id and later.id <> latest.id
                and (later.undoes = delay.id or (later.kind = 'review' and later.phase <> 'late'
                  and not exists (select from todays as undo where undo.undoes = later.id)))
            )
        ) as was_put_off
      from latest left join progress on progress.card_id = latest.card_id
    )
    select
      (select studied_on from review_log where id = ${reviewId} and user_id = ${userId} and kind in ('review', 'tomorrow')) as studied_on,
      (select json_build_object('card_id', card_id, 'after', after, 'response', answer)
        from review_log where undoes = ${reviewId} and user_id = ${userId}) as earlier,
      (select coalesce(json_agg(candidates order by place), '[]') from candidates) as latest,
      to_json(remaining) as remaining,
      coalesce((select states_since from fitted_parameters where user_id = ${userId}), 0) as states_since,
      (select to_json(weights) from settings) as weights
    from remaining`.execute(transaction)
  return rows[0] as UndoSituation
}

/** Returns the reviews that produced the state after the review `reviewId`, without undone reviews, oldest first. */
export async function findHistoryOf(
  transaction: Transaction<Database>,
  userId: number,
  reviewId: number,
): Promise<EffectiveReview[]> {
  const { rows } = await sql<EffectiveReview>`
    with recursive history as (
      select id, rating, studied_on, before from review_log where user_id = ${userId} and id = ${reviewId}
      union all
      select log.id, log.rating, log.studied_on, log.before
      from history join review_log as log
        on log.user_id = ${userId} and log.id = (history.before ->> 'last_review_id')::bigint
      where history.before ->> 'stability' is not null
    )
    select id, rating, studied_on - '1970-01-01'::date as day from history order by id`.execute(transaction)
  return rows
}
