import type { CardSource, DeckSource, SheetSource, Warning } from './types.js'

/** How many rows of a kind an import created, changed, and so on. */
export interface Changes {
  created: number
  updated: number
  unchanged: number
  archived: number
}

/** A deck of the store, whoever wrote it; one of a source is none that a file describes. */
export interface StoredDeck {
  id: number
  slug: string
  name: string
  description: string
  sort_order: number
  is_live: boolean
  /** Whether a file describes it, or described it until it was archived. */
  is_imported: boolean
  /** That file, relative to the content folder; null when it is not known. */
  file: string | null
}

/** A card of the folder's decks or of a released one: identity is (identity_deck_id, key), the rest is the row of today. */
export interface StoredCard {
  id: number
  identity_deck_id: number
  key: string
  deck_id: number
  sort_order: number
  is_live: boolean
  /** Digests as `digestText` makes them. */
  question_digest: string
  rest_digest: string
}

export interface StoredSheet {
  id: number
  slug: string
  is_live: boolean
  is_imported: boolean
  /** Of title, category and content. */
  digest: string
}

export interface StoredContent {
  decks: StoredDeck[]
  cards: StoredCard[]
  sheets: StoredSheet[]
}

/** The digests of a card's question, and of its answer and level. */
export interface CardDigests {
  question: string
  rest: string
}

export interface Digests {
  cards: ReadonlyMap<CardSource, CardDigests>
  sheets: ReadonlyMap<SheetSource, string>
}

/** A card of a file at its place; a new deck has an id only when it has been written. */
export interface PlacedCard {
  deck: DeckSource
  card: CardSource
  sort_order: number
}

/** What an import has to write, so that the store equals the files. */
export interface ImportPlan {
  newDecks: DeckSource[]
  changedDecks: { id: number; deck: DeckSource }[]
  /** The ids of the decks that have rows already. */
  deckIds: Map<DeckSource, number>
  /** Rows of scripts that a file describes now, and those whose file is another one now. */
  describedDecks: { id: number; file: string }[]
  archivedDecks: number[]
  newCards: PlacedCard[]
  /** `moves`: into another deck, or back from the archive, which takes the learners' progress along. */
  changedCards: (PlacedCard & { id: number; moves: boolean })[]
  renamedCards: { id: number; deck: DeckSource; key: string }[]
  archivedCards: number[]
  /** Pairs of cards: what learners have of the first one passes to the second. */
  successions: { from: number; to: number }[]
  newSheets: SheetSource[]
  changedSheets: { id: number; sheet: SheetSource }[]
  adoptedSheets: number[]
  archivedSheets: number[]
  /** Live cards and sheets of files before the import. */
  liveCards: number
  liveSheets: number
  decks: Changes
  cards: Changes
  cheatsheets: Changes
  warnings: Warning[]
}

/** What an import did. */
export interface ImportStats {
  decks: Changes
  cards: Changes
  cheatsheets: Changes
  duration_ms: number
  /** What the author may not have meant, sorted by file and line; at most 200. */
  warnings: Warning[]
}

/** Of fewer an import may archive what it likes. */
const FEW = 10

/** Whether the plan takes away more than half of the live cards, as a missing folder would. */
export function archivesMostCards({ liveCards, archivedCards }: ImportPlan): boolean {
  return isMost(archivedCards.length, liveCards)
}

/** The same for sheets. */
export function archivesMostSheets({ liveSheets, archivedSheets }: ImportPlan): boolean {
  return isMost(archivedSheets.length, liveSheets)
}

function isMost(archived: number, live: number): boolean {
  return live >= FEW && archived * 2 > live
}

export function emptyPlan(): ImportPlan {
  return {
    newDecks: [],
    changedDecks: [],
    deckIds: new Map(),
    describedDecks: [],
    archivedDecks: [],
    newCards: [],
    changedCards: [],
    renamedCards: [],
    archivedCards: [],
    successions: [],
    newSheets: [],
    changedSheets: [],
    adoptedSheets: [],
    archivedSheets: [],
    liveCards: 0,
    liveSheets: 0,
    decks: noChanges(),
    cards: noChanges(),
    cheatsheets: noChanges(),
    warnings: [],
  }
}

function noChanges(): Changes {
  return { created: 0, updated: 0, unchanged: 0, archived: 0 }
}
