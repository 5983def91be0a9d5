import type { Exercise } from '../questions/exercise.js'
import type { TestDefinition } from '../tests/definition.js'

/** A fault of a content file. `file` is relative to the content folder (with `/`), `line` counts from 1. */
export interface Fault {
  file: string
  line: number
  message: string
}

/** A probable mistake that does not stop the import. */
export type Warning = Fault

/** Reports a fault of the current file. */
export type Report = (line: number, message: string) => void

/** A card as described by its file; its index in the deck is its sort order. */
export interface CardSource {
  key: string
  aliases: string[]
  question: string
  answer: string
  level: string
  /** Null for a plain card */
  exercise: Exercise | null
  /** Whether only editors see it */
  draft: boolean
  /** Line of its heading in the file */
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
  /** Whether a task list at the end of an answer is text instead of options */
  options_off: boolean
  /** Language of its texts, such as `de` */
  lang: string
  /** Desired retention of learners without a choice of their own; null if their general setting applies */
  desired_retention: number | null
  cards: CardSource[]
}

export interface SheetSource {
  slug: string
  title: string
  category: string
  content_md: string
  /** Whether only editors see it */
  draft: boolean
}

/** A test as described by its file. */
export interface TestSource {
  /** Relative to the content folder */
  file: string
  slug: string
  definition: TestDefinition
  /** Whether an import leaves it unpublished */
  draft: boolean
  /** Line of its sections, and of each of them */
  line: number
  sectionLines: number[]
}

export interface Content {
  decks: DeckSource[]
  sheets: SheetSource[]
}

/** A usable slug with its line (1 for the default from the file name). */
export interface SlugPlace {
  file: string
  line: number
  slug: string
}
