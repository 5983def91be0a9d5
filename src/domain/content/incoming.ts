import type { SheetSource, Warning } from './types.js'

/** How a source's content was made: an Anki package, a table or Anki's text, an archive of Markdown. */
export type SourceKind = 'anki' | 'table' | 'archive'

/** What an incoming card is known by, so that it is found again whatever its text or deck has become. */
export type Identity =
  /** An Anki card: its note's guid and its template's (or cloze's) number, from 0. */
  | { by: 'note'; guid: string; ord: number }
  /** The id column of a table, or the key of an archive's card. */
  | { by: 'id'; id: string }
  /** A table without ids: the question within the deck. */
  | { by: 'question' }

/** A card of an upload; its place in the deck's array is its sort order. */
export interface IncomingCard {
  identity: Identity
  /** Markdown; a picture stands in it as `![alt](media/<sha256>.<extension>)`. */
  question: string
  answer: string
  level: string
  /** Of the upload: the table's name, or the archive's entry; empty in an Anki package. */
  file: string
  /** Counts from 1; 0 in an Anki package. */
  line: number
}

/** Decks of one upload have different names. */
export interface IncomingDeck {
  /** Such as `Linux::Netz`. */
  name: string
  description: string
  /** Only of an archive, whose files say it. */
  slug: string | null
  sort_order: number | null
  cards: IncomingCard[]
}

/** A picture of an upload, unpacked to a temporary file. */
export interface IncomingPicture {
  /** SHA-256 of its bytes, in lower-case hex. */
  sha: string
  extension: 'png' | 'jpg' | 'gif' | 'webp' | 'avif'
  /** Bytes. */
  size: number
  path: string
}

/** What a reader makes of an upload. What is broken is a fault and never comes this far. */
export interface Incoming {
  kind: SourceKind
  decks: IncomingDeck[]
  /** Only of an archive. */
  sheets: SheetSource[]
  /** Each once. */
  pictures: IncomingPicture[]
  /** At most 200, by file and line. */
  warnings: Warning[]
  /** How many there were. */
  warningsTotal: number
}
