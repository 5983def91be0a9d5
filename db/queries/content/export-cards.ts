import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { CardProgress } from '../../../src/domain/anki/index.js'
import type { CardTexts } from '../../../src/domain/content/card-texts.js'
import { DEFAULT_LANGUAGE } from '../../../src/domain/content/translations.js'
import { readStoredExercise } from '../../../src/domain/questions/exercise.js'
import type { Rating, ReviewPhase } from '../../../src/domain/review/review.js'
import type { TestDefinition } from '../../../src/domain/tests/definition.js'
import { splitList } from '../../../src/domain/text/parameters.js'
import type { Database } from '../../types.js'
import { readInTurn } from '../read-in-turn.js'
import { CARD_COLUMNS } from './card-texts.js'
import { deckOrder } from './decks.js'
import { originalOf } from './translations.js'
import { IS_KEPT_DECK } from './visibility.js'

// Raw SQL: the decks aggregate ids in one pass, and keys are compared as rows; the optional parts would be fragments
// anyway.

export interface ListedDeck {
  id: number
  slug: string
  name: string
  description: string
  sort_order: number
  tests_only: boolean
  options_off: boolean
  lang: string
  translation_of: string | null
  desired_retention: number | null
  card_ids: number[]
}

/** Selects the decks, cards and sheets of an export; by default, all that are visible to learners. */
export interface ExportScope {
  deckId?: number | undefined
  sourceId?: number | undefined
  /** Whether to include drafts and pools, which only editors may see */
  hasHidden?: boolean | undefined
}

const IS_LIVE_DECK = sql`decks.archived_at is null`
const IS_LIVE = sql`archived_at is null`
const IS_KEPT = sql`(archived_at is null or (draft and not draft_archived))`

/**
 * Returns the decks of an export with the ids of their cards. Uses one statement, so that a card that a concurrent
 * import moves is neither duplicated nor lost.
 */
export async function listDecksToExport(
  db: Kysely<Database>,
  { deckId, sourceId, hasHidden = false }: ExportScope,
): Promise<ListedDeck[]> {
  const isWanted = (column: string) => (deckId === undefined ? sql`true` : sql`${sql.ref(column)} = ${deckId}`)
  const ofSource = (column: string) =>
    sourceId === undefined
      ? sql`true`
      : sql`${sql.ref(column)} in (select deck_id from imported_decks where source_id = ${sourceId})`
  // Aggregates in one pass over the cards: with outdated statistics the planner scanned all cards for each deck.
  const { rows } = await sql<Omit<ListedDeck, 'card_ids'> & { ids: string }>`
    select id, slug, name, description, sort_order, coalesce(tests_only, false) as tests_only,
      coalesce(options_off, false) as options_off, coalesce(lang, ${DEFAULT_LANGUAGE}) as lang, desired_retention,
      ${originalOf('deck')} as translation_of,
      coalesce(ids, '') as ids
    from decks left join imported_decks on imported_decks.deck_id = decks.id
    left join deck_defaults on deck_defaults.deck_id = decks.id
    left join (
      select cards.deck_id, string_agg(id::text, ',' order by sort_order, id) as ids
      from cards ${hasHidden ? sql`left join imported_cards on card_id = id` : sql``}
      where ${hasHidden ? IS_KEPT : IS_LIVE} and ${isWanted('cards.deck_id')} and ${ofSource('cards.deck_id')}
      group by cards.deck_id
    ) as listed on listed.deck_id = decks.id
    where ${hasHidden ? IS_KEPT_DECK : IS_LIVE_DECK} and ${isWanted('decks.id')} and ${ofSource('decks.id')}
    order by ${deckOrder('decks')}`.execute(db)
  return rows.map(({ ids, ...deck }) => ({ ...deck, card_ids: splitList(ids).map(Number) }))
}

export interface ExportedCard extends CardTexts {
  id: number
  draft: boolean
  created_at: Date
  updated_at: Date
  /** Key of the card's identity; null without an identity */
  key: string | null
  /** Guid of the card's Anki note; null without a note, or if a card with a lower id has the same guid and `ord` */
  guid: string | null
  ord: number | null
  progress: CardProgress | null
  is_suspended: boolean
}

type CardRow = Omit<ExportedCard, 'progress' | 'exercise'> & { exercise: unknown } & (
    | { has_progress: false }
    | ({ has_progress: true } & CardProgress)
  )

