import type { Kysely } from 'kysely'
import {
  type ExportedCard,
  type ExportedReview,
  type ExportedSheet,
  type ExportScope,
  findPictureBytes,
  type ListedDeck,
  listDecksToExport,
  listPictures,
  listTestsToExport,
  readCardsToExport,
  readReviewsToExport,
  readSheetsToExport,
} from '../../../../db/queries/content/export-cards.js'
import type { Database } from '../../../../db/types.js'
import type { TestDefinition } from '../../../domain/tests/definition.js'
import { resolveStored, type TestToResolve } from '../../tests/publish.js'

/** A test in an export. Importing the export publishes the test unless `draft` is true. */
export interface WrittenTest {
  slug: string
  definition: TestDefinition
  lang: string
  translation_of: string | null
  draft: boolean
}

/** Items of an export in order: each deck is followed by its cards in batches. */
export type ExportItem =
  /** SHA-256 of all stored pictures in hex; texts may also reference pictures that are not stored. */
  | { kind: 'pictures'; shas: ReadonlySet<string> }
  | { kind: 'deck'; deck: Omit<ListedDeck, 'card_ids'> }
  | { kind: 'cards'; cards: ExportedCard[] }
  | { kind: 'reviews'; reviews: ExportedReview[] }
  | { kind: 'sheets'; sheets: ExportedSheet[] }
  | { kind: 'test'; test: WrittenTest }

export interface ExportSource {
  items: AsyncIterable<ExportItem>
  /** Returns undefined if no picture with this SHA-256 (hex) is stored */
  picture: (sha: string) => Promise<Uint8Array | undefined>
}

export interface Selection extends ExportScope {
  userId?: number | undefined
  hasSheets?: boolean
  /** Whether tests are included; must be false for learners, because tests reveal their questions */
  hasTests?: boolean
}

const CARDS_AT_ONCE = 500

/**
 * Returns a source that reads the content in short statements and holds no connection between statements. The set of
 * cards is fixed at the start. If a card is edited during the export, the old or the new text is exported.
 */
export function readSource(db: Kysely<Database>, selection: Selection): ExportSource {
  return { items: readItems(db, selection), picture: (sha) => findPictureBytes(db, sha) }
}

async function* readItems(
  db: Kysely<Database>,
  { userId, hasSheets = false, hasTests = false, ...scope }: Selection,
): AsyncGenerator<ExportItem> {
  yield { kind: 'pictures', shas: await listPictures(db) }
  const decks = await listDecksToExport(db, scope)
  const slugs = new Set(decks.map(({ slug }) => slug))
  for (const { card_ids, ...deck } of decks) {
    // An import would not find an original that the export leaves out.
    const translation_of = slugs.has(deck.translation_of ?? '') ? deck.translation_of : null
    yield { kind: 'deck', deck: { ...deck, translation_of } }
    for (let first = 0; first < card_ids.length; first += CARDS_AT_ONCE) {
      const ids = card_ids.slice(first, first + CARDS_AT_ONCE)
      const cards = await readCardsToExport(db, ids, { userId, hasHidden: scope.hasHidden })
      yield { kind: 'cards', cards }
    }
  }
  if (userId !== undefined)
    for await (const reviews of readReviewsToExport(db, userId)) yield { kind: 'reviews', reviews }
  if (hasSheets) for await (const sheets of readSheetsToExport(db, scope)) yield { kind: 'sheets', sheets }
  if (!hasTests) return
  for (const { source_id, isPublished, ...test } of await listTestsToExport(db, scope)) {
    // A test that cannot be published now is exported as a draft; otherwise the import of the archive would fail.
    const draft = !isPublished || !(await isResolvable(db, test, source_id))
    yield { kind: 'test', test: { ...test, draft } }
  }
}

async function isResolvable(db: Kysely<Database>, test: TestToResolve, sourceId: number | null): Promise<boolean> {
  const faults: string[] = []
  await resolveStored(db, test, sourceId, (message) => faults.push(message))
  return faults.length === 0
}
