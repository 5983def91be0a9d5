import type { PictureExtension } from '../../pictures/index.js'
import type { Exercise } from '../../questions/exercise.js'
import type { DeckSource, SheetSource, TestSource, Warning } from '../types.js'

/**
 * Kind of an upload: an Anki package, a file of cards (a table, Anki text export or question file), or an archive of
 * Markdown
 */
export type SourceKind = 'anki' | 'table' | 'archive'

/** Kind of a stored source: of its uploads, or written in the browser */
export type StoredKind = SourceKind | 'written'

/** Identity of an incoming card across changes of text or deck */
export type Identity =
  /** Anki card: guid of the note and index of its template or cloze, from 0 */
  | { by: 'note'; guid: string; ord: number }
  /** Id column of a table, or key of an archive's card */
  | { by: 'id'; id: string }
  /** Table without ids: the question within the deck */
  | { by: 'question' }

/** A card of an upload; its index in the deck is its sort order. */
export interface IncomingCard {
  identity: Identity
  /** Markdown; pictures are `![alt](media/<sha256>.<extension>)`. */
  question: string
  answer: string
  level: string
  /** Null for a plain card; absent if the file says nothing of it, as Anki packages */
  exercise?: Exercise | null
  draft?: boolean
  /** Table name or archive entry; empty for an Anki package */
  file: string
  /** From 1; 0 for an Anki package */
  line: number
}

/** A deck of an upload; names are unique within the upload. */
export interface IncomingDeck
  extends Partial<Pick<DeckSource, 'file' | 'tests_only' | 'options_off' | 'lang' | 'desired_retention'>> {
  /** Such as `Linux::Netz` */
  name: string
  description: string
  /** Only archives have slugs. */
  slug: string | null
  sort_order: number | null
  cards: IncomingCard[]
}

/** Returns a deck without a description and slug, as tables and Anki packages have it. */
export function plainDeck(name: string, cards: IncomingCard[]): IncomingDeck {
  return { name, description: '', slug: null, sort_order: null, cards }
}

/** Returns the deck of that name, which it adds to the others if it is new. */
export function deckNamed(decks: Map<string, IncomingDeck>, name: string): IncomingDeck {
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
  /** Bytes */
  size: number
  path: string
}

/** A parsed upload. Faults are reported before and never get here. */
export interface Incoming {
  kind: SourceKind
  decks: IncomingDeck[]
  /** Only in archives */
  sheets: SheetSource[]
  /** Only in archives; their sections name decks as the files do */
  tests?: TestSource[]
  /** Without duplicates */
  pictures: IncomingPicture[]
  /** At most 200, by file and line */
  warnings: Warning[]
  /** Total number of warnings */
  warningsTotal: number
}
