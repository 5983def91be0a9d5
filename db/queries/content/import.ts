import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { StoredCard } from '../../../src/domain/content/import-plan.js'
import type { OwnedCard, OwnedDeck, OwnedSheet } from '../../../src/domain/content/upload-plan.js'
import type { CardsTable, CheatsheetsTable, Database, DecksTable } from '../../types.js'

export type DeckInput = Pick<Selectable<DecksTable>, 'slug' | 'name' | 'description' | 'sort_order'>

export type CheatsheetInput = Pick<Selectable<CheatsheetsTable>, 'slug' | 'title' | 'category' | 'content_md'>

export interface CardInput
  extends Pick<Selectable<CardsTable>, 'deck_id' | 'question' | 'answer' | 'level' | 'sort_order'> {
  key: string
  /** Of an Anki note, else null. */
  guid: string | null
  ord: number | null
}

/** Rows that one statement reads. */
const CARDS_AT_ONCE = 5_000
const NOTES_AT_ONCE = 1_000
const SHEETS_AT_ONCE = 200

/** Only one import writes at a time; the lock ends with the transaction. False when another one holds it. */
export async function tryLockImport(transaction: Transaction<Database>): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('svc-training import')) as locked`.execute(transaction)
  return rows[0]?.locked === true
}

/** Whether there is no deck, no card and no sheet, not even an archived one. */
export async function isContentEmpty(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ empty: boolean }>`
    select not exists (select from decks) and not exists (select from cheatsheets) as empty`.execute(db)
  return rows[0]?.empty === true
}

/** All decks, those of scripts and sources and archived ones too. */
export async function findStoredDecks(db: Kysely<Database>): Promise<OwnedDeck[]> {
  const { rows } = await sql<OwnedDeck>`
    select decks.id, slug, decks.name, description, sort_order, card_count, decks.archived_at is null as is_live,
      deck_id is not null and source_id is null as is_imported, file, source_id, source_key,
      content_sources.name as owner, content_sources.archived_at is null as owner_is_live
    from decks left join imported_decks on deck_id = decks.id left join content_sources on content_sources.id = source_id
    order by decks.id`.execute(db)
  return rows
}

/**
 * All cards that the folder's imports have written, archived ones too, and those of released decks. Texts stay in the
 * database: their digests are compared.
 */
export async function findStoredCards(db: Kysely<Database>): Promise<StoredCard[]> {
  return readByKey(CARDS_AT_ONCE, async (after) => {
    const { rows } = await sql<StoredCard>`
      select ${storedCard()}
      from imported_cards join cards on id = card_id
      left join imported_decks on imported_decks.deck_id = imported_cards.deck_id
      where source_id is null and card_id > ${after} order by card_id limit ${CARDS_AT_ONCE}`.execute(db)
    return rows
  })
}

/** All cards of a source, archived ones too. */
export async function findSourceCards(db: Kysely<Database>, sourceId: number): Promise<OwnedCard[]> {
  return readByKey(CARDS_AT_ONCE, async (after) => {
    const { rows } = await sql<OwnedCard>`
      select ${storedCard()}, guid, ord
      from imported_cards join cards on id = card_id
      join imported_decks on imported_decks.deck_id = imported_cards.deck_id
      where source_id = ${sourceId} and card_id > ${after} order by card_id limit ${CARDS_AT_ONCE}`.execute(db)
    return rows
  })
}

/** The cards of Anki notes, whosever they are. */
export async function findCardsOfNotes(db: Kysely<Database>, guids: readonly string[]): Promise<OwnedCard[]> {
  const found: OwnedCard[] = []
  for (let first = 0; first < guids.length; first += NOTES_AT_ONCE) {
    const { rows } = await sql<OwnedCard>`
      select ${storedCard()}, guid, ord
      from imported_cards join cards on id = card_id
      where guid = any (${guids.slice(first, first + NOTES_AT_ONCE)}::text[])`.execute(db)
    for (const row of rows) found.push(row)
  }
  return found
}

/** All cards that came from no Anki note, scripts' ones too, with what their guid in our own packages is made of. */
export async function findCardsWithoutNote(db: Kysely<Database>): Promise<{ id: number; created_at: Date }[]> {
  return readByKey(CARDS_AT_ONCE, async (after) => {
    const { rows } = await sql<{ id: number; created_at: Date }>`
      select id, cards.created_at
      from cards left join imported_cards on card_id = id
      where guid is null and id > ${after} order by id limit ${CARDS_AT_ONCE}`.execute(db)
    return rows
  })
}

/** Cards as `findCardsOfNotes` finds them; those of scripts have an empty key. */
export async function findCardsById(db: Kysely<Database>, ids: readonly number[]): Promise<OwnedCard[]> {
  const found: OwnedCard[] = []
  for (let first = 0; first < ids.length; first += NOTES_AT_ONCE) {
    const { rows } = await sql<OwnedCard>`
      select ${storedCard()}, guid, ord
      from cards left join imported_cards on card_id = id
      where id = any (${ids.slice(first, first + NOTES_AT_ONCE)}::integer[])`.execute(db)
    for (const row of rows) found.push(row)
  }
  return found
}

function storedCard() {
  return sql`id, coalesce(imported_cards.deck_id, cards.deck_id) as identity_deck_id, coalesce(key, '') as key,
    cards.deck_id, sort_order,
    archived_at is null as is_live, ${digestOf('question')} as question_digest,
    ${digestOf('answer', 'level')} as rest_digest`
}

/** The levels of all live cards. */
export async function listLevels(db: Kysely<Database>): Promise<string[]> {
  const rows = await db.selectFrom('cards').select('level').distinct().where('archived_at', 'is', null).execute()
  return rows.map(({ level }) => level)
}

/** What cards say now. */
export async function findCardTexts(
  db: Kysely<Database>,
  ids: number[],
): Promise<Map<number, { question: string; answer: string }>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('cards').select(['id', 'question', 'answer']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, ...texts }) => [id, texts]))
}

/** All sheets, those of scripts and sources and archived ones too. */
export async function findStoredSheets(db: Kysely<Database>): Promise<OwnedSheet[]> {
  return readByKey(SHEETS_AT_ONCE, async (after) => {
    const { rows } = await sql<OwnedSheet>`
      select cheatsheets.id, slug, cheatsheets.archived_at is null as is_live,
        cheatsheet_id is not null and source_id is null as is_imported,
        ${digestOf('title', 'category', 'content_md')} as digest, source_id, source_key, content_sources.name as owner
      from cheatsheets left join imported_cheatsheets on cheatsheet_id = cheatsheets.id
      left join content_sources on content_sources.id = source_id
      where cheatsheets.id > ${after} order by cheatsheets.id limit ${SHEETS_AT_ONCE}`.execute(db)
    return rows
  })
}

async function readByKey<T extends { id: number }>(size: number, read: (after: number) => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (let after = -(2 ** 31); ; ) {
    const rows = await read(after)
    for (const row of rows) all.push(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return all
    after = last.id
  }
}

/** What `digestText` makes of the texts: a NUL, which no text holds, comes between them. */
function digestOf(...columns: string[]) {
  const bytes = columns.map((column) => sql`convert_to(${sql.ref(column)}, 'UTF8')`)
  return sql`substr(encode(sha256(${sql.join(bytes, sql` || '\\x00'::bytea || `)}), 'hex'), 1, 32)`
}

/** What describes a deck: a file, relative to the content folder, or a source and what that calls it. */
export interface DeckOrigin {
  file: string | null
  source_id: number | null
  source_key: string | null
}

/** The same of a sheet. */
export type SheetOrigin = Pick<DeckOrigin, 'source_id' | 'source_key'>

/** Creates decks; ids by slug. */
export async function insertDecks(
  transaction: Transaction<Database>,
  decks: (DeckInput & DeckOrigin)[],
): Promise<Map<string, number>> {
  if (decks.length === 0) return new Map()
  const rows = await transaction
    .insertInto('decks')
    .columns(['slug', 'name', 'description', 'sort_order'])
    .expression(
      sql`select * from unnest(
        ${decks.map((deck) => deck.slug)}::text[], ${decks.map((deck) => deck.name)}::text[],
        ${decks.map((deck) => deck.description)}::text[], ${decks.map((deck) => deck.sort_order)}::integer[])`,
    )
    .returning(['id', 'slug'])
    .execute()
  const ids = new Map(rows.map(({ id, slug }) => [slug, id]))
  await markDecksAsImported(
    transaction,
    decks.map(({ slug, ...origin }) => ({ ...origin, id: ids.get(slug) as number })),
  )
  return ids
}

/** Makes decks, archived ones too, what the inputs say. */
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
}

/** Notes what describes the decks. */
export async function markDecksAsImported(
  transaction: Transaction<Database>,
  decks: (DeckOrigin & { id: number })[],
): Promise<void> {
  if (decks.length === 0) return
  await sql`
    insert into imported_decks (deck_id, file, source_id, source_key)
    select * from unnest(
      ${decks.map(({ id }) => id)}::integer[], ${decks.map(({ file }) => file)}::text[],
      ${decks.map(({ source_id }) => source_id)}::integer[], ${decks.map(({ source_key }) => source_key)}::text[])
    on conflict (deck_id) do update set file = excluded.file`.execute(transaction)
}

export async function archiveDecks(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`update decks set archived_at = now() where id = any (${ids})`.execute(transaction)
}

/** Creates cards and notes under which identity. */
export async function insertCards(transaction: Transaction<Database>, cards: CardInput[]): Promise<void> {
  await sql`
    with input as materialized (
      select nextval(pg_get_serial_sequence('cards', 'id'))::integer as id, input.*
      from unnest(
        ${cards.map((card) => card.deck_id)}::integer[], ${cards.map((card) => card.key)}::text[],
        ${cards.map((card) => card.question)}::text[], ${cards.map((card) => card.answer)}::text[],
        ${cards.map((card) => card.level)}::text[], ${cards.map((card) => card.sort_order)}::integer[],
        ${cards.map((card) => card.guid)}::text[], ${cards.map((card) => card.ord)}::integer[]
      ) as input (deck_id, key, question, answer, level, sort_order, guid, ord)
    ),
    created as (
      insert into cards (id, deck_id, question, answer, level, sort_order)
      select id, deck_id, question, answer, level, sort_order from input
    )
    insert into imported_cards (card_id, deck_id, key, guid, ord)
    select id, deck_id, key, guid, ord from input`.execute(transaction)
}

/** Makes cards, archived ones too, what the inputs say. */
export async function updateCards(
  transaction: Transaction<Database>,
  cards: (Omit<CardInput, 'key' | 'guid' | 'ord'> & { id: number })[],
): Promise<void> {
  await sql`
    update cards
    set deck_id = input.deck_id, question = input.question, answer = input.answer, level = input.level,
      sort_order = input.sort_order, archived_at = null
    from unnest(
      ${cards.map((card) => card.id)}::integer[], ${cards.map((card) => card.deck_id)}::integer[],
      ${cards.map((card) => card.question)}::text[], ${cards.map((card) => card.answer)}::text[],
      ${cards.map((card) => card.level)}::text[], ${cards.map((card) => card.sort_order)}::integer[]
    ) as input (id, deck_id, question, answer, level, sort_order)
    where cards.id = input.id`.execute(transaction)
}

/** Gives cards another identity, which must be free. */
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

export async function archiveCards(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  await sql`update cards set archived_at = now() where id = any (${ids}) and archived_at is null`.execute(transaction)
}

/** How many learners have progress on a card; cards without any are left out. */
export async function countLearners(db: Kysely<Database>, cardIds: number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ card_id: number; learners: number }>`
    select card_id, count(*) as learners from card_progress where card_id = any (${cardIds}) group by card_id`.execute(
    db,
  )
  return new Map(rows.map(({ card_id, learners }) => [card_id, learners]))
}

/**
 * Passes on what learners have of cards (`from`) to the cards that have taken their place (`to`): whoever has no
 * progress on the new card keeps that of the old one, and being suspended. Of several old cards the first one counts.
 * The old cards lose their identities, so that this happens once; what is not passed on stays with them. The log is
 * not touched.
 */
export async function passOnProgress(
  transaction: Transaction<Database>,
  pairs: { from: number; to: number }[],
): Promise<void> {
  const [from, to] = [pairs.map((pair) => pair.from), pairs.map((pair) => pair.to)]
  const succession = sql`unnest(${from}::integer[], ${to}::integer[]) with ordinality as pair (old_id, new_id, place)`
  // Whoever reviews one of the cards has locked it first.
  await sql`select from cards where id = any (${[...from, ...to]}) order by id for no key update`.execute(transaction)
  await sql`
    with heirs as materialized (
      select distinct on (old.user_id, new_id) old.user_id, old_id, new_id, old.progress_id, old.is_suspended
      from ${succession} cross join lateral (
        select user_id, max(progress_id) as progress_id, bool_or(progress_id is null) as is_suspended
        from (
          select user_id, id as progress_id from card_progress where card_id = old_id
          union all
          select user_id, null from suspended_cards where card_id = old_id
        ) as had
        group by user_id
      ) as old
      where not exists (
        select from card_progress as new where new.user_id = old.user_id and new.card_id = new_id
      )
      order by old.user_id, new_id, (old.progress_id is null), place
    ),
    released as (
      delete from suspended_cards using heirs
      where suspended_cards.user_id = heirs.user_id and suspended_cards.card_id = heirs.old_id and is_suspended
    ),
    suspended as (
      insert into suspended_cards (user_id, card_id) select user_id, new_id from heirs where is_suspended
      on conflict do nothing
    )
    update card_progress set card_id = new_id from heirs where id = progress_id`.execute(transaction)
  await sql`delete from imported_cards where card_id = any (${from})`.execute(transaction)
}

export async function insertSheets(
  transaction: Transaction<Database>,
  sheets: (CheatsheetInput & SheetOrigin)[],
): Promise<void> {
  const slugs = sheets.map((sheet) => sheet.slug)
  await sql`
    with created as (
      insert into cheatsheets (slug, title, category, content_md)
      select * from unnest(
        ${slugs}::text[], ${sheets.map((sheet) => sheet.title)}::text[],
        ${sheets.map((sheet) => sheet.category)}::text[], ${sheets.map((sheet) => sheet.content_md)}::text[])
      returning id, slug
    )
    insert into imported_cheatsheets (cheatsheet_id, source_id, source_key)
    select id, source_id, source_key
    from created join unnest(
      ${slugs}::text[], ${sheets.map((sheet) => sheet.source_id)}::integer[],
      ${sheets.map((sheet) => sheet.source_key)}::text[]
    ) as origin (slug, source_id, source_key) using (slug)`.execute(transaction)
}

/** Makes sheets, archived ones too, what the inputs say. */
export async function updateSheets(
  transaction: Transaction<Database>,
  sheets: { id: number; sheet: CheatsheetInput }[],
): Promise<void> {
  const columnOf = (key: keyof CheatsheetInput) => sheets.map(({ sheet }) => sheet[key])
  await sql`
    update cheatsheets
    set title = input.title, category = input.category, content_md = input.content_md, archived_at = null
    from unnest(
      ${sheets.map(({ id }) => id)}::integer[], ${columnOf('title')}::text[], ${columnOf('category')}::text[],
      ${columnOf('content_md')}::text[]
    ) as input (id, title, category, content_md)
    where cheatsheets.id = input.id`.execute(transaction)
}

export async function markSheetsAsImported(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into imported_cheatsheets (cheatsheet_id) select unnest(${ids}::integer[])
    on conflict do nothing`.execute(transaction)
}

export async function archiveSheets(transaction: Transaction<Database>, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`update cheatsheets set archived_at = now() where id = any (${ids})`.execute(transaction)
}
