import type { CardSource, DeckSource, Fault, SheetSource, Warning } from '../types.js'
import type { SourceKind } from '../upload/incoming.js'

// Stored content

/** Visibility of a card or sheet: `live` for all learners, `draft` for editors only, `archived` for no learner */
export type Visibility = 'live' | 'draft' | 'archived'

/** A stored deck of the folder, a source or a script. */
export interface StoredDeck extends Pick<DeckSource, 'tests_only' | 'options_off' | 'lang' | 'desired_retention'> {
  id: number
  slug: string
  name: string
  description: string
  sort_order: number
  /** Whether the deck is not archived; a pool is live although learners do not see it */
  is_live: boolean
  /** Whether a file describes the deck, or described it until it was archived */
  is_imported: boolean
  /** Path of the file relative to the content folder; null if unknown */
  file: string | null
}

/** A card with an import identity (`identity_deck_id`, `key`); the other fields describe its current state. */
export interface StoredCard {
  id: number
  identity_deck_id: number
  key: string
  deck_id: number
  sort_order: number
  state: Visibility
  /** Digests as in `CardDigests` */
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

/** The source that owns a deck or sheet; all fields are null if the item has no owner. */
interface Owned {
  source_id: number | null
  /** Key within the source */
  source_key: string | null
  /** Name of the source */
  owner: string | null
}

export interface OwnedDeck extends StoredDeck, Owned {
  /** Whether the source is not archived; other uploads may take over the content of an archived source */
  owner_is_live: boolean
  /** Number of live cards, including those of scripts */
  card_count: number
}

export interface OwnedSheet extends StoredSheet, Owned {
  /** Whether the sheet was edited in the service since the last upload */
  is_edited: boolean
}

/** A card of a source, of the folder or, with an empty `key`, of a script. */
export interface OwnedCard extends StoredCard {
  /** Whether the card was edited in the service since the last upload */
  is_edited: boolean
  guid: string | null
  ord: number | null
}

/** The stored content that an upload concerns. */
export interface StoredUpload {
  /** Undefined for a new source */
  sourceId: number | undefined
  /** All decks, of any source */
  decks: OwnedDeck[]
  /** All sheets, of any source */
  sheets: OwnedSheet[]
  /** Cards of the source, and cards that the uploader may edit and whose Anki notes are in the upload */
  cards: OwnedCard[]
}

// Content of an upload; the content of the folder has the type `Content`

/** A card of an upload with its stored key. */
export interface UploadCard extends CardSource {
  /** Name of the table or archive entry; empty for an Anki package */
  file: string
  /** Guid of the Anki note; null, like `ord`, for other cards */
  guid: string | null
  ord: number | null
  /** Whether the card is identified only within its deck, so that an upload never moves it */
  isBound: boolean
  /** Whether the file specifies if the card is a draft; otherwise a stored draft stays a draft */
  isWhole: boolean
  /** Whether the file specifies the exercise; otherwise the stored exercise is kept */
  hasExercise: boolean
}

/** A deck of an upload; the plan replaces the requested slug with a free one. */
export interface UploadDeck extends DeckSource {
  /** Key within the source */
  source_key: string
  /** Sort order in the file; null to keep the stored one */
  wantedOrder: number | null
  /** Whether the file specifies all keys of the deck; otherwise the stored values are kept */
  isWhole: boolean
  cards: UploadCard[]
}

/** A sheet of an upload; the plan replaces the requested slug with a free one. */
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

/** Digests of a card's question, of its answer and level, and of its exercise (an empty string for a plain card). */
export interface CardDigests {
  question: string
  rest: string
  exercise: string
}

export interface Digests {
  cards: ReadonlyMap<CardSource, CardDigests>
  sheets: ReadonlyMap<SheetSource, string>
}

// Changes

/** Numbers of created, updated, unchanged and archived rows. */
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

/** Changes including those of tests; `tests` is absent if the import contains no tests. */
export interface ChangesWithTests extends AllChanges {
  tests?: Changes
}

/** A card with its position and its deck. The deck is an object, because a new deck has no id yet. */
export interface PlacedCard<Deck, Card> {
  deck: Deck
  card: Card
  sort_order: number
}

/** A stored card that changes. */
export interface ChangedCard<Deck, Card> extends PlacedCard<Deck, Card> {
  id: number
  /** Whether the deck or the visibility changes, which affects the progress of learners */
  moves: boolean
  isDraft: boolean
  /** Stored part to keep: `exercise` if the file does not specify one, `text` (all texts) if edited in the service */
  keeps: 'nothing' | 'exercise' | 'text'
}

/** A stored sheet that changes. */
export interface ChangedSheet<Sheet> {
  id: number
  sheet: Sheet
  isDraft: boolean
  /** Whether the stored text is kept, because it was edited in the service */
  keepsText: boolean
}

/** The changes of an import: of the folder (`FolderPlan`) or of an upload (`UploadPlan`). */
export interface Plan<Deck extends DeckSource, Card extends CardSource, Sheet extends SheetSource> extends AllChanges {
  newDecks: Deck[]
  changedDecks: { id: number; deck: Deck }[]
  /** Ids of the decks that are already stored */
  deckIds: Map<Deck, number>
  /** Decks without a file that a file now describes, and decks whose file has another path */
  describedDecks: { id: number; file: string; tests_only: boolean }[]
  archivedDecks: number[]
  newCards: PlacedCard<Deck, Card>[]
  changedCards: ChangedCard<Deck, Card>[]
  renamedCards: { id: number; deck: Deck; key: string }[]
  archivedCards: number[]
  /** Pairs of card ids; the progress is transferred from the card `from` to the card `to` */
  successions: { from: number; to: number }[]
  newSheets: Sheet[]
  changedSheets: ChangedSheet<Sheet>[]
  /** Ids of sheets without a file that a file now describes */
  adoptedSheets: number[]
  archivedSheets: number[]
  /** Faults that prevent the import */
  faults: Fault[]
  warnings: Warning[]
}

/** The changes that make the stored content equal to the files of the folder. */
export interface FolderPlan extends Plan<DeckSource, CardSource, SheetSource> {
  /** Number of imported cards before the import, without archived ones */
  liveCards: number
  /** Number of imported sheets before the import, without archived ones */
  liveSheets: number
}

/** The changes of an upload. Its decks and sheets have free slugs. */
export interface UploadPlan extends Plan<UploadDeck, UploadCard, UploadSheet> {
  /** Decks in the order of the upload, followed by decks whose cards are only archived */
  perDeck: DeckChanges[]
  /** Sample of new and changed cards */
  examples: UploadExample[]
  /** Cards and sheets that were edited in the service and differ from the file */
  edited: Edited
  /** Total number of warnings; `warnings` contains only the first 200 */
  warningsTotal: number
}

/** Changes of the cards of one deck; each card counts once. */
export interface CardCounts {
  created: number
  updated: number
  /** Number of cards that move from another deck to this one, possibly with a changed text */
  moved: number
  unchanged: number
}

export interface DeckChanges extends CardCounts {
  slug: string
  name: string
  archived: number
}

/**
 * Cards and sheets that were edited in the service since the last upload and differ from the new upload. `isKept` is
 * true if the stored text is kept.
 */
export interface Edited {
  /** The first 200 cards */
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
  /** Probable mistakes, sorted by file and line; at most 200 */
  warnings: Warning[]
}

export function changesOf({ decks, cards, cheatsheets }: AllChanges): AllChanges {
  return { decks, cards, cheatsheets }
}

/** Returns whether the plan changes a deck, card or sheet. */
export function hasChanges(plan: Plan<DeckSource, CardSource, SheetSource>): boolean {
  const changes = [
    ...[plan.newDecks, plan.changedDecks, plan.archivedDecks, plan.newSheets, plan.changedSheets, plan.archivedSheets],
    ...[plan.newCards, plan.changedCards, plan.renamedCards, plan.archivedCards],
  ]
  return changes.some((list) => list.length > 0)
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
