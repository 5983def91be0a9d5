import { type Kysely, sql } from 'kysely'
import type { Learner } from '../../../src/domain/content/learner.js'
import type { DayOfReviews, DeckMaturity, ForecastDay, RecallGroup } from '../../../src/domain/review/statistics.js'
import { FORECAST_DAYS, MATURE_DAYS } from '../../../src/domain/review/statistics.js'
import { addDays } from '../../../src/domain/time/calendar.js'
import type { Database } from '../../types.js'
import { deckOrder } from '../content/decks.js'
import { countCtes, maturityCtes } from './progress.js'

// Raw SQL: the statement starts with the shared CTEs of `progress.ts` and aggregates JSON with filters.

export interface ReviewStatistics {
  /** Days with reviews, ascending */
  days: DayOfReviews[]
  recalls: RecallGroup[]
  /** Days with due cards, ascending */
  forecast: ForecastDay[]
  decks: DeckMaturity[]
}

/**
 * Returns the user's statistics. An undo counts -1 where its review counted 1, so no lookup of undone reviews is
 * needed. The forecast counts progress rows, without suspended cards and, as in the queue, without inactive decks. Of
 * the decks, those are omitted that the user does not learn because another variant is preferred.
 * @param since first day of `recalls`
 */
export async function findStatistics(
  db: Kysely<Database>,
  learner: Learner,
  today: string,
  since: string,
): Promise<ReviewStatistics> {
  const { userId } = learner
  // Only reviews and their undos have a rating.
  const sign = sql`case when rating is null then 0 when kind = 'review' then 1 when kind = 'undo' then -1 else 0 end`
  const { rows } = await sql<ReviewStatistics>`
    with ${countCtes({ ...learner, today, deckSlug: undefined })},
    days as (
      select studied_on as day, sum(${sign}) as reviews,
        coalesce(sum(${sign}) filter (where rating in ('easy', 'medium')), 0) as correct,
        coalesce(sum(${sign}) filter (where phase = 'new'), 0) as introduced,
        coalesce(sum(${sign} * duration_ms), 0) as duration_ms
      from review_log
      where user_id = ${userId}
      group by studied_on having sum(${sign}) > 0
    ),
    recalls as (
      select previous_rating, rating, coalesce(interval_days >= ${MATURE_DAYS}, false) as is_mature,
        sum(${sign}) as reviews
      from review_log
      where user_id = ${userId} and studied_on >= ${since}::date and phase = 'recall'
      group by 1, 2, 3 having sum(${sign}) > 0
    ),
    ${maturityCtes(userId)},
    forecast as (
      select greatest(next_review, ${today}::date) as day, count(*) as due
      from studied
      where next_review < ${addDays(today, FORECAST_DAYS)}::date
        and deck_id in (select id from deck_counts where is_active)
      group by 1
    )
    select (select coalesce(json_agg(days order by day), '[]') from days) as days,
      (select coalesce(json_agg(recalls), '[]') from recalls) as recalls,
      (select coalesce(json_agg(forecast order by day), '[]') from forecast) as forecast,
      (select coalesce(json_agg(json_build_object('slug', slug, 'name', name, 'new', unseen,
          'young', coalesce(young, 0), 'mature', coalesce(mature, 0), 'suspended', suspended)
          order by ${deckOrder('deck_counts')}), '[]')
        from deck_counts left join maturity on maturity.deck_id = deck_counts.id
        where is_preferred or unseen < card_count) as decks`.execute(db)
  return rows[0] as ReviewStatistics
}
