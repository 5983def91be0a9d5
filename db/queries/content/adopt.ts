import { type Kysely, sql, type Transaction } from 'kysely'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'

// Raw SQL: the statement inserts what it selects, with computed keys.

export interface Owned {
  id: number
  /** Null for content from the content folder, from scripts or from a deleted source */
  source_id: number | null
}

export async function findDeckOwner(db: Kysely<Database>, slug: string): Promise<Owned | undefined> {
  if (!isStorable(slug)) return undefined
  return db
    .selectFrom('decks')
    .leftJoin('imported_decks', 'deck_id', 'decks.id')
    .select(['decks.id', 'source_id'])
    .where('slug', '=', slug)
    .executeTakeFirst()
}

export async function findSheetOwner(db: Kysely<Database>, slug: string): Promise<Owned | undefined> {
  if (!isStorable(slug)) return undefined
  return db
    .selectFrom('cheatsheets')
    .leftJoin('imported_cheatsheets', 'cheatsheet_id', 'cheatsheets.id')
    .select(['cheatsheets.id', 'source_id'])
    .where('slug', '=', slug)
    .executeTakeFirst()
}

/**
 * Moves a deck into a source. The deck's slug becomes its key in the source. Cards that have an identity in the deck
 * keep it.
 */
export async function adoptDeck(
  transaction: Transaction<Database>,
  { deckId, slug, sourceId }: { deckId: number; slug: string; sourceId: number },
): Promise<void> {
  const owner = { source_id: sourceId, source_key: slug, file: null }
  await transaction
    .insertInto('imported_decks')
    .values({ deck_id: deckId, ...owner })
    .onConflict((conflict) => conflict.column('deck_id').doUpdateSet(owner))
    .execute()
  // Gives new identities to cards that a script has created or moved into the deck, so that the source owns all cards
  // of the deck.
  await sql`
    insert into imported_cards (card_id, deck_id, key)
    select cards.id, ${deckId}::integer, 'karte-' || cards.id
    from cards left join imported_cards on card_id = cards.id
    where cards.deck_id = ${deckId}::integer and imported_cards.deck_id is distinct from ${deckId}::integer
    on conflict (card_id) do update set deck_id = excluded.deck_id, key = excluded.key`.execute(transaction)
}

export async function adoptSheet(
  transaction: Transaction<Database>,
  { sheetId, slug, sourceId }: { sheetId: number; slug: string; sourceId: number },
): Promise<void> {
  const owner = { source_id: sourceId, source_key: slug }
  await transaction
    .insertInto('imported_cheatsheets')
    .values({ cheatsheet_id: sheetId, ...owner })
    .onConflict((conflict) => conflict.column('cheatsheet_id').doUpdateSet(owner))
    .execute()
}
