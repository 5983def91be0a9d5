import { type Selectable, sql, type Transaction } from 'kysely'
import type { CardsTable, Database } from '../../types.js'

export interface CardInput
  extends Pick<Selectable<CardsTable>, 'deck_id' | 'question' | 'answer' | 'level' | 'sort_order'> {
  key: string
  /** Guid of the Anki note, or null */
  guid: string | null
  ord: number | null
}

/** Creates cards with their identities. */
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

/** Updates cards and restores archived ones. */
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

/** Gives cards a new identity, which must be free. */
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
  await transaction
    .updateTable('cards')
    .set({ archived_at: sql<Date>`now()` })
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .where('archived_at', 'is', null)
    .execute()
}
