import { emptyPlan, type ImportPlan, type StoredCard, type StoredDeck, type StoredSheet } from './import-plan.js'
import type { SourceKind } from './incoming.js'
import type { CardSource, DeckSource, SheetSource, Warning } from './types.js'

/** What the store says of a deck's or a sheet's source; all null when it has none. */
export interface Owned {
  source_id: number | null
  /** What the source calls it. */
  source_key: string | null
  /** The name of the source. */
  owner: string | null
}

export interface OwnedDeck extends StoredDeck, Owned {
  /** An archived source holds on to nothing. */
  owner_is_live: boolean
  /** Live cards, also those that a script has put there. */
  card_count: number
}

export interface OwnedSheet extends StoredSheet, Owned {}

/** A card with an identity, of any source or of the folder. */
export interface OwnedCard extends StoredCard {
  guid: string | null
  ord: number | null
}

/** What the store holds of what an upload is about. */
export interface StoredUpload {
  /** Undefined: the source is new. */
  sourceId: number | undefined
  /** All decks and sheets. */
  decks: OwnedDeck[]
  sheets: OwnedSheet[]
  /** Those of the source, and all whose notes are in the upload. */
  cards: OwnedCard[]
}

/** A card of an upload under the key that it has in the store. */
export interface UploadCard extends CardSource {
  /** Of the upload; empty in an Anki package. */
  file: string
  /** Of the Anki note, else null. */
  guid: string | null
  ord: number | null
  /** Whether it is known in its deck only, and never moves. */
  isBound: boolean
}

/** Its slug is that of the plan; before, what the upload asks for. */
export interface UploadDeck extends DeckSource {
  source_key: string
  /** Null: what the store says stays. */
  wantedOrder: number | null
  cards: UploadCard[]
}

/** The decks and sheets of an upload. */
export interface Upload {
  kind: SourceKind
  decks: UploadDeck[]
  sheets: SheetSource[]
}

/** What becomes of the cards of one deck; each is counted once. */
export interface CardCounts {
  created: number
  updated: number
  /** From another deck, be it with another text. */
  moved: number
  unchanged: number
}

export interface DeckChanges extends CardCounts {
  slug: string
  name: string
  archived: number
}

/** What an upload has to write. The decks of the plan are its own, with slugs that are free. */
export interface UploadPlan extends ImportPlan {
  newDecks: UploadDeck[]
  /** Under which keys the source knows the new sheets. */
  sheetKeys: Map<SheetSource, string>
  /** In the order of the upload, then those that only lose cards. */
  perDeck: DeckChanges[]
  /** Cards that show what the upload does: new ones, and the ids of changed ones. */
  examples: UploadExample[]
  /** How many there were; `warnings` are the first 200. */
  warningsTotal: number
}

export interface UploadExample {
  deck: UploadDeck
  /** The row that is changed; null for a new card. */
  id: number | null
  card: CardSource
}

export const MAX_EXAMPLES = 10
const MAX_WARNINGS = 200

export function emptyUploadPlan(): UploadPlan {
  return { ...emptyPlan(), newDecks: [], sheetKeys: new Map(), perDeck: [], examples: [], warningsTotal: 0 }
}

export function warn(plan: UploadPlan, warning: Warning): void {
  plan.warningsTotal++
  if (plan.warnings.length < MAX_WARNINGS) plan.warnings.push(warning)
}