/**
 * Returns the cards that are still live, or with `hasHidden` also drafts that are not archived, in the order of `ids`.
 * Looks each card up separately: right after an import, without statistics, the planner would scan the table for every
 * batch.
 * @param userId user whose progress is included
 */
export async function readCardsToExport(
  db: Kysely<Database>,
  ids: readonly number[],
  { userId, hasHidden = false }: { userId?: number | undefined; hasHidden?: boolean | undefined },
): Promise<ExportedCard[]> {
  const progress = userId === undefined ? NO_PROGRESS : progressOf(userId)
  const { rows } = await readInTurn(() =>
    sql<CardRow>`
      select cards.id, ${CARD_COLUMNS}, exercise, archived_at is not null as draft, cards.created_at,
        updated_at, key, case when is_first then guid end as guid, case when is_first then ord end as ord,
        ${progress.columns}
      from unnest(${ids}::integer[]) with ordinality as wanted (id, place)
      cross join lateral (select * from cards where id = wanted.id limit 1) as cards
      left join imported_cards on imported_cards.card_id = cards.id
      left join lateral (
        select not exists (
          select from imported_cards as other
          where other.guid = imported_cards.guid and other.ord = imported_cards.ord and other.card_id < cards.id
        ) as is_first
      ) as duplicates on guid is not null
      ${progress.joins}
      where ${hasHidden ? IS_KEPT : IS_LIVE}
      order by place`.execute(db),
  )
  return rows.map(toCard)
}

const NO_PROGRESS = { columns: sql`false as has_progress, false as is_suspended`, joins: sql`` }

function progressOf(userId: number): { columns: RawBuilder<unknown>; joins: RawBuilder<unknown> } {
  return {
    columns: sql`progress.id is not null as has_progress, suspended.card_id is not null as is_suspended, last_rating,
      next_review, last_review, put_off_from, stability, difficulty, reps, lapses, last.created_at as last_review_at`,
    joins: sql`
      left join card_progress as progress on progress.user_id = ${userId} and progress.card_id = cards.id
      left join suspended_cards as suspended on suspended.user_id = ${userId} and suspended.card_id = cards.id
      left join review_log as last on last.user_id = ${userId} and last.id = last_review_id`,
  }
}

function toCard(row: CardRow): ExportedCard {
  const card = { ...row, exercise: readStoredExercise(row.exercise, row.answer) }
  if (!row.has_progress) return { ...card, progress: null }
  const { last_rating, next_review, last_review, put_off_from, last_review_at, stability, difficulty, reps, lapses } =
    row
  const progress = {
    last_rating,
    next_review,
    last_review,
    put_off_from,
    last_review_at,
    stability,
    difficulty,
    reps,
    lapses,
  }
  return { ...card, progress }
}

export interface ExportedReview {
  id: number
  card_id: number
  rating: Rating
  phase: ReviewPhase
  /** Interval after the review, in days; null for a late review */
  interval_days: number | null
  /** Interval before the review, in days */
  last_interval_days: number | null
  duration_ms: number | null
  created_at: Date
}

const REVIEWS_AT_ONCE = 1_000

/** Yields the user's reviews that were neither undone nor followed by a reset of the card, in batches ordered by id. */
export async function* readReviewsToExport(db: Kysely<Database>, userId: number): AsyncGenerator<ExportedReview[]> {
  for (let after = 0; ; ) {
    const { rows } = await readInTurn(() =>
      sql<ExportedReview & { stands: boolean }>`
        select id, card_id, rating, phase, duration_ms, created_at, interval_days as last_interval_days,
          case when phase = 'late' then null
            else (after ->> 'next_review')::date - (after ->> 'last_review')::date end as interval_days,
          not exists (select from review_log as undo where undo.undoes = log.id)
            and not exists (
              select from review_log as reset where reset.user_id = ${userId} and reset.kind = 'reset'
                and reset.card_id = log.card_id and reset.id > log.id
            ) as stands
        from (
          select * from review_log
          where user_id = ${userId} and kind = 'review' and id > ${after} order by id limit ${REVIEWS_AT_ONCE}
        ) as log
        order by id`.execute(db),
    )
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.filter(({ stands }) => stands)
    if (rows.length < REVIEWS_AT_ONCE) return
    after = last.id
  }
}

const SHEET = ['id', 'slug', 'title', 'category', 'content_md'] as const

