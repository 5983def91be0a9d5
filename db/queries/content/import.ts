import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../../types.js'

/** How many rows of a kind an import created, changed, and so on. */
export interface Changes {
  created: number
  updated: number
  unchanged: number
  archived: number
}

export interface DeckInput {
  slug: string
  name: string
  description: string
  sort_order: number
}

export interface CardInput {
  deck_id: number
  key: string
  aliases: string[]
  question: string
  answer: string
  level: string
  sort_order: number
}

export interface CheatsheetInput {
  slug: string
  title: string
  category: string
  content_md: string
}

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

/** Writes what differs from the stored decks of these slugs and marks them as imported; ids by slug. */
export async function writeDecks(
  transaction: Transaction<Database>,
  decks: DeckInput[],
): Promise<{ created: number; updated: number; ids: Map<string, number> }> {
  const slugs = decks.map((deck) => deck.slug)
  const input = sql`unnest(
    ${slugs}::text[], ${decks.map((deck) => deck.name)}::text[],
    ${decks.map((deck) => deck.description)}::text[], ${decks.map((deck) => deck.sort_order)}::integer[]
  ) as input (slug, name, description, sort_order)`
  const { rows: updated } = await sql`
    update decks
    set name = input.name, description = input.description, sort_order = input.sort_order, archived_at = null
    from ${input}
    where decks.slug = input.slug
      and (decks.name, decks.description, decks.sort_order, decks.archived_at)
        is distinct from (input.name, input.description, input.sort_order, null)
    returning decks.id`.execute(transaction)
  const { rows: created } = await sql`
    insert into decks (slug, name, description, sort_order)
    select * from ${input} where not exists (select from decks where decks.slug = input.slug)
    returning id`.execute(transaction)
  const { rows } = await sql<{ id: number; slug: string }>`
    with imported as (
      insert into imported_decks (deck_id) select id from decks where slug = any (${slugs}) on conflict do nothing
    )
    select id, slug from decks where slug = any (${slugs})`.execute(transaction)
  return {
    created: created.length,
    updated: updated.length,
    ids: new Map(rows.map(({ id, slug }) => [slug, id])),
  }
}

/** Gives rows that were imported under an alias their new key, unless the key has a row already; the cards' ids. */
export async function renameCards(transaction: Transaction<Database>, cards: CardInput[]): Promise<number[]> {
  const pairs = cards.flatMap((card) => card.aliases.map((alias) => ({ ...card, alias })))
  if (pairs.length === 0) return []
  const { rows } = await sql<{ card_id: number }>`
    update imported_cards set key = renamed.key
    from (
      select distinct on (input.deck_id, input.key) card_id, input.key
      from unnest(
        ${pairs.map((pair) => pair.deck_id)}::integer[], ${pairs.map((pair) => pair.key)}::text[],
        ${pairs.map((pair) => pair.alias)}::text[]
      ) with ordinality as input (deck_id, key, alias, position)
      join imported_cards on imported_cards.deck_id = input.deck_id and imported_cards.key = input.alias
      where not exists (
        select from imported_cards as taken where taken.deck_id = input.deck_id and taken.key = input.key
      )
      order by input.deck_id, input.key, position
    ) as renamed
    where imported_cards.card_id = renamed.card_id
    returning imported_cards.card_id`.execute(transaction)
  return rows.map((row) => row.card_id)
}

/** Writes what differs from the stored cards; how many were created, and the ids of those that were changed. */
export async function writeCards(
  transaction: Transaction<Database>,
  cards: CardInput[],
): Promise<{ created: number; updatedIds: number[] }> {
  const { rows } = await sql<{ created: number; updated_ids: number[] }>`
    with matched as materialized (
      select input.*, coalesce(card_id, nextval(pg_get_serial_sequence('cards', 'id'))::integer) as id,
        card_id is null as is_new
      from unnest(
        ${cards.map((card) => card.deck_id)}::integer[], ${cards.map((card) => card.key)}::text[],
        ${cards.map((card) => card.question)}::text[], ${cards.map((card) => card.answer)}::text[],
        ${cards.map((card) => card.level)}::text[], ${cards.map((card) => card.sort_order)}::integer[]
      ) as input (deck_id, key, question, answer, level, sort_order)
      left join imported_cards using (deck_id, key)
    ),
    updated as (
      update cards
      set deck_id = matched.deck_id, question = matched.question, answer = matched.answer, level = matched.level,
        sort_order = matched.sort_order, archived_at = null
      from matched
      where cards.id = matched.id and not is_new
        and (cards.deck_id, cards.question, cards.answer, cards.level, cards.sort_order, cards.archived_at)
          is distinct from
          (matched.deck_id, matched.question, matched.answer, matched.level, matched.sort_order, null)
      returning cards.id
    ),
    created as (
      insert into cards (id, deck_id, question, answer, level, sort_order)
      select id, deck_id, question, answer, level, sort_order from matched where is_new
      returning id
    ),
    imported as (
      insert into imported_cards (card_id, deck_id, key) select id, deck_id, key from matched where is_new
    )
    select (select count(*)::integer from created) as created, array(select id from updated) as updated_ids`.execute(
    transaction,
  )
  return { created: rows[0]?.created ?? 0, updatedIds: rows[0]?.updated_ids ?? [] }
}

