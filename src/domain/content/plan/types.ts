import type { CardPart } from '../card-texts.js'
import type { Finding } from '../findings.js'
import type { TranslationChange } from '../translations.js'
import type { CardSource, DeckSource, Fault, SheetSource, Warning } from '../types.js'
import type { SourceKind } from '../upload/incoming.js'

/**
 * Visibility of a card or sheet: learners see `live` items, only editors see `draft` items, and no learner sees
 * `archived` items. Live cards of a `tests_only` deck appear only in tests.
 */
export type Visibility = 'live' | 'draft' | 'archived'

export interface StoredDeck extends Pick<DeckSource, 'tests_only' | 'options_off' | 'lang' | 'desired_retention'> {
  id: number
  slug: string
  name: string
  description: string
  sort_order: number
  /** Whether the deck is not archived; also true for a `tests_only` deck, although learners do not see the deck */
  is_live: boolean
  /** Whether a file of the content folder describes the deck, or described it before the deck was archived */
  is_imported: boolean
  /** Path of the file relative to the content folder; null if there is none or it is unknown */
  file: string | null
}

/**
 * A card with an import identity (`identity_deck_id`, `key`); the other fields describe its current state, with digests
 * as in `CardDigests`.
 */
export interface StoredCard extends Record<`${CardPart}_digest`, string> {
  id: number
  identity_deck_id: number
  key: string
  deck_id: number
  sort_order: number
  state: Visibility
}

export interface StoredSheet {
  id: number
  slug: string
  state: Visibility
  is_imported: boolean
  /** Digest of title, category and content */
  digest: string
}

export interface StoredContent {
  decks: StoredDeck[]
  cards: StoredCard[]
  sheets: StoredSheet[]
}

/** The source that owns a deck or sheet; all fields are null if the item has no owner. */
interface Owned {
  source_id: number | null
  source_key: string | null
  owner: string | null
}

export interface OwnedDeck extends StoredDeck, Owned {
  /**
   * Whether the deck has no owner or its source is not archived; other uploads may take over the content of an archived
   * source
   */
  owner_is_live: boolean
  /** Number of live cards, including cards that scripts have added */
  card_count: number
}

export interface OwnedSheet extends StoredSheet, Owned {
  /** Whether the sheet was edited in the service since the last upload */
  is_edited: boolean
}

/** A stored card that is compared with an upload. `key` is empty if a script added the card. */
export interface OwnedCard extends StoredCard {
  is_edited: boolean
  guid: string | null
  ord: number | null
}

export interface StoredUpload {
  /** Id of the source that receives the upload; undefined for a new source */
  sourceId: number | undefined
  /** All stored decks, regardless of their owner */
  decks: OwnedDeck[]
  /** All stored sheets, regardless of their owner */
  sheets: OwnedSheet[]
  /** Cards of the source, and cards that the uploader may edit and whose Anki notes are in the upload */
  cards: OwnedCard[]
}

export interface UploadCard extends CardSource {
  /** Name of the file or archive entry; empty for an Anki package */
  file: string
  /** Guid of the Anki note; like `ord`, null for a card without a note or with a guid that is not stored */
  guid: string | null
  ord: number | null
  /** Whether `key` identifies the card only within its deck */
  isBound: boolean
  /** Whether the file specifies if the card is a draft; otherwise a stored draft stays a draft */
  isWhole: boolean
  /** Parts that the file does not contain; those of a stored card are kept */
  absent: readonly CardPart[]
}

/** A deck of an upload; the plan replaces the requested slug with the stored slug or a free one. */
export interface UploadDeck extends DeckSource {
  source_key: string
  /** Sort order in the file; null to keep the stored order or to add a new deck at the end */
  wantedOrder: number | null
  /**
   * Whether the upload is an archive, whose files determine all settings of a deck. A table or package keeps the stored
   * settings.
   */
  isWhole: boolean
  cards: UploadCard[]
}

/** A sheet of an upload; for a new sheet, the plan replaces the requested slug with a free one. */
export interface UploadSheet extends SheetSource {
  source_key: string
}

export interface Upload {
  kind: SourceKind
  decks: UploadDeck[]
  sheets: UploadSheet[]
}

/** Digests of a card's texts and of its exercise (an empty string for a plain card). */
export type CardDigests = Record<CardPart, string>