export type ExportedSheet = Pick<Selectable<Database['cheatsheets']>, (typeof SHEET)[number]> & {
  draft: boolean
  lang: string
  translation_of: string | null
}

const SHEETS_AT_ONCE = 20

/** Ignores `deckId`. */
export async function* readSheetsToExport(
  db: Kysely<Database>,
  { sourceId, hasHidden = false }: ExportScope,
): AsyncGenerator<ExportedSheet[]> {
  for (let after = -(2 ** 31); ; ) {
    const position = after
    const rows = await readInTurn(() =>
      db
        .selectFrom('cheatsheets')
        .leftJoin('imported_cheatsheets', 'cheatsheet_id', 'id')
        .select(SHEET)
        .select((eb) => [
          sql<boolean>`archived_at is not null`.as('draft'),
          eb.fn.coalesce('lang', eb.val(DEFAULT_LANGUAGE)).as('lang'),
          originalOf('sheet', { isVisible: !hasHidden }).as('translation_of'),
        ])
        .where(hasHidden ? sql<boolean>`${IS_KEPT}` : sql<boolean>`${IS_LIVE}`)
        .$if(sourceId !== undefined, (query) => query.where('source_id', '=', sourceId as number))
        .where('id', '>', position)
        .orderBy('id')
        .limit(SHEETS_AT_ONCE)
        .execute(),
    )
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < SHEETS_AT_ONCE) return
    after = last.id
  }
}

/** Returns the SHA-256 of all stored pictures in hex. */
export async function listPictures(db: Kysely<Database>): Promise<Set<string>> {
  const { rows } = await sql<{ shas: string }>`
    select coalesce(string_agg(encode(sha256, 'hex'), ','), '') as shas from media`.execute(db)
  return new Set(splitList(rows[0]?.shas ?? ''))
}

/** @param sha SHA-256 in hex */
export async function findPictureBytes(db: Kysely<Database>, sha: string): Promise<Buffer | undefined> {
  const row = await readInTurn(() =>
    db.selectFrom('media').select('bytes').where('sha256', '=', Buffer.from(sha, 'hex')).executeTakeFirst(),
  )
  return row?.bytes
}

/** Parameters of a learner that an Anki package contains. */
export interface ExportedParameters {
  /** Null if the user has no settings */
  desired_retention: number | null
  /** Decay of the fitted weights; null while the defaults apply */
  decay: number | null
  /** Desired retention by deck slug; contains only decks with a value of the user or of the author */
  by_deck: Record<string, number>
}

export async function findParameters(db: Kysely<Database>, userId: number): Promise<ExportedParameters> {
  const { rows } = await sql<ExportedParameters>`
    select
      (select desired_retention from review_settings where user_id = ${userId}) as desired_retention,
      (select (current -> 'w' ->> 20)::double precision from fitted_parameters
        where user_id = ${userId} and coalesce(
          (select adapt_intervals from review_settings where user_id = ${userId}), true
        )) as decay,
      (select coalesce(json_object_agg(slug, coalesce(mine.desired_retention, usual.desired_retention)), '{}')
        from decks
        left join deck_retentions as mine on mine.deck_id = decks.id and mine.user_id = ${userId}
        left join deck_defaults as usual on usual.deck_id = decks.id
        where mine.deck_id is not null or usual.deck_id is not null) as by_deck`.execute(db)
  return rows[0] as ExportedParameters
}

export interface ExportedTest {
  slug: string
  source_id: number | null
  definition: TestDefinition
  lang: string
  translation_of: string | null
  isPublished: boolean
}

export async function listTestsToExport(
  db: Kysely<Database>,
  { sourceId }: Pick<ExportScope, 'sourceId'>,
): Promise<ExportedTest[]> {
  return db
    .selectFrom('tests')
    .leftJoin('content_sources', 'content_sources.id', 'tests.source_id')
    .select(['slug', 'source_id', 'definition', 'lang'])
    .select(originalOf('test', { isVisible: true }).as('translation_of'))
    .select((eb) => eb('published_version', 'is not', null).$castTo<boolean>().as('isPublished'))
    .where('tests.archived_at', 'is', null)
    .where('content_sources.archived_at', 'is', null)
    .$if(sourceId !== undefined, (query) => query.where('source_id', '=', sourceId as number))
    .orderBy(sql`slug collate "C"`)
    .execute()
}
