import type { Details } from '../refusal.js'
import type { TestDefinition } from '../tests/definition.js'
import type { CardTexts } from './card-texts.js'

/**
 * A fault in a content file or an upload. `file` is relative to the content folder (with `/`); in an upload, it names
 * the file, the archive entry, the deck or the card. `line` counts from 1; 0 means that the fault concerns no line.
 */
export interface Fault {
  file: string
  line: number
  message: string
  /** Stable name in snake_case for programs; absent from faults that only the German message describes */
  code?: string
  /** Values of the message */
  details?: Details
}

/** A probable mistake in a content file or an upload; it does not prevent the import. */
export type Warning = Fault

export type ReportFault = (line: number, message: string) => void

/** Language and original of a deck, sheet or test, as its file states them. */
export interface Translation {
  /** Language tag (BCP 47) */
  lang: string
  /** Slug of the original; null unless the item is a variant */
  translation_of: string | null
  file: string
  /** Lines of the keys; that of the other key or 1 for an absent key */
  lines: Record<'lang' | 'translation_of', number>
}

/** A card of a content file or an upload. Its index in `cards` of the deck determines its sort order. */
export interface CardSource extends CardTexts {
  key: string
  aliases: string[]
  /** Whether only editors see the card */
  draft: boolean
  /** Line of the card in the file, from 1; 0 in an Anki package */
  line: number
}

export interface DeckSource {
  /** Path relative to the content folder, or to that folder in an archive; empty for a table or an Anki package */
  file: string
  slug: string
  /** Former slugs of the deck */
  aliases: string[]
  name: string
  description: string
  sort_order: number
  /** Whether only editors see the deck and only tests use its cards */
  tests_only: boolean
  /** Whether task lists at the end of answers are plain text instead of options */
  options_off: boolean
  /** Language tag (BCP 47) of the texts */
  lang: string
  /** Desired retention for learners who have set none for this deck; null if their general setting applies */
  desired_retention: number | null
  /** Absent if the file cannot state it, such as a table */
  translation?: Translation
  cards: CardSource[]
}

export interface SheetSource {
  slug: string
  title: string
  category: string
  content_md: string
  draft: boolean
  translation?: Translation
}

export interface TestSource {
  file: string
  slug: string
  /** Without sections in a variant, which takes them and the settings from its original */
  definition: TestDefinition
  /** Whether an import saves the test without publishing it */
  draft: boolean
  /** Line of the key `sections`, or 1 if the key is missing */
  line: number
  sectionLines: number[]
  translation?: Translation
}

export interface Content {
  decks: DeckSource[]
  sheets: SheetSource[]
}

/** A slug or alias of a file and its line (1 if the slug is derived from the file name). */
export interface SlugPlace {
  file: string
  line: number
  slug: string
}