export interface Digests {
  cards: ReadonlyMap<CardSource, CardDigests>
  sheets: ReadonlyMap<SheetSource, string>
}

export interface Changes {
  created: number
  updated: number
  unchanged: number
  archived: number
}

export interface AllChanges {
  decks: Changes
  cards: Changes
  cheatsheets: Changes
}

export interface ChangesWithTests extends AllChanges {
  tests?: Changes
}

/** A card with its position and its deck. The deck is an object, because a new deck has no id yet. */
export interface PlacedCard<Deck, Card> {
  deck: Deck
  card: Card
  sort_order: number
}

export interface ChangedCard<Deck, Card> extends PlacedCard<Deck, Card> {
  id: number
  /** Whether the deck or the visibility changes, which affects the progress of learners */
  moves: boolean
  isDraft: boolean
  /** Stored parts to keep */
  keeps: readonly CardPart[]
  /** Whether the card keeps all parts, because what was edited in the service takes precedence */
  staysEdited: boolean
}

export interface ChangedSheet<Sheet> {
  id: number
  sheet: Sheet
  isDraft: boolean
  keepsText: boolean
}

export interface Plan<Deck extends DeckSource, Card extends CardSource, Sheet extends SheetSource> extends AllChanges {
  newDecks: Deck[]
  changedDecks: { id: number; deck: Deck }[]
  deckIds: Map<Deck, number>
  /** Decks that a file describes for the first time, and decks whose file has a new path */
  describedDecks: { id: number; file: string; tests_only: boolean }[]
  archivedDecks: number[]
  newCards: PlacedCard<Deck, Card>[]
  changedCards: ChangedCard<Deck, Card>[]
  renamedCards: { id: number; deck: Deck; key: string }[]
  archivedCards: number[]
  /** Ids of cards: the import moves progress from a former card to its successor */
  progressTransfers: { from: number; to: number }[]
  newSheets: Sheet[]
  changedSheets: ChangedSheet<Sheet>[]
  adoptedSheets: number[]
  archivedSheets: number[]
  translations: { decks: TranslationChange[]; sheets: TranslationChange[] }
  faults: Fault[]
  warnings: Warning[]
}

export interface FolderPlan extends Plan<DeckSource, CardSource, SheetSource> {
  /** Numbers of stored cards and sheets that the import could archive */
  liveCards: number
  liveSheets: number
}

export interface UploadPlan extends Plan<UploadDeck, UploadCard, UploadSheet> {
  /** At most ten warnings of each kind */
  warnings: Finding[]
  /** Decks in the order of the upload, followed by further decks whose cards the upload archives */
  perDeck: DeckChanges[]
  examples: UploadExample[]
  edited: Edited
  /** Total number of warnings, including those that `warnings` omits */
  warningsTotal: number
}

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

/** Cards and sheets that were edited in the service since the last upload and differ from the new upload. */
export interface Edited {
  /** At most 200 cards; `cardsTotal` counts all of them. */
  cards: { id: number; deck: UploadDeck; card: UploadCard; isKept: boolean }[]
  cardsTotal: number
  sheets: { sheet: UploadSheet; isKept: boolean }[]
}

export interface UploadExample {
  deck: UploadDeck
  id: number | null
  card: UploadCard
}

export interface ImportStats extends ChangesWithTests {
  duration_ms: number
  /** Probable mistakes, sorted by file and line; at most 200 */
  warnings: Warning[]
}

export function changesOf({ decks, cards, cheatsheets }: AllChanges): AllChanges {
  return { decks, cards, cheatsheets }
}

export function hasChanges(plan: Plan<DeckSource, CardSource, SheetSource>): boolean {
  const changes = [
    ...[plan.newDecks, plan.changedDecks, plan.archivedDecks, plan.newSheets, plan.changedSheets, plan.archivedSheets],
    ...[plan.newCards, plan.changedCards, plan.renamedCards, plan.archivedCards],
    ...[plan.translations.decks, plan.translations.sheets],
  ]
  return changes.some((list) => list.length > 0)
}

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
    progressTransfers: [],
    newSheets: [],
    changedSheets: [],
    adoptedSheets: [],
    archivedSheets: [],
    translations: { decks: [], sheets: [] },
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
