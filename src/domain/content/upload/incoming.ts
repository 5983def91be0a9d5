import type { PictureExtension } from '../../pictures/index.js'
import type { Exercise } from '../../questions/exercise.js'
import type { DeckSource, SheetSource, TestSource, Warning } from '../types.js'

/**
 * Kind of an upload: an Anki package, a file of cards (a table, Anki text export or question file), or an archive of
 * Markdown
 */
export type SourceKind = 'anki' | 'table' | 'archive'

/** Kind of a stored source: the kind of its uploads, or `written` if its content is written in the browser */
export type StoredKind = SourceKind | 'written'

/** Identity of an incoming card across changes of text or deck */
export type Identity =
  /** Anki card: guid of the note and index of its template or cloze, from 0 */
  | { by: 'note'; guid: string; ord: number }
  /** Value of the id column of a table, or key of a card in an archive */
  | { by: 'id'; id: string }
  /** Card of a table without ids, identified by its question within the deck */
  | { by: 'question' }

/** A card of an upload; its index in `cards` of the deck determines the sort order. */
export interface IncomingCard {
  identity: Identity
  /** Markdown; pictures are `![alt](media/<sha256>.<extension>)`. */
  question: string
  answer: string
  level: string
  /** Null for a plain card; absent if the file does not specify it, as in Anki packages */
  exercise?: Exercise | null
  draft?: boolean
  /** Name of the table or archive entry; empty for an Anki package */
  file: string
  /** Line or row, from 1; 0 for an Anki package */
  line: number
}

/** A deck of an upload; names are unique within the upload. */
export interface IncomingDeck
  extends Partial<Pick<DeckSource, 'file' | 'tests_only' | 'options_off' | 'lang' | 'desired_retention'>> {
  /** Name with parent decks, such as `Linux::Netz` */
  name: string
  description: string
  /** Slug in the archive; null for other uploads */
  slug: string | null
  sort_order: number | null
  cards: IncomingCard[]
}

/** Returns a deck without description, slug and sort order, which tables and Anki packages do not contain. */
export function plainDeck(name: string, cards: IncomingCard[]): IncomingDeck {
  return { name, description: '', slug: null, sort_order: null, cards }
}

/** Returns the deck with this name; creates it and adds it to `decks` if there is none. */
export function getOrCreateDeck(decks: Map<string, IncomingDeck>, name: string): IncomingDeck {
  let deck = decks.get(name)
  if (deck === undefined) {
    deck = plainDeck(name, [])
    decks.set(name, deck)
  }
  return deck
}

/** A picture of an upload in a temporary file. */
export interface IncomingPicture {
  /** SHA-256 in lower-case hex */
  sha: string
  extension: PictureExtension
  /** Size in bytes */
  size: number
  path: string
}

/** The content of a parsed upload without faults. */
export interface Incoming {
  kind: SourceKind
  decks: IncomingDeck[]
  /** Sheets of an archive; empty for other uploads */
  sheets: SheetSource[]
  /** Tests of an archive; absent for other uploads. Sections refer to decks by the slugs in the files. */
  tests?: TestSource[]
  /** Pictures without duplicates */
  pictures: IncomingPicture[]
  /** The first 200 warnings, sorted by file and line */
  warnings: Warning[]
  /** Total number of warnings */
  warningsTotal: number
}
