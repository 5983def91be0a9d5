import type { CardSource, DeckSource, Fault, SheetSource, Warning } from '../types.js'
import type { SourceKind } from '../upload/incoming.js'

// What is stored

/** Visibility of a card or sheet: everyone, editors only, or hidden */
export type Visibility = 'live' | 'draft' | 'archived'

/** A stored deck of any origin. */
export interface StoredDeck extends Pick<DeckSource, 'tests_only' | 'options_off' | 'lang' | 'desired_retention'> {
  id: number
  slug: string
  name: string
  description: string
  sort_order: number
  /** Not archived; a pool is live although learners do not see it. */
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
  state: Visibility
  /** Digests of `CardDigests` */
  question_digest: string
  rest_digest: string
  exercise_digest: string
}

export interface StoredSheet {
  id: number
  slug: string
  state: Visibility
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

export interface OwnedSheet extends StoredSheet, Owned {
  /** Whether it was changed here since the last upload */
  is_edited: boolean
}

/** A card with an identity, of any source or the folder. */
export interface OwnedCard extends StoredCard {
  /** Whether it was changed here since the last upload */
  is_edited: boolean
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
  /** Cards of the source, and cards whose notes are in the upload and which the uploader may edit */
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
  /** Whether its file says what is a draft; else that stays as stored. */
  isWhole: boolean
  /** Whether its file says what its exercise is; else that stays as stored. */
  hasExercise: boolean
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

/** Changes with those of tests, which are absent without tests. */
export interface ChangesWithTests extends AllChanges {
  tests?: Changes
}

/** A card with its deck and position; a new deck has no id before it is written. */
export interface PlacedCard<Deck, Card> {
  deck: Deck
  card: Card
  sort_order: number
}

/** A stored card that changes. */
export interface ChangedCard<Deck, Card> extends PlacedCard<Deck, Card> {
  id: number
  /** To another deck, or between archive, draft and live, which affects the learners' progress */
  moves: boolean
  isDraft: boolean
  /** What stays as stored: an exercise that the file does not mention, or a whole text that was edited in the service */
  keeps: 'nothing' | 'exercise' | 'text'
}

/** A stored sheet that changes. */
export interface ChangedSheet<Sheet> {
  id: number
  sheet: Sheet
  isDraft: boolean
  /** Whether the text stays as stored, because it was changed here */
  keepsText: boolean
}

/** The changes of an import: of the folder (`FolderPlan`) or of an upload (`UploadPlan`). */
export interface Plan<Deck extends DeckSource, Card extends CardSource, Sheet extends SheetSource> extends AllChanges {
  newDecks: Deck[]
  changedDecks: { id: number; deck: Deck }[]
  /** Ids of decks that exist */
  deckIds: Map<Deck, number>
  /** Decks of scripts that a file now describes, and decks whose file has changed */
  describedDecks: { id: number; file: string; tests_only: boolean }[]
  archivedDecks: number[]
  newCards: PlacedCard<Deck, Card>[]
  changedCards: ChangedCard<Deck, Card>[]
  renamedCards: { id: number; deck: Deck; key: string }[]
  archivedCards: number[]
  /** Pairs of cards whose progress passes from one to the other */
  successions: { from: number; to: number }[]
  newSheets: Sheet[]
  changedSheets: ChangedSheet<Sheet>[]
  adoptedSheets: number[]
  archivedSheets: number[]
  /** What makes the plan impossible */
  faults: Fault[]
  warnings: Warning[]
}

/** The changes that make the store equal to the files. */
export interface FolderPlan extends Plan<DeckSource, CardSource, SheetSource> {
  /** Number of imported cards and sheets before the import, without archived ones */
  liveCards: number
  liveSheets: number
}

/** The changes of an upload. Its decks and sheets have free slugs. */
export interface UploadPlan extends Plan<UploadDeck, UploadCard, UploadSheet> {
  /** In the order of the upload, followed by decks that only lose cards */
  perDeck: DeckChanges[]
  /** Sample of new and changed cards */
  examples: UploadExample[]
  /** Cards and sheets that were changed here and differ from the file */
  edited: Edited
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

/** Cards and sheets that were changed here since the last upload, and differ from it. */
export interface Edited {
  /** The first 200 */
  cards: { id: number; deck: UploadDeck; card: UploadCard; isKept: boolean }[]
  cardsTotal: number
  sheets: { sheet: UploadSheet; isKept: boolean }[]
}

export interface UploadExample {
  deck: UploadDeck
  /** Id of the changed row; null for a new card */
  id: number | null
  card: UploadCard
}

/** Result of an import. */
export interface ImportStats extends ChangesWithTests {
  duration_ms: number
  /** Possible mistakes, sorted by file and line; at most 200 */
  warnings: Warning[]
}

export function changesOf({ decks, cards, cheatsheets }: AllChanges): AllChanges {
  return { decks, cards, cheatsheets }
}

/** Returns whether the plan changes no deck, card or sheet. */
export function isIdle(plan: Plan<DeckSource, CardSource, SheetSource>): boolean {
  const changes = [
    ...[plan.newDecks, plan.changedDecks, plan.archivedDecks, plan.newSheets, plan.changedSheets, plan.archivedSheets],
    ...[plan.newCards, plan.changedCards, plan.renamedCards, plan.archivedCards],
  ]
  return changes.every((list) => list.length === 0)
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
    faults: [],
    warnings: [],
  }
}

function noChanges(): Changes {
  return { created: 0, updated: 0, unchanged: 0, archived: 0 }
}
