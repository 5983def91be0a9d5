import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../types.js'

// Raw SQL: the numbers come from a chain of CTEs, which are materialised for the plan.

export const DIFFICULTIES = ['again', 'lapses', 'reports', 'never_easy'] as const

export interface DifficultCard {
  id: number
  question: string
  deck_slug: string
  deck_name: string
  /** Number of users who have answered the card */
  learners: number
  /** Number of answers of all users; only the first answer of a user on a day counts */
  answers: number
  /** Share of `again` among the first answers of a day, in percent */
  again_percent: number
  lapses: number
  reports: number
  never_easy: boolean
}

const ORDERS = {
  again: sql`again_percent desc, answers desc, id`,
  lapses: sql`lapses desc, again_percent desc, id`,
  reports: sql`reports desc, again_percent desc, id`,
  never_easy: sql`never_easy desc, answers desc, id`,
}

const CONDITIONS = {
  again: sql`again_percent > 0`,
  lapses: sql`lapses > 0`,
  reports: sql`reports > 0`,
  never_easy: sql`never_easy`,
}

/** Minimum number of learners of a card; with fewer, the numbers could reveal the answers of a single learner. */
const MIN_LEARNERS = 5

/**
 * Omits cards with fewer than `MIN_LEARNERS` learners. Reads the log by learner and deck, because the log has no index
 * by card.
 */
export async function listDifficultCards(
  db: Kysely<Database>,
  sourceId: number,
  order: (typeof DIFFICULTIES)[number],
  limit: number,
): Promise<DifficultCard[]> {
  const { rows } = await sql<DifficultCard>`
    with subject as materialized (
      select cards.id, question, decks.id as deck_id, slug as deck_slug, name as deck_name
      from imported_decks join decks on decks.id = imported_decks.deck_id join cards on cards.deck_id = decks.id
      where source_id = ${sourceId} and decks.archived_at is null and cards.archived_at is null
    ),
    progress as materialized (
      select subject.deck_id, card_id, user_id, lapses from subject join card_progress on card_id = subject.id
    ),
    studied as (select distinct user_id, deck_id from progress),
    answered as (
      select log.card_id, log.user_id, log.rating
      from studied join review_log as log on log.user_id = studied.user_id and log.deck_id = studied.deck_id
      where kind = 'review' and phase in ('new', 'recall')
        and not exists (select from review_log as undo where undo.undoes = log.id)
    ),
    counted as (
      select card_id, count(distinct user_id) as learners, count(*) as answers,
        round(100.0 * count(*) filter (where rating = 'again') / count(*))::integer as again_percent,
        count(*) filter (where rating = 'easy') = 0 as never_easy
      from answered group by card_id having count(distinct user_id) >= ${MIN_LEARNERS}
    ),
    numbered as (
      select subject.id, question, deck_slug, deck_name, learners, answers, again_percent,
        coalesce((select sum(lapses) from progress where progress.card_id = subject.id), 0)::integer as lapses,
        (select count(*) from card_reports where card_reports.card_id = subject.id) as reports, never_easy
      from counted join subject on subject.id = card_id
    )
    select * from numbered where ${CONDITIONS[order]} order by ${ORDERS[order]} limit ${limit}`.execute(db)
  return rows
}
