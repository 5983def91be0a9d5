import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Editable } from '../../../src/domain/content/editing/rights.js'
import { type Suggestion, suggestionOf } from '../../../src/domain/content/editing/suggestion.js'
import type { StoredKind } from '../../../src/domain/content/upload/incoming.js'
import type { Database } from '../../types.js'
import { insertEvents } from '../webhooks/announce.js'
import { liveVersion } from './editing/state.js'
import { IS_SECRET_CARD } from './visibility.js'

// Raw SQL: inserting what is selected with `for key share`, and a page joined to a total, would be fragments anyway.

export type ReportOutcome = 'accepted' | 'declined'

export interface CardReport {
  id: number
  card_id: number
  question: string
  answer: string
  version: number
  deck_slug: string
  deck_name: string
  is_archived: boolean
  card_changed: boolean
  text: string
  /** Null if the account has been deleted */
  by: string | null
  /** Display name of `by` */
  by_name: string | null
  created_at: Date
  settled_at: Date | null
  settled_by: string | null
  /** Display name of `settled_by`; null if there is no such account */
  settled_by_name: string | null
  suggested_question: string | null
  suggested_answer: string | null
  outcome: ReportOutcome | null
  outcome_message: string | null
  /** Null, like the next two fields, for content from the content folder, from scripts or from a deleted source */
  source_id: number | null
  source_kind: StoredKind | null
  source_name: string | null
  /** For a card of the content folder: file of the deck that contained it at the last import; otherwise null */
  file: string | null
  key: string | null
}

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

export async function findLiveTexts(
  db: Kysely<Database>,
  cardId: number,
): Promise<(Suggestion & { version: number }) | undefined> {
  return db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'deck_id')
    .select(['question', 'answer', liveVersion('cards').as('version')])
    .where('cards.id', '=', cardId)
    .where('cards.archived_at', 'is', null)
    .where('decks.archived_at', 'is', null)
    .executeTakeFirst()
}

export interface NewReport {
  user_id: number
  card_id: number
  text: string
  suggestion: Suggestion | null
  card_version: number | null
}

/**
 * Stores a report of a test question, with its event. Replaces the user's open report of the same card, if there is one.
 * @returns its id; undefined if the card does not exist
 */
export function upsertQuestionReport(
  transaction: Transaction<Database>,
  report: Pick<NewReport, 'user_id' | 'card_id' | 'text'>,
): Promise<number | undefined> {
  return store(transaction, { ...report, suggestion: null, card_version: null }, sql`true`)
}

/** Whether the statement has inserted the row, not replaced an existing one */
const IS_NEW = sql<boolean>`(card_reports.xmax = 0)`

/** Writes the event of a new report. It names neither the reporter nor the text. */
async function announceReport(transaction: Transaction<Database>, id: number): Promise<void> {
  await insertEvents(
    'report.created',
    sql`
      select card_reports.id as position, jsonb_build_object('report', jsonb_build_object('id', card_reports.id),
        'card', jsonb_build_object('id', card_id),
        'deck', jsonb_build_object('id', decks.id, 'slug', decks.slug, 'title', decks.name)) as data
      from card_reports join cards on cards.id = card_id join decks on decks.id = deck_id
      where card_reports.id = ${id}`,
  ).execute(transaction)
}

/**
 * Stores a report, with its event. Replaces the user's open report of the same card, if there is one. Returns undefined
 * if the card is not live.
 */
export function upsertReport(transaction: Transaction<Database>, report: NewReport): Promise<number | undefined> {
  return store(transaction, report, sql`cards.archived_at is null and decks.archived_at is null`)
}

async function store(
  transaction: Transaction<Database>,
  { user_id, card_id, text, suggestion, card_version }: NewReport,
  isAllowed: RawBuilder<unknown>,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number; is_new: boolean }>`
    insert into card_reports (user_id, card_id, text, suggested_question, suggested_answer, card_version)
    select ${user_id}::integer, cards.id, ${text}::text, ${suggestion?.question ?? null}::text,
      ${suggestion?.answer ?? null}::text, ${card_version}::integer
    from cards join decks on decks.id = deck_id
    where cards.id = ${card_id} and ${isAllowed}
    -- Waits for a concurrent deletion of the card, which then yields no row.
    for key share of cards
    on conflict (user_id, card_id) where settled_at is null
      do update set text = excluded.text, created_at = excluded.created_at, outcome = null, outcome_message = null,
        suggested_question = excluded.suggested_question, suggested_answer = excluded.suggested_answer,
        card_version = excluded.card_version
    returning id, ${IS_NEW} as is_new`.execute(transaction)
  const [report] = rows
  if (report?.is_new) await announceReport(transaction, report.id)
  return report?.id
}

/**
 * Settles a report, or reopens it if `settledBy` is null. Returns false if the report has that state already or does
 * not exist.
 */
