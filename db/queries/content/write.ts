import { type Selectable, sql, type Transaction } from 'kysely'
import type { CardPart, CardTexts } from '../../../src/domain/content/card-texts.js'
import type { Exercise } from '../../../src/domain/questions/exercise.js'
import type { Database } from '../../types.js'
import { listTexts } from './card-texts.js'

// Raw SQL: rows come from arrays (`unnest`), because a statement has at most 65,535 parameters.

export type DeckInput = Pick<Selectable<Database['decks']>, 'slug' | 'name' | 'description' | 'sort_order'> &
  Pick<Selectable<Database['imported_decks']>, 'options_off' | 'lang'> & { desired_retention: number | null }

/** Origin of a deck: a file relative to the content folder, or a source and the key of the deck within it. */
export interface DeckOrigin {
  file: string | null
  source_id: number | null
  source_key: string | null
}

export async function insertDecks(
  transaction: Transaction<Database>,
  decks: (DeckInput & DeckOrigin & { tests_only: boolean })[],
): Promise<Map<string, number>> {
  if (decks.length === 0) return new Map()
  const rows = await transaction
    .insertInto('decks')
    .columns(['slug', 'name', 'description', 'sort_order', 'archived_at'])
    .expression(
      sql`select slug, name, description, sort_order, case when tests_only then now() end
      from unnest(
        ${decks.map((deck) => deck.slug)}::text[], ${decks.map((deck) => deck.name)}::text[],
        ${decks.map((deck) => deck.description)}::text[], ${decks.map((deck) => deck.sort_order)}::integer[],
        ${decks.map((deck) => deck.tests_only)}::boolean[]
      ) as input (slug, name, description, sort_order, tests_only)`,
    )
    .returning(['id', 'slug'])
    .execute()
  const ids = new Map(rows.map(({ id, slug }) => [slug, id]))
  await sql`
    insert into imported_decks (deck_id, file, source_id, source_key, tests_only, options_off, lang)
    select * from unnest(
      ${decks.map(({ slug }) => ids.get(slug) as number)}::integer[], ${decks.map(({ file }) => file)}::text[],
      ${decks.map(({ source_id }) => source_id)}::integer[], ${decks.map(({ source_key }) => source_key)}::text[],
      ${decks.map(({ tests_only }) => tests_only)}::boolean[], ${decks.map(({ options_off }) => options_off)}::boolean[],
      ${decks.map(({ lang }) => lang)}::text[])`.execute(transaction)
  const usual = decks.filter(({ desired_retention }) => desired_retention !== null)
  if (usual.length > 0)
    await setDefaults(
      transaction,
      usual.map((deck) => ({ id: ids.get(deck.slug) as number, deck })),
    )
  return ids
}

