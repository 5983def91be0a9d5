import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Editable } from '../../../src/domain/content/editing/rights.js'
import type { Database } from '../../types.js'

/** A report of a faulty card. */
export interface CardReport {
  id: number
  card_id: number
  question: string
  deck_slug: string
  deck_name: string
  is_archived: boolean
  /** Whether the card has changed since the report */
  card_changed: boolean
  text: string
  /** Null if the account has been deleted */
  by: string | null
  created_at: Date
  settled_at: Date | null
  settled_by: string | null
  /** File of the card at its last import; null for cards written by scripts or before the next import */
  file: string | null
  key: string | null
}

/** Counts the user's open reports of other cards. */
export async function countOtherOpenReports(db: Kysely<Database>, userId: number, cardId: number): Promise<number> {
  const { count } = await db
    .selectFrom('card_reports')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('settled_at', 'is', null)
    .where('card_id', '<>', cardId)
    .executeTakeFirstOrThrow()
  return count
}

/** Stores a report of a live card and replaces the user's open one; returns undefined if the card does not exist. */
export async function upsertReport(
  db: Kysely<Database>,
  report: { user_id: number; card_id: number; text: string },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into card_reports (user_id, card_id, text)
    select ${report.user_id}::integer, cards.id, ${report.text}::text
    from cards join decks on decks.id = deck_id
    where cards.id = ${report.card_id} and cards.archived_at is null and decks.archived_at is null
    -- What is deleted at the same moment is waited for, and then not there.
    for key share of cards
    on conflict (user_id, card_id) where settled_at is null
      do update set text = excluded.text, created_at = excluded.created_at
    returning id`.execute(db)
  return rows[0]?.id
}

/** Settles or reopens a report; returns false if it has that state already or does not exist. */
export async function updateReport(
  transaction: Transaction<Database>,
  id: number,
  settledBy: string | null,
): Promise<boolean> {
  const isSettled = settledBy !== null
  const { numUpdatedRows } = await transaction
    .updateTable('card_reports')
    .set({ settled_by: settledBy, settled_at: isSettled ? sql<Date>`now()` : null })
    .where('id', '=', id)
    .where('settled_at', isSettled ? 'is' : 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface ReportPage {
  reports: CardReport[]
  /** Total number of open reports */
  open: number
}

export const REPORT_STATES = ['open', 'settled'] as const

export interface ReportSearch {
  /** Any state if absent */
  state: (typeof REPORT_STATES)[number] | undefined
  /** Only reports with a lower id */
  before: number | undefined
  limit: number
}

/** Returns reports of the cards that the caller may edit, newest first, and the number of all open ones. */
export async function listReports(
  db: Kysely<Database>,
  editable: Editable,
  { state, before, limit }: ReportSearch,
): Promise<ReportPage> {
  const conditions = { open: sql`settled_at is null`, settled: sql`settled_at is not null` }
  const isWanted = state === undefined ? sql`true` : conditions[state]
  const isBehind = before === undefined ? sql`true` : sql`card_reports.id < ${before}::bigint`
  const isEditable =
    editable === 'all'
      ? sql`true`
      : sql`card_reports.card_id in (
          select cards.id from cards join imported_decks on imported_decks.deck_id = cards.deck_id
          where source_id = any (${[...editable]}::integer[])
        )`
  const { rows } = await sql<Omit<CardReport, 'id'> & { id: number | null; open: number }>`
    select open, item.*
    from (select count(*) as open from card_reports where settled_at is null and ${isEditable}) as total
    left join (
      ${reportsWhere(sql`${isWanted} and ${isBehind} and ${isEditable}`)} order by card_reports.id desc limit ${limit}
    ) as item on true
    order by id desc`.execute(db)
  const reports = rows.flatMap(({ open: _, id, ...report }) => (id === null ? [] : [{ ...report, id }]))
  return { reports, open: rows[0]?.open ?? 0 }
}

export async function findReport(db: Kysely<Database>, id: number): Promise<CardReport | undefined> {
  const { rows } = await reportsWhere(sql`card_reports.id = ${id}::bigint`).execute(db)
  return rows[0]
}

function reportsWhere(condition: RawBuilder<unknown>): RawBuilder<CardReport> {
  return sql<CardReport>`
    select card_reports.id, card_reports.card_id, question, slug as deck_slug, name as deck_name,
      cards.archived_at is not null or decks.archived_at is not null as is_archived,
      cards.updated_at > card_reports.created_at as card_changed,
      text, username as by, card_reports.created_at, settled_at, settled_by, file, key
    from card_reports
    join cards on cards.id = card_reports.card_id
    join decks on decks.id = cards.deck_id
    left join users on users.id = user_id
    left join imported_cards on imported_cards.card_id = card_reports.card_id
    left join imported_decks on imported_decks.deck_id = imported_cards.deck_id
    where ${condition}`
}
