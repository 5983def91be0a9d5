/** What is wrong with a content file. `file` is relative to the content folder (with `/`), `line` counts from 1. */
export interface Fault {
  file: string
  line: number
  message: string
}

/** What an import does or leaves out and its author may not have meant; it does not stop the import. */
export type Warning = Fault

/** Takes down a fault of the file being read. */
export type Report = (line: number, message: string) => void

/** A card as its file describes it; its place in the deck's array is its sort order. */
export interface CardSource {
  key: string
  aliases: string[]
  question: string
  answer: string
  level: string
  /** Of its heading, in the file. */
  line: number
}

export interface DeckSource {
  /** Relative to the content folder. */
  file: string
  slug: string
  /** Slugs that the deck had before. */
  aliases: string[]
  name: string
  description: string
  sort_order: number
  cards: CardSource[]
}

export interface SheetSource {
  slug: string
  title: string
  category: string
  content_md: string
}

export interface Content {
  decks: DeckSource[]
  sheets: SheetSource[]
}

/** A usable slug and the line that sets it (1 for the default, the file's name). */
export interface SlugPlace {
  file: string
  line: number
  slug: string
}
