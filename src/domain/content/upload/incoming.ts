import type { PictureExtension } from '../../pictures/index.js'
import type { TableDescription } from '../../table-layout.js'
import type { GivenTexts } from '../card-texts.js'
import type { Finding } from '../findings.js'
import type { DeckSource, SheetSource, TestSource } from '../types.js'

/**
 * Kind of an upload: an Anki package, a file of cards (a table, Anki text export or question file), or an archive of
 * Markdown
 */
export type SourceKind = 'anki' | 'table' | 'archive'

/** Kind of a stored source: that of its uploads, or `written` if the content is written in the browser */
export type StoredKind = SourceKind | 'written'

export type Identity =
  /** Anki card: guid of the note and index of its template or cloze, from 0 */
  | { by: 'note'; guid: string; ord: number }
  /** Value of the id column of a table, id in a question file, or key of a card in an archive */
  | { by: 'id'; id: string }
  /** Card without a usable id, identified by its question within the deck */
  | { by: 'question' }

/**
 * A card of an upload. Its index in `cards` of the deck determines its sort order. The target of a stored picture is
 * `media/<sha256>.<extension>`. The exercise is absent if the file does not specify exercises, as in Anki packages.
 */
export interface IncomingCard extends GivenTexts {
  identity: Identity
  draft?: boolean
  /** Name of the file or archive entry; empty for an Anki package */
  file: string
  /** Line or row, from 1; 0 for an Anki package */
  line: number
}

/** A deck of an upload. Deck names are unique within an upload, except in archives. */
export interface IncomingDeck
  extends Partial<
    Pick<DeckSource, 'file' | 'tests_only' | 'options_off' | 'lang' | 'desired_retention' | 'translation'>
  > {
  /** Name with parent decks, such as `Linux::Netz` */
  name: string
  description: string
  /** Slug in the archive; null for other uploads */
  slug: string | null
  sort_order: number | null
  cards: IncomingCard[]
}

/** Returns a deck of a table, question file or Anki package, without description, slug and sort order. */
export function plainDeck(name: string, cards: IncomingCard[]): IncomingDeck {
  return { name, description: '', slug: null, sort_order: null, cards }
}

export function getOrCreateDeck(decks: Map<string, IncomingDeck>, name: string): IncomingDeck {
  let deck = decks.get(name)
  if (deck === undefined) {
    deck = plainDeck(name, [])
    decks.set(name, deck)
  }
  return deck
}

/** A picture of an upload, stored in a temporary file. */
export interface IncomingPicture {
  sha: string
  extension: PictureExtension
  size: number
  path: string
}

export interface Incoming {
  kind: SourceKind
  decks: IncomingDeck[]
  sheets: SheetSource[]
  /** Tests of an archive; absent for other uploads. Sections refer to decks by the slugs in the files. */
  tests?: TestSource[]
  pictures: IncomingPicture[]
  /** What the columns of a table are; absent for other uploads. An unclear table has no decks. */
  table?: TableDescription
  /** At most ten warnings of each kind, and at most 200 in all, sorted by file and line */
  warnings: Finding[]
  warningsTotal: number
}
