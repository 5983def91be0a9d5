import type { CardSource, DeckSource, SheetSource, Warning } from '../types.js'
import type { SourceKind } from '../upload/incoming.js'

// What is stored

/** A stored deck of any origin. */
export interface StoredDeck {
  id: number
  slug: string
  name: string
  description: string
  sort_order: number
  is_live: boolean
  /** Whether a file describes it, or described it until it was archived */
  is_imported: boolean
  /** Its file, relative to the content folder; null if unknown */
  file: string | null
}

/** A card with a folder identity (identity_deck_id, key); the other fields are its current row. */
export interface StoredCard {
  id: number
  identity_deck_id: number
  key: string
  deck_id: number
  sort_order: number
  is_live: boolean
  /** Digests of `digestText` */
  question_digest: string
  rest_digest: string
}

export interface StoredSheet {
  id: number
  slug: string
  is_live: boolean
  is_imported: boolean
  /** Digest of title, category and content */
  digest: string
}

/** The stored content that an import of the folder concerns. */
export interface StoredContent {
  decks: StoredDeck[]
  cards: StoredCard[]
  sheets: StoredSheet[]
}

/** The source of a deck or sheet; all fields are null without one. */
interface Owned {
  source_id: number | null
  /** Key within the source */
  source_key: string | null
  /** Name of the source */
  owner: string | null
}

export interface OwnedDeck extends StoredDeck, Owned {
  /** An archived source does not hold its content. */
  owner_is_live: boolean
  /** Number of live cards, including those of scripts */
  card_count: number
}

export interface OwnedSheet extends StoredSheet, Owned {}

/** A card with an identity, of any source or the folder. */
export interface OwnedCard extends StoredCard {
  guid: string | null
  ord: number | null
}

/** The stored content that an upload concerns. */
export interface StoredUpload {
  /** Undefined for a new source */
  sourceId: number | undefined
  /** All decks and sheets */
  decks: OwnedDeck[]
  sheets: OwnedSheet[]
  /** Cards of the source, and all cards whose notes are in the upload */
  cards: OwnedCard[]
}

// What an upload brings; a folder brings `Content`

/** A card of an upload with its stored key. */
export interface UploadCard extends CardSource {
  /** Empty for an Anki package */
  file: string
  /** Guid of the Anki note, or null */
  guid: string | null
  ord: number | null
  /** Identified within its deck only, and never moved */
  isBound: boolean
  /** Whether its file says what is a draft and has an exercise; else both stay as stored. */
  isWhole: boolean
}

/** A deck of an upload; its slug is the requested one until the plan assigns a free one. */
export interface UploadDeck extends DeckSource {
  /** Key within the source */
  source_key: string
  /** Null keeps the stored order. */
  wantedOrder: number | null
  /** Whether its file has all keys of a deck; else a stored deck keeps them. */
  isWhole: boolean
  cards: UploadCard[]
}

/** A sheet of an upload; its slug is the requested one until the plan assigns a free one. */
export interface UploadSheet extends SheetSource {
  /** Key within the source */
  source_key: string
}

/** Decks and sheets of an upload. */
export interface Upload {
  kind: SourceKind
  decks: UploadDeck[]
  sheets: UploadSheet[]
}

/** Digests of a card's question, of answer and level, and of its exercise; the last is empty without one. */
export interface CardDigests {
  question: string
  rest: string
  exercise: string
}

export interface Digests {
  cards: ReadonlyMap<CardSource, CardDigests>
  sheets: ReadonlyMap<SheetSource, string>
}

// What changes

/** Number of created, updated, unchanged and archived rows. */
export interface Changes {
  created: number
  updated: number
  unchanged: number
  archived: number
}

/** Changes of decks, cards and sheets. */
export interface AllChanges {
  decks: Changes
  cards: Changes
  cheatsheets: Changes
}

/** A card with its deck and position; a new deck has no id before it is written. */
export interface PlacedCard<Deck, Card> {
  deck: Deck
  card: Card
  sort_order: number
}

/** The changes of an import: of the folder (`FolderPlan`) or of an upload (`UploadPlan`). */
export interface Plan<Deck extends DeckSource, Card extends CardSource, Sheet extends SheetSource> extends AllChanges {
  newDecks: Deck[]
  changedDecks: { id: number; deck: Deck }[]
  /** Ids of decks that exist */
  deckIds: Map<Deck, number>
  /** Decks of scripts that a file now describes, and decks whose file has changed */
  describedDecks: { id: number; file: string }[]
  archivedDecks: number[]
  newCards: PlacedCard<Deck, Card>[]
  /** `moves`: to another deck or back from the archive, which affects the learners' progress */
  changedCards: (PlacedCard<Deck, Card> & { id: number; moves: boolean })[]
  renamedCards: { id: number; deck: Deck; key: string }[]
  archivedCards: number[]
  /** Pairs of cards whose progress passes from one to the other */
  successions: { from: number; to: number }[]
  newSheets: Sheet[]
  changedSheets: { id: number; sheet: Sheet }[]
  adoptedSheets: number[]
  archivedSheets: number[]
  warnings: Warning[]
}

/** The changes that make the store equal to the files. */
export interface FolderPlan extends Plan<DeckSource, CardSource, SheetSource> {
  /** Number of live imported cards and sheets before the import */
  liveCards: number
  liveSheets: number
}

/** The changes of an upload. Its decks and sheets have free slugs. */
export interface UploadPlan extends Plan<UploadDeck, UploadCard, UploadSheet> {
  /** In the order of the upload, followed by decks that only lose cards */
  perDeck: DeckChanges[]
  /** Sample of new and changed cards */
  examples: UploadExample[]
  /** Total number of warnings; `warnings` contains the first 200. */
  warningsTotal: number
}

/** Changes of the cards of one deck; each card counts once. */
export interface CardCounts {
  created: number
  updated: number
  /** From another deck, possibly with a changed text */
  moved: number
  unchanged: number
}

export interface DeckChanges extends CardCounts {
  slug: string
  name: string
  archived: number
}

export interface UploadExample {
  deck: UploadDeck
  /** Id of the changed row; null for a new card */
  id: number | null
  card: UploadCard
}

/** Result of an import. */
export interface ImportStats extends AllChanges {
  duration_ms: number
  /** Possible mistakes, sorted by file and line; at most 200 */
  warnings: Warning[]
}

export function changesOf({ decks, cards, cheatsheets }: AllChanges): AllChanges {
  return { decks, cards, cheatsheets }
}

/** Returns a plan without changes. */
export function emptyPlan<Deck extends DeckSource, Card extends CardSource, Sheet extends SheetSource>(): Plan<
  Deck,
  Card,
  Sheet
> {
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
    decks: noChanges(),
    cards: noChanges(),
    cheatsheets: noChanges(),
    warnings: [],
  }
}

function noChanges(): Changes {
  return { created: 0, updated: 0, unchanged: 0, archived: 0 }
}
