import type { Exercise } from '../questions/exercise.js'
import type { TestDefinition } from '../tests/definition.js'

/** A fault in a content file. `file` is relative to the content folder (with `/`), `line` counts from 1. */
export interface Fault {
  file: string
  line: number
  message: string
}

/** A probable mistake in a content file that does not prevent the import. */
export type Warning = Fault

/** Reports a fault of the current file. */
export type Report = (line: number, message: string) => void

/** A card as described by its file; its index in `cards` of the deck determines the sort order. */
export interface CardSource {
  key: string
  aliases: string[]
  question: string
  answer: string
  level: string
  /** Null for a plain card */
  exercise: Exercise | null
  /** Whether only editors see the card */
  draft: boolean
  /** Line of the heading in the file */
  line: number
}

export interface DeckSource {
  /** Relative to the content folder */
  file: string
  slug: string
  /** Former slugs of the deck */
  aliases: string[]
  name: string
  description: string
  sort_order: number
  /** Whether the deck is a pool, which only editors see and tests draw from */
  tests_only: boolean
  /** Whether task lists at the end of answers are plain text instead of options */
  options_off: boolean
  /** Language of the texts, such as `de` */
  lang: string
  /** Desired retention for learners who have set none for this deck; null if their general setting applies */
  desired_retention: number | null
  cards: CardSource[]
}

export interface SheetSource {
  slug: string
  title: string
  category: string
  content_md: string
  /** Whether only editors see the sheet */
  draft: boolean
}

/** A test as described by its file. */
export interface TestSource {
  /** Relative to the content folder */
  file: string
  slug: string
  definition: TestDefinition
  /** Whether an import leaves the test unpublished */
  draft: boolean
  /** Line of the key `sections` */
  line: number
  /** Line of each section */
  sectionLines: number[]
}

export interface Content {
  decks: DeckSource[]
  sheets: SheetSource[]
}

/** A valid slug with its file and line (1 if the slug is derived from the file name). */
export interface SlugPlace {
  file: string
  line: number
  slug: string
}
