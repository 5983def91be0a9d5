import { type Kysely, sql, type Transaction } from 'kysely'
import type { ItemState } from '../../../column-types.js'
import type { Database } from '../../../types.js'
import type { DeckToEdit } from './decks.js'

/** Locks a change against a second undo. */
export async function lockChange(
  transaction: Transaction<Database>,
  id: number,
): Promise<{ source_id: number | null; is_undone: boolean } | undefined> {
  const change = await transaction
    .selectFrom('content_changes')
    .select('source_id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (change === undefined) return undefined
  const undo = await transaction.selectFrom('content_changes').select('id').where('undoes', '=', id).executeTakeFirst()
  return { ...change, is_undone: undo !== undefined }
}

export interface CardItem {
  card_id: number
  before: ItemState | null
  after: ItemState
}

/** Returns the cards of a change in the order of the change; an empty array if the change contains a sheet. */
export async function findCardItems(db: Kysely<Database>, changeId: number): Promise<CardItem[]> {
  const rows = await db
    .selectFrom('content_change_items')
    .select(['card_id', 'before', 'after'])
    .where('change_id', '=', changeId)
    .orderBy('id')
    .execute()
  const items = rows.flatMap(({ card_id, ...states }) => (card_id === null ? [] : [{ card_id, ...states }]))
  return items.length === rows.length ? items : []
}

export async function findDecksById(
  db: Kysely<Database>,
  ids: readonly number[],
): Promise<Map<number, Omit<DeckToEdit, 'tests_only'>>> {
  const rows = await db
    .selectFrom('decks')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'decks.id')
    .leftJoin('content_sources', 'content_sources.id', 'source_id')
    .select(['decks.id', 'source_id', 'kind', 'file'])
    .where(sql<boolean>`decks.id = any (${ids}::integer[])`)
    .execute()
  return new Map(rows.map((deck) => [deck.id, deck]))
}
