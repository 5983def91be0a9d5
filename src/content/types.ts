/** Something wrong in a content file. `file` is relative to the content folder, `line` counts from 1, `message` is German. */
export interface Fault {
  file: string
  line: number
  message: string
}

export interface CardSource {
  /** The `id` in the file, unique in its deck. */
  key: string
  /** Former ids of the card. */
  aliases: string[]
  question: string
  answer: string
  level: string
}

export interface DeckSource {
  slug: string
  name: string
  description: string
  sort_order: number
  /** In file order. */
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