export async function updateReport(
  transaction: Transaction<Database>,
  id: number,
  settledBy: string | null,
): Promise<boolean> {
  const isSettled = settledBy !== null
  const { numUpdatedRows } = await transaction
    .updateTable('card_reports')
    .set({ settled_by: settledBy, settled_at: isSettled ? sql<Date>`now()` : null })
    // A reopened report has no outcome yet.
    .$if(!isSettled, (query) => query.set({ outcome: null, outcome_message: null }))
    .where('id', '=', id)
    .where('settled_at', isSettled ? 'is' : 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface UndecidedReport {
  card_id: number
  user_id: number | null
  suggestion: Suggestion | null
  isSettled: boolean
  version: number | null
}

/** Locks a report against other decisions and a replacement by its author. */
export async function lockReport(transaction: Transaction<Database>, id: number): Promise<UndecidedReport | undefined> {
  const row = await transaction
    .selectFrom('card_reports')
    .select(['card_id', 'user_id', 'suggested_question', 'suggested_answer', 'card_version as version', 'settled_at'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { card_id, user_id, settled_at, version } = row
  const suggestion = suggestionOf(row)
  return { card_id, user_id, suggestion, isSettled: settled_at !== null, version }
}

/** @param settledBy null leaves the report open */
export async function decideReport(
  transaction: Transaction<Database>,
  id: number,
  outcome: ReportOutcome,
  message: string | null,
  settledBy: string | null,
): Promise<void> {
  await transaction
    .updateTable('card_reports')
    .set({ outcome, outcome_message: message })
    .$if(settledBy !== null, (query) => query.set({ settled_by: settledBy, settled_at: sql<Date>`now()` }))
    .where('id', '=', id)
    .execute()
}

export interface OwnReport {
  id: number
  card_id: number
  /** This and the next two fields are null if learners must not see the card */
  question: string | null
  deck_slug: string | null
  deck_name: string | null
  text: string
  suggested_question: string | null
  suggested_answer: string | null
  created_at: Date
  settled_at: Date | null
  outcome: ReportOutcome | null
  outcome_message: string | null
}

/** @param before only reports with a lower id */
export async function listOwnReports(
  db: Kysely<Database>,
  userId: number,
  before: number | undefined,
  limit: number,
): Promise<OwnReport[]> {
  return db
    .selectFrom('card_reports')
    .innerJoin('cards', 'cards.id', 'card_reports.card_id')
    .innerJoin('decks', 'decks.id', 'cards.deck_id')
    .select(['card_reports.id', 'card_reports.card_id', 'text', 'suggested_question', 'suggested_answer'])
    .select(['card_reports.created_at', 'settled_at', 'outcome_message'])
    .select((eb) => [
      // The card may be a question of a pool, or may have become a draft after the report.
      eb.case().when(IS_SECRET_CARD).then(null).else(eb.ref('cards.question')).end().as('question'),
      eb.case().when(IS_SECRET_CARD).then(null).else(eb.ref('decks.slug')).end().as('deck_slug'),
      eb.case().when(IS_SECRET_CARD).then(null).else(eb.ref('decks.name')).end().as('deck_name'),
      // For a card of the content folder, an accepted text is final only once the file contains it.
      eb.case().when('settled_at', 'is not', null).then(eb.ref('outcome')).end().as('outcome'),
    ])
    .where('user_id', '=', userId)
    .$if(before !== undefined, (query) => query.where('card_reports.id', '<', before as number))
    .orderBy('card_reports.id', 'desc')
    .limit(limit)
    .execute()
}

export interface ReportPage {
  reports: CardReport[]
  /** Number of all open reports of cards that the caller may edit */
  open: number
}

export const REPORT_STATES = ['open', 'settled'] as const

export interface ReportSearch {
  state: (typeof REPORT_STATES)[number] | undefined
  /** Only reports with a lower id */
  before: number | undefined
  limit: number
}

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
    select card_reports.id, card_reports.card_id, question, answer, ${liveVersion('cards')} as version,
      slug as deck_slug, decks.name as deck_name,
      cards.archived_at is not null or decks.archived_at is not null as is_archived,
      cards.updated_at > card_reports.created_at as card_changed,
      text, users.username as by, users.display_name as by_name, card_reports.created_at, settled_at, settled_by,
      settlers.display_name as settled_by_name, suggested_question, suggested_answer,
      outcome, outcome_message, content_sources.id as source_id, kind as source_kind,
      content_sources.name as source_name, imported_decks.file, key
    from card_reports
    join cards on cards.id = card_reports.card_id
    join decks on decks.id = cards.deck_id
    left join users on users.id = user_id
    left join users as settlers on settlers.username = settled_by
    left join imported_cards on imported_cards.card_id = card_reports.card_id
    left join imported_decks on imported_decks.deck_id = imported_cards.deck_id
    left join imported_decks as home on home.deck_id = cards.deck_id
    left join content_sources on content_sources.id = home.source_id
    where ${condition}`
}