/** Archives the imported live cards of these decks that are not among the kept ones; how many. */
export async function archiveCards(
  transaction: Transaction<Database>,
  deckIds: number[],
  kept: Pick<CardInput, 'deck_id' | 'key'>[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    update cards set archived_at = now()
    from imported_cards
    where imported_cards.card_id = cards.id and imported_cards.deck_id = any (${deckIds}) and archived_at is null
      and not exists (
        select from unnest(
          ${kept.map((card) => card.deck_id)}::integer[], ${kept.map((card) => card.key)}::text[]
        ) as kept (deck_id, key)
        where kept.deck_id = imported_cards.deck_id and kept.key = imported_cards.key
      )`.execute(transaction)
  return Number(numAffectedRows ?? 0n)
}

/** The ids of imported decks that no file describes any more. */
export async function findAbandonedDecks(transaction: Transaction<Database>, slugs: string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from decks join imported_decks on deck_id = id
    where not exists (select from unnest(${slugs}::text[]) as kept (slug) where kept.slug = decks.slug)`.execute(
    transaction,
  )
  return rows.map((row) => row.id)
}

/** Archives those of the decks that are live; how many. */
export async function archiveDecks(transaction: Transaction<Database>, ids: number[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update decks set archived_at = now() where id = any (${ids}) and archived_at is null`.execute(transaction)
  return Number(numAffectedRows ?? 0n)
}

/** Writes what differs from the stored sheets of these slugs and marks them as imported. */
export async function writeCheatsheets(
  transaction: Transaction<Database>,
  sheets: CheatsheetInput[],
): Promise<{ created: number; updated: number }> {
  const input = sql`unnest(
    ${sheets.map((sheet) => sheet.slug)}::text[], ${sheets.map((sheet) => sheet.title)}::text[],
    ${sheets.map((sheet) => sheet.category)}::text[], ${sheets.map((sheet) => sheet.content_md)}::text[]
  ) as input (slug, title, category, content_md)`
  const { rows: updated } = await sql`
    update cheatsheets
    set title = input.title, category = input.category, content_md = input.content_md, archived_at = null
    from ${input}
    where cheatsheets.slug = input.slug
      and (cheatsheets.title, cheatsheets.category, cheatsheets.content_md, cheatsheets.archived_at)
        is distinct from (input.title, input.category, input.content_md, null)
    returning cheatsheets.id`.execute(transaction)
  const { rows: created } = await sql`
    insert into cheatsheets (slug, title, category, content_md)
    select * from ${input} where not exists (select from cheatsheets where cheatsheets.slug = input.slug)
    returning id`.execute(transaction)
  await sql`
    insert into imported_cheatsheets (cheatsheet_id)
    select id from cheatsheets where slug = any (${sheets.map((sheet) => sheet.slug)})
    on conflict do nothing`.execute(transaction)
  return { created: created.length, updated: updated.length }
}

/** Archives the imported live sheets whose slug no file has any more; how many. */
export async function archiveCheatsheets(transaction: Transaction<Database>, keptSlugs: string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update cheatsheets set archived_at = now()
    from imported_cheatsheets
    where cheatsheet_id = id and archived_at is null
      and not exists (select from unnest(${keptSlugs}::text[]) as kept (slug) where kept.slug = cheatsheets.slug)`.execute(
    transaction,
  )
  return Number(numAffectedRows ?? 0n)
}
