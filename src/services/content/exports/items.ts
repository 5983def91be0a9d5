import type { Kysely } from 'kysely'
import {
  type ExportedCard,
  type ExportedReview,
  type ExportedSheet,
  findPictureBytes,
  type ListedDeck,
  listDecksToExport,
  listPictures,
  readCardsToExport,
  readReviewsToExport,
  readSheetsToExport,
} from '../../../../db/queries/content/export-cards.js'
import type { Database } from '../../../../db/types.js'

/** What an export is made of, in this order: each deck is followed by its cards, in batches. */
export type ExportItem =
  /** Those that are stored, by their SHA-256 in hex: a text may name others. */
  | { kind: 'pictures'; shas: ReadonlySet<string> }
  | { kind: 'deck'; deck: Omit<ListedDeck, 'card_ids'> }
  | { kind: 'cards'; cards: ExportedCard[] }
  | { kind: 'reviews'; reviews: ExportedReview[] }
  | { kind: 'sheets'; sheets: ExportedSheet[] }

/** Where those who write a file get it from. */
export interface ExportSource {
  items: AsyncIterable<ExportItem>
  /** The bytes of a stored picture; undefined when there is none. @param sha in hex */
  picture: (sha: string) => Promise<Uint8Array | undefined>
}

export interface Selection {
  /** All decks when it is undefined. */
  deckId?: number | undefined
  /** Whose progress comes with the cards. */
  userId?: number | undefined
  hasSheets?: boolean
}

const CARDS_AT_ONCE = 500

/**
 * Reads in short statements: between two of them no connection is held. Which cards there are is asked once; a text that
 * changes meanwhile may come in either form.
 */
export function readSource(db: Kysely<Database>, selection: Selection): ExportSource {
  return { items: readItems(db, selection), picture: (sha) => findPictureBytes(db, sha) }
}

async function* readItems(
  db: Kysely<Database>,
  { deckId, userId, hasSheets = false }: Selection,
): AsyncGenerator<ExportItem> {
  yield { kind: 'pictures', shas: await listPictures(db) }
  for (const { card_ids, ...deck } of await listDecksToExport(db, deckId)) {
    yield { kind: 'deck', deck }
    for (let first = 0; first < card_ids.length; first += CARDS_AT_ONCE) {
      const cards = await readCardsToExport(db, card_ids.slice(first, first + CARDS_AT_ONCE), userId)
      yield { kind: 'cards', cards }
    }
  }
  if (userId !== undefined)
    for await (const reviews of readReviewsToExport(db, userId)) yield { kind: 'reviews', reviews }
  if (hasSheets) for await (const sheets of readSheetsToExport(db)) yield { kind: 'sheets', sheets }
}
