import type { Kysely } from 'kysely'
import type { ItemKind } from '../../../src/domain/content/editing/rights.js'
import { toTestSlug } from '../../../src/domain/tests/slug.js'
import { isInteger, parseId } from '../../../src/domain/text/parameters.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'

export async function listEditedSources(db: Kysely<Database>, userId: number): Promise<number[]> {
  const rows = await db.selectFrom('source_editors').select('source_id').where('user_id', '=', userId).execute()
  return rows.map(({ source_id }) => source_id)
}

/**
 * Returns the id of the source of an item, archived or not.
 * @param key id or slug from the path or body of a request
 * @returns null for items from the content folder, from scripts or from a deleted source; undefined if there is no such
 * item
 */
export async function findSourceOf(
  db: Kysely<Database>,
  kind: ItemKind,
  key: string,
): Promise<number | null | undefined> {
  const row = await FIND[kind](db, key)
  return row?.source_id
}

export async function findSourcesOfCards(
  db: Kysely<Database>,
  ids: readonly number[],
): Promise<Map<number, number | null>> {
  const rows = await db
    .selectFrom('cards')
    .leftJoin('imported_decks', 'imported_decks.deck_id', 'cards.deck_id')
    .select(['cards.id', 'source_id'])
    .where('cards.id', '=', ({ fn, val }) => fn.any(val(ids)))
    .execute()
  return new Map(rows.map(({ id, source_id }) => [id, source_id]))
}

type Row = { source_id: number | null }
type Find = (db: Kysely<Database>, key: string) => Promise<Row | undefined>

const FIND: Record<ItemKind, Find> = {
  source: byId((db, id) =>
    db.selectFrom('content_sources').select('id as source_id').where('id', '=', id).executeTakeFirst(),
  ),
  deck: bySlug((db, slug) =>
    db
      .selectFrom('decks')
      .leftJoin('imported_decks', 'deck_id', 'decks.id')
      .select('source_id')
      .where('slug', '=', slug)
      .executeTakeFirst(),
  ),
  card: byId((db, id) =>
    db
      .selectFrom('cards')
      .leftJoin('imported_decks', 'imported_decks.deck_id', 'cards.deck_id')
      .select('source_id')
      .where('cards.id', '=', id)
      .executeTakeFirst(),
  ),
  sheet: bySlug((db, slug) =>
    db
      .selectFrom('cheatsheets')
      .leftJoin('imported_cheatsheets', 'cheatsheet_id', 'cheatsheets.id')
      .select('source_id')
      .where('slug', '=', slug)
      .executeTakeFirst(),
  ),
  test: bySlug((db, slug) =>
    db.selectFrom('tests').select('source_id').where('slug', '=', toTestSlug(slug)).executeTakeFirst(),
  ),
  report: byId((db, id) =>
    db
      .selectFrom('card_reports')
      .innerJoin('cards', 'cards.id', 'card_id')
      .leftJoin('imported_decks', 'imported_decks.deck_id', 'cards.deck_id')
      .select('source_id')
      .where('card_reports.id', '=', id)
      .executeTakeFirst(),
  ),
  change: byId((db, id) =>
    db.selectFrom('content_changes').select('source_id').where('id', '=', id).executeTakeFirst(),
  ),
}

function byId(find: (db: Kysely<Database>, id: number) => Promise<Row | undefined>): Find {
  return async (db, key) => {
    const id = parseId(key)
    return id !== undefined && isInteger(id) ? find(db, id) : undefined
  }
}

function bySlug(find: (db: Kysely<Database>, slug: string) => Promise<Row | undefined>): Find {
  return async (db, key) => (isStorable(key) ? find(db, key) : undefined)
}
