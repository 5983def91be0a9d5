import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../types.js'

// Raw SQL: the numbers come from a chain of CTEs, which are materialised for the plan.

export const DIFFICULTIES = ['again', 'reports'] as const

export interface DifficultCard {
  id: number
  question: string
  deck_slug: string
  deck_name: string
  /** Number of persons; null, as the next two, until enough persons have answered */
  learners: number | null
  /** Share of persons whose first recall was `again`, in percent */
  again_percent: number | null
  as_of: Date | null
  reports: number
}

const ORDERS = {
  again: sql`again_percent desc, learners desc, id`,
  reports: sql`reports desc, again_percent desc nulls last, id`,
}

const CONDITIONS = {
  again: sql`again_percent > 0`,
  reports: sql`reports > 0`,
}

function cardsOf(sourceId: number) {
  return sql`
    select cards.id, question, decks.id as deck_id, slug as deck_slug, name as deck_name
    from imported_decks join decks on decks.id = imported_decks.deck_id join cards on cards.deck_id = decks.id
    where source_id = ${sourceId} and decks.archived_at is null and cards.archived_at is null`
}

/**
 * CTE `checked` with the cards of a source that are due for a check. Of each person only the first recall counts, which
 * changes only by an undo, a reset or a deleted account. Reads the log by learner and deck, because the log has no index
 * by card.
 */
function checkedCte(sourceId: number, minPersons: number) {
  return sql`
    subject as materialized (${cardsOf(sourceId)}),
    studied as materialized (
      select distinct user_id, subject.deck_id from subject join card_progress on card_id = subject.id
    ),
    recalled as (
      select distinct on (log.card_id, log.user_id) log.card_id, log.rating
      from studied join review_log as log on log.user_id = studied.user_id and log.deck_id = studied.deck_id
      where kind = 'review' and phase = 'recall'
        and not exists (select from review_log as undo where undo.undoes = log.id)
      order by log.card_id, log.user_id, log.id
    ),
    counted as (
      select card_id, count(*)::integer as persons, (count(*) filter (where rating = 'again'))::integer as forgotten
      from recalled join subject on subject.id = card_id group by card_id
    ),
    checked as (
      select card_id, counted.persons, counted.forgotten,
        counted.forgotten - coalesce(known.forgotten, 0) >= ${minPersons}::integer
        and counted.persons - counted.forgotten - coalesce(known.persons - known.forgotten, 0) >= ${minPersons}::integer
          as is_renewed
      from counted left join card_difficulties as known using (card_id)
      where counted.persons - coalesce(known.checked_persons, 0) >= ${minPersons}::integer
    )`
}

/**
 * Renews the published counts of the cards of a source. Checks a card after every `minPersons` further persons, so that
 * the moment of a renewal does not reveal the last answer. Renews its counts if since the last ones at least `minPersons`
 * persons have forgotten the card and as many have known it, so that a difference of two counts reveals nothing about
 * fewer persons. Locks the source only if a card is due.
 */
export async function renewDifficulties(
  db: Kysely<Database>,
  sourceId: number,
  { minPersons, now }: { minPersons: number; now: Date },
): Promise<void> {
  const checked = checkedCte(sourceId, minPersons)
  const { rows } = await sql<{ is_due: boolean }>`
    with ${checked} select exists (select from checked) as is_due`.execute(db)
  if (rows[0]?.is_due !== true) return
  await db.transaction().execute(async (transaction) => {
    // Concurrent renewals would compare with the same earlier counts.
    await sql`select from content_sources where id = ${sourceId} for no key update`.execute(transaction)
    await sql`
      with ${checked}
      insert into card_difficulties as known (card_id, checked_persons, persons, forgotten, published_at)
      select card_id, persons, case when is_renewed then persons end, case when is_renewed then forgotten end,
        case when is_renewed then ${now}::timestamptz end
      from checked join cards on cards.id = card_id
      -- Passes over cards that are being changed or deleted: a purge has locked its cards and then locks their source.
      for share of cards skip locked
      on conflict (card_id) do update set
        checked_persons = excluded.checked_persons,
        persons = coalesce(excluded.persons, known.persons),
        forgotten = coalesce(excluded.forgotten, known.forgotten),
        published_at = coalesce(excluded.published_at, known.published_at)`.execute(transaction)
  })
}

/** Returns the cards with their published counts. */
export async function listDifficultCards(
  db: Kysely<Database>,
  sourceId: number,
  { order, limit }: { order: (typeof DIFFICULTIES)[number]; limit: number },
): Promise<DifficultCard[]> {
  const { rows } = await sql<DifficultCard>`
    with numbered as (
      select subject.id, question, deck_slug, deck_name, persons as learners,
        round(100.0 * forgotten / persons)::integer as again_percent, published_at as as_of,
        (select count(*) from card_reports where card_reports.card_id = subject.id) as reports
      from (${cardsOf(sourceId)}) as subject left join card_difficulties on card_id = subject.id
    )
    select * from numbered where ${CONDITIONS[order]} order by ${ORDERS[order]} limit ${limit}`.execute(db)
  return rows
}