/** Adds 1 to the version of decks; each change of their fields by the service must do so. */
export async function raiseDeckVersions(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into deck_versions (deck_id, version) select id, 2 from unnest(${ids}::integer[]) as id order by id
    on conflict (deck_id) do update set version = deck_versions.version + 1`.execute(transaction)
}

/** Updates decks and restores archived decks. Each deck must have a row in `imported_decks`. */
export async function updateDecks(
  transaction: Transaction<Database>,
  decks: { id: number; deck: DeckInput }[],
): Promise<void> {
  if (decks.length === 0) return
  const columnOf = <K extends keyof DeckInput>(key: K) => decks.map(({ deck }) => deck[key])
  await sql`
    update decks
    set slug = input.slug, name = input.name, description = input.description, sort_order = input.sort_order,
      archived_at = null
    from unnest(
      ${decks.map(({ id }) => id)}::integer[], ${columnOf('slug')}::text[], ${columnOf('name')}::text[],
      ${columnOf('description')}::text[], ${columnOf('sort_order')}::integer[]
    ) as input (id, slug, name, description, sort_order)
    where decks.id = input.id`.execute(transaction)
  await sql`
    update imported_decks set options_off = input.options_off, lang = input.lang, pool_archived = false
    from unnest(
      ${decks.map(({ id }) => id)}::integer[], ${columnOf('options_off')}::boolean[], ${columnOf('lang')}::text[]
    ) as input (id, options_off, lang)
    where deck_id = input.id`.execute(transaction)
  await setDefaults(transaction, decks)
  await raiseDeckVersions(
    transaction,
    decks.map(({ id }) => id),
  )
}

/** Sets or, with null, clears the author's desired retention of decks. */
export async function setDefaults(
  transaction: Transaction<Database>,
  decks: { id: number; deck: { desired_retention: number | null } }[],
): Promise<void> {
  await sql`
    with input as (
      select * from unnest(
        ${decks.map(({ id }) => id)}::integer[],
        ${decks.map(({ deck }) => deck.desired_retention)}::double precision[]
      ) as input (id, retention)
    ),
    cleared as (
      delete from deck_defaults where deck_id in (select id from input where retention is null)
    )
    insert into deck_defaults (deck_id, desired_retention)
    select id, retention from input where retention is not null
    on conflict (deck_id) do update set desired_retention = excluded.desired_retention`.execute(transaction)
}

/** Stores the file of each deck. Stores `tests_only` only for decks without a row in `imported_decks`. */
export async function markDecksAsImported(
  transaction: Transaction<Database>,
  decks: { id: number; file: string; tests_only: boolean }[],
): Promise<void> {
  if (decks.length === 0) return
  await sql`
    insert into imported_decks (deck_id, file, tests_only)
    select * from unnest(
      ${decks.map(({ id }) => id)}::integer[], ${decks.map(({ file }) => file)}::text[],
      ${decks.map(({ tests_only }) => tests_only)}::boolean[])
    on conflict (deck_id) do update set file = excluded.file`.execute(transaction)
}

/** Makes the decks inactive for each learner until the learner chooses them. */
export async function offerDecks(transaction: Transaction<Database>, slugs: string[]): Promise<void> {
  if (slugs.length === 0) return
  await transaction
    .insertInto('offered_decks')
    .columns(['deck_id'])
    .expression(({ selectFrom }) => selectFrom('decks').select('id').where('slug', 'in', slugs))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Archives decks. Also overwrites the `archived_at` of a pool, because the restoration of a source compares it with the
 * time when the source was archived.
 */
export async function archiveDecks(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const archived = await transaction
    .updateTable('decks')
    .set({ archived_at: sql<Date>`now()` })
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('archived_at', 'is', null),
        exists(
          selectFrom('imported_decks')
            .select('deck_id')
            .whereRef('deck_id', '=', 'decks.id')
            .where('tests_only', '=', true)
            .where('pool_archived', '=', false),
        ),
      ]),
    )
    .returning('id')
    .execute()
  await transaction
    .updateTable('imported_decks')
    .set({ pool_archived: true })
    .where('deck_id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('tests_only', '=', true)
    .execute()
  await raiseDeckVersions(
    transaction,
    archived.map(({ id }) => id),
  )
}

export interface CardInput extends CardTexts, Pick<Selectable<Database['cards']>, 'deck_id' | 'sort_order'> {
  isDraft: boolean
  key: string
  guid: string | null
  ord: number | null
}

export async function insertCards(transaction: Transaction<Database>, cards: CardInput[]): Promise<void> {
  await sql`
    with input as materialized (
      select nextval(pg_get_serial_sequence('cards', 'id'))::integer as id, input.*
      from unnest(
        ${cards.map((card) => card.deck_id)}::integer[], ${cards.map((card) => card.key)}::text[],
        ${textArrays(cards)}, ${cards.map((card) => card.sort_order)}::integer[],
        ${cards.map(({ exercise }) => jsonOf(exercise))}::text[], ${cards.map(({ isDraft }) => isDraft)}::boolean[],
        ${cards.map((card) => card.guid)}::text[], ${cards.map((card) => card.ord)}::integer[]
      ) as input (deck_id, key, ${TEXTS}, sort_order, exercise, draft, guid, ord)
    ),
    created as (
      insert into cards (id, deck_id, ${TEXTS}, sort_order, exercise, archived_at)
      select id, deck_id, ${TEXTS}, sort_order, exercise::jsonb, case when draft then now() end from input
    )
    insert into imported_cards (card_id, deck_id, key, guid, ord, draft)
    select id, deck_id, key, guid, ord, draft from input`.execute(transaction)
}

/**
 * Counts the rows of the tables that `insertCards` reads and fills. If the planner takes them for empty, each batch reads
 * all rows.
 */
export async function analyzeCards(transaction: Transaction<Database>): Promise<void> {
  // Does not wait for another session that analyzes or vacuums the tables, because that session may wait for this one.
  await sql`analyze (skip_locked) decks, cards, imported_cards, distinct_answers`.execute(transaction)
}

const TEXTS = listTexts((column) => column)

/** Builds a parameter with the values of all cards for each text; the value is null if the card keeps its text. */
function textArrays(cards: readonly (CardTexts & { keeps?: readonly CardPart[] })[]) {
  return listTexts((_, name) => sql`${cards.map((card) => (card.keeps?.includes(name) ? null : card[name]))}::text[]`)
}

function jsonOf(exercise: Exercise | null): string | null {
  return exercise === null ? null : JSON.stringify(exercise)
}

export type CardUpdate = Omit<CardInput, 'key' | 'guid' | 'ord'> & {
  id: number
  /** Parts of the stored card that stay unchanged */
  keeps: readonly CardPart[]
  /** Whether the card stays marked as edited in the service */
  staysEdited: boolean
}

/** Updates cards and restores archived ones; drafts stay hidden from learners. */
export async function updateCards(transaction: Transaction<Database>, cards: CardUpdate[]): Promise<void> {
  const ids = cards.map(({ id }) => id)
  const drafts = cards.map(({ isDraft }) => isDraft)
  const edited = cards.map(({ staysEdited }) => staysEdited)
  await sql`
    update cards
    set deck_id = input.deck_id,
      ${listTexts((column) => sql`${column} = coalesce(input.${column}, cards.${column})`)},
      exercise = case when keeps_exercise then cards.exercise else input.exercise::jsonb end,
      sort_order = input.sort_order,
      archived_at = case when input.draft then coalesce(cards.archived_at, now()) end
    from unnest(
      ${ids}::integer[], ${cards.map((card) => card.deck_id)}::integer[],
      ${textArrays(cards)}, ${cards.map((card) => card.sort_order)}::integer[],
      ${cards.map(({ exercise }) => jsonOf(exercise))}::text[], ${drafts}::boolean[],
      ${cards.map(({ keeps }) => keeps.includes('exercise'))}::boolean[]
    ) as input (id, deck_id, ${TEXTS}, sort_order, exercise, draft, keeps_exercise)
    where cards.id = input.id`.execute(transaction)
  // The ids occur twice, because with the join alone each batch would read the whole table.
  await sql`
    update imported_cards
    set draft = input.draft, draft_archived = false, edited = edited and stays_edited
    from unnest(${ids}::integer[], ${drafts}::boolean[], ${edited}::boolean[]) as input (id, draft, stays_edited)
    where card_id = input.id and card_id = any (${ids}::integer[])
      and (imported_cards.draft <> input.draft or draft_archived or (edited and not stays_edited))`.execute(transaction)
}

/** Changes the identities of cards; the new identities must not be in use. */
export async function renameCards(
  transaction: Transaction<Database>,
  cards: { id: number; deck_id: number; key: string }[],
): Promise<void> {
  await sql`
    update imported_cards set deck_id = input.deck_id, key = input.key
    from unnest(
      ${cards.map((card) => card.id)}::integer[], ${cards.map((card) => card.deck_id)}::integer[],
      ${cards.map((card) => card.key)}::text[]
    ) as input (id, deck_id, key)
    where card_id = input.id`.execute(transaction)
}

/**
 * Archives cards. Also overwrites the `archived_at` of a draft, because `restoreCards` compares it with the time when
 * the source was archived.
 */
export async function archiveCards(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  await transaction
    .updateTable('cards')
    .set({ archived_at: sql<Date>`now()` })
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('archived_at', 'is', null),
        exists(
          selectFrom('imported_cards')
            .select('card_id')
            .whereRef('card_id', '=', 'cards.id')
            .where('draft', '=', true)
            .where('draft_archived', '=', false),
        ),
      ]),
    )
    .execute()
  await transaction
    .updateTable('imported_cards')
    .set({ draft_archived: true })
    .where('card_id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('draft', '=', true)
    .where('draft_archived', '=', false)
    .execute()
}

export interface CheatsheetInput
  extends Pick<Selectable<Database['cheatsheets']>, 'slug' | 'title' | 'category' | 'content_md'> {
  draft: boolean
}

/** Origin of a sheet: a source and the key of the sheet within it; both null for the content folder */
export type SheetOrigin = Pick<DeckOrigin, 'source_id' | 'source_key'>

export async function insertSheets(
  transaction: Transaction<Database>,
  sheets: (CheatsheetInput & SheetOrigin)[],
): Promise<void> {
  const slugs = sheets.map((sheet) => sheet.slug)
  await sql`
    with created as (
      insert into cheatsheets (slug, title, category, content_md, archived_at)
      select slug, title, category, content_md, case when draft then now() end
      from unnest(
        ${slugs}::text[], ${sheets.map((sheet) => sheet.title)}::text[],
        ${sheets.map((sheet) => sheet.category)}::text[], ${sheets.map((sheet) => sheet.content_md)}::text[],
        ${sheets.map((sheet) => sheet.draft)}::boolean[]
      ) as input (slug, title, category, content_md, draft)
      returning id, slug
    )
    insert into imported_cheatsheets (cheatsheet_id, source_id, source_key, draft)
    select id, source_id, source_key, draft
    from created join unnest(
      ${slugs}::text[], ${sheets.map((sheet) => sheet.source_id)}::integer[],
      ${sheets.map((sheet) => sheet.source_key)}::text[], ${sheets.map((sheet) => sheet.draft)}::boolean[]
    ) as origin (slug, source_id, source_key, draft) using (slug)`.execute(transaction)
}

/**
 * Updates sheets and restores archived ones; drafts stay hidden. Each sheet must have a row in `imported_cheatsheets`.
 */
export async function updateSheets(
  transaction: Transaction<Database>,
  sheets: { id: number; sheet: CheatsheetInput; isDraft: boolean; keepsText: boolean }[],
): Promise<void> {
  const columnOf = (key: keyof CheatsheetInput) => sheets.map(({ sheet }) => sheet[key])
  const ids = sheets.map(({ id }) => id)
  const drafts = sheets.map(({ isDraft }) => isDraft)
  const kept = sheets.map(({ keepsText }) => keepsText)
  await sql`
    update cheatsheets
    set title = case when keeps_text then cheatsheets.title else input.title end,
      category = case when keeps_text then cheatsheets.category else input.category end,
      content_md = case when keeps_text then cheatsheets.content_md else input.content_md end,
      archived_at = case when input.draft then coalesce(archived_at, now()) end
    from unnest(
      ${ids}::integer[], ${columnOf('title')}::text[], ${columnOf('category')}::text[],
      ${columnOf('content_md')}::text[], ${drafts}::boolean[], ${kept}::boolean[]
    ) as input (id, title, category, content_md, draft, keeps_text)
    where cheatsheets.id = input.id`.execute(transaction)
  await sql`
    update imported_cheatsheets
    set draft = input.draft, draft_archived = false, edited = edited and keeps_text
    from unnest(${ids}::integer[], ${drafts}::boolean[], ${kept}::boolean[]) as input (id, draft, keeps_text)
    where cheatsheet_id = input.id`.execute(transaction)
}

export async function markSheetsAsImported(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into imported_cheatsheets (cheatsheet_id) select unnest(${ids}::integer[])
    on conflict do nothing`.execute(transaction)
}

/** Removes the mark that sheets were edited in the service since the last upload. */
export async function clearSheetEdits(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await transaction
    .updateTable('imported_cheatsheets')
    .set({ edited: false })
    .where('cheatsheet_id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('edited', '=', true)
    .execute()
}

/** Archives sheets. Also overwrites the `archived_at` of a draft, as `archiveCards` does. */
export async function archiveSheets(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await transaction
    .updateTable('cheatsheets')
    .set({ archived_at: sql<Date>`now()` })
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('archived_at', 'is', null),
        exists(
          selectFrom('imported_cheatsheets')
            .select('cheatsheet_id')
            .whereRef('cheatsheet_id', '=', 'cheatsheets.id')
            .where('draft', '=', true)
            .where('draft_archived', '=', false),
        ),
      ]),
    )
    .execute()
  await transaction
    .updateTable('imported_cheatsheets')
    .set({ draft_archived: true })
    .where('cheatsheet_id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('draft', '=', true)
    .execute()
}
