import { FreeSlugs, RESERVED_DECKS, RESERVED_SHEETS, slugFrom } from '../format/slug.js'
import type { Warning } from '../types.js'
import {
  type CardCounts,
  type Digests,
  emptyPlan,
  type OwnedCard,
  type OwnedDeck,
  type StoredUpload,
  type Upload,
  type UploadCard,
  type UploadDeck,
  type UploadExample,
  type UploadPlan,
} from './types.js'
import { ForeignCards, warnOfTwin } from './upload-warnings.js'

export interface UploadPlanOptions {
  /** Whether content missing in the upload is archived */
  mirror: boolean
}

/**
 * Compares an upload with the store.
 *
 * A deck is the row that the source knows by the deck's name (an archive: by slug), whatever its current name is. A
 * card is the row of its Anki note anywhere in the store, or the source's row of its key. Content of the folder, of
 * other sources or of scripts stays unchanged; only that of archived sources may be taken over.
 */
export function planUpload(
  upload: Upload,
  digests: Digests,
  stored: StoredUpload,
  { mirror }: UploadPlanOptions,
): UploadPlan {
  const plan: UploadPlan = { ...emptyPlan(), perDeck: [], examples: [], warningsTotal: 0 }
  const ours = stored.decks.filter(({ source_id }) => source_id !== null && source_id === stored.sourceId)
  const byKey = new Map(ours.map((row) => [row.source_key, row]))
  const slugs = new FreeSlugs(
    stored.decks.map(({ slug }) => slug),
    RESERVED_DECKS,
    'deck',
  )
  const rows = new Map<UploadDeck, OwnedDeck>()
  const end = orderAtEnd(stored.decks)
  const decks = upload.decks.map((deck) => {
    const row = byKey.get(deck.source_key)
    // A new deck may stay empty and then needs no slug.
    const planned = { ...deck, slug: row?.slug ?? '', sort_order: deck.wantedOrder ?? row?.sort_order ?? end }
    if (row !== undefined) {
      rows.set(planned, row)
      plan.deckIds.set(planned, row.id)
    }
    return planned
  })
  const placed = planUploadCards(plan, decks, digests, stored)
  for (const [index, deck] of decks.entries()) {
    const row = rows.get(deck)
    const counts = placed.counts.get(deck)
    // All its cards belong elsewhere; a deck without any cards is intended.
    const isVain = counts === undefined && deck.cards.length > 0
    if (row === undefined && isVain) continue
    const wanted = upload.kind === 'archive' ? (upload.decks[index]?.slug ?? '') : slugFrom(deck.name)
    if (row === undefined) deck.slug = slugs.take(wanted)
    planDeck(plan, deck, row, isVain)
    plan.perDeck.push({ ...NO_CARDS, slug: deck.slug, name: deck.name, ...counts })
  }
  archiveRest(plan, ours, new Set(rows.values()), stored, { mirror, ...placed })
  planUploadSheets(plan, upload, digests, stored, mirror)
  return plan
}

const HIGHEST_ORDER = 2 ** 31 - 1

/** The sort order that puts a deck behind all live ones; 0 when there is none. */
function orderAtEnd(decks: readonly OwnedDeck[]): number {
  const last = decks.reduce((highest, deck) => (deck.is_live ? Math.max(highest, deck.sort_order) : highest), -1)
  return Math.min(last + 1, HIGHEST_ORDER)
}

/** The new decks whose cards are all new: learners miss nothing when such a deck is off until they choose it. */
export function decksToOffer({ newDecks, perDeck }: UploadPlan): UploadDeck[] {
  const moved = new Set(perDeck.filter((deck) => deck.moved > 0).map(({ slug }) => slug))
  return newDecks.filter(({ slug }) => !moved.has(slug))
}

const NO_CARDS = { created: 0, updated: 0, moved: 0, unchanged: 0, archived: 0 }

function planDeck(plan: UploadPlan, deck: UploadDeck, row: OwnedDeck | undefined, isVain: boolean): void {
  if (row === undefined) {
    plan.newDecks.push(deck)
    plan.decks.created++
    return
  }
  const isSame = row.name === deck.name && row.description === deck.description && row.sort_order === deck.sort_order
  // Without a card of this source it stays archived.
  if ((row.is_live && isSame) || (!row.is_live && isVain)) {
    plan.decks.unchanged++
    return
  }
  plan.changedDecks.push({ id: row.id, deck })
  plan.decks.updated++
}

type Rest = UploadPlanOptions & Pick<PlacedCards, 'leaving' | 'described'>

/** Content missing in the upload stays, except for decks whose last card has moved. */
function archiveRest(
  plan: UploadPlan,
  ours: readonly OwnedDeck[],
  mentioned: ReadonlySet<OwnedDeck>,
  { cards }: StoredUpload,
  { mirror, leaving, described }: Rest,
): void {
  const isEmptied = ({ id, card_count }: OwnedDeck) => leaving.has(id) && leaving.get(id) === card_count
  const going = ours.filter((row) => row.is_live && !mentioned.has(row) && (mirror || isEmptied(row)))
  plan.archivedDecks = going.map(({ id }) => id)
  plan.decks.archived = going.length
  if (!mirror) return
  const ids = new Map(ours.map((row) => [row.id, row]))
  const archived = cards.filter((row) => row.is_live && !described.has(row.id) && ids.has(row.identity_deck_id))
  plan.archivedCards = archived.map(({ id }) => id)
  plan.cards.archived = archived.length
  const entries = new Map(plan.perDeck.map((entry) => [entry.slug, entry]))
  for (const { identity_deck_id } of archived) {
    const { slug, name } = ids.get(identity_deck_id) as OwnedDeck
    const entry = entries.get(slug) ?? { ...NO_CARDS, slug, name }
    if (!entries.has(slug)) plan.perDeck.push(entry)
    entries.set(slug, entry)
    entry.archived++
  }
}

function planUploadSheets(
  plan: UploadPlan,
  { sheets }: Upload,
  digests: Digests,
  stored: StoredUpload,
  mirror: boolean,
): void {
  const ours = stored.sheets.filter(({ source_id }) => source_id !== null && source_id === stored.sourceId)
  const byKey = new Map(ours.map((row) => [row.source_key, row]))
  const slugs = new FreeSlugs(
    stored.sheets.map(({ slug }) => slug),
    RESERVED_SHEETS,
    'cheatsheet',
  )
  const mentioned = new Set(sheets.map(({ source_key }) => source_key))
  for (const sheet of sheets) {
    const row = byKey.get(sheet.source_key)
    if (row === undefined) {
      plan.newSheets.push({ ...sheet, slug: slugs.take(sheet.slug) })
      plan.cheatsheets.created++
    } else if (row.is_live && row.digest === digests.sheets.get(sheet)) plan.cheatsheets.unchanged++
    else {
      plan.changedSheets.push({ id: row.id, sheet })
      plan.cheatsheets.updated++
    }
  }
  if (!mirror) return
  plan.archivedSheets = ours.filter((row) => row.is_live && !mentioned.has(row.source_key ?? '')).map(({ id }) => id)
  plan.cheatsheets.archived = plan.archivedSheets.length
}

/** Result of planning the cards of an upload. */
interface PlacedCards {
  /** Counts by deck; decks that receive no card are missing. */
  counts: Map<UploadDeck, CardCounts>
  /** Rows that the upload describes */
  described: Set<number>
  /** Number of live cards that leave each deck */
  leaving: Map<number, number>
}

/** Matches the cards with their rows and adds the changes to the plan. */
function planUploadCards(
  plan: UploadPlan,
  decks: readonly UploadDeck[],
  digests: Digests,
  stored: StoredUpload,
): PlacedCards {
  const rows = new Rows(stored)
  const placed: PlacedCards = { counts: new Map(), described: new Set(), leaving: new Map() }
  const created: UploadExample[] = []
  const updated: UploadExample[] = []
  const seen = new Map<string, UploadCard>()
  const foreign = new ForeignCards()
  for (const [place, deck] of decks.entries()) {
    const deckId = plan.deckIds.get(deck)
    for (const [index, card] of deck.cards.entries()) {
      const here = `${place} ${card.key}`
      const twin = seen.get(here) ?? (card.isBound ? undefined : seen.get(card.key))
      if (twin !== undefined) {
        warn(plan, warnOfTwin(deck, card, twin))
        continue
      }
      seen.set(here, card)
      if (!card.isBound) seen.set(card.key, card)
      // An id may equal the key of a question; the first card gets the row.
      const found = rows.find(card, deckId)
      const row = found && placed.described.has(found.id) ? undefined : found
      const owner = row && rows.findOther(row)
      if (owner !== undefined) {
        foreign.add(deck, card, owner)
        continue
      }
      const counts = placed.counts.get(deck) ?? { created: 0, updated: 0, moved: 0, unchanged: 0 }
      placed.counts.set(deck, counts)
      const becomes = planCard(plan, { deck, card, sort_order: index + 1 }, row, deckId, digests)
      counts[becomes]++
      plan.cards[becomes === 'moved' ? 'updated' : becomes]++
      if (becomes === 'created') keep(created, { deck, id: null, card })
      else if (becomes !== 'unchanged') keep(updated, { deck, id: row?.id ?? null, card })
      if (row === undefined) continue
      placed.described.add(row.id)
      if (row.is_live && row.deck_id !== deckId) {
        placed.leaving.set(row.deck_id, (placed.leaving.get(row.deck_id) ?? 0) + 1)
      }
    }
  }
  for (const warning of foreign.describe()) warn(plan, warning)
  const few = updated.slice(0, MAX_EXAMPLES - Math.min(created.length, MAX_EXAMPLES / 2))
  plan.examples = [...few, ...created.slice(0, MAX_EXAMPLES - few.length)]
  return placed
}

function planCard(
  plan: UploadPlan,
  placed: { deck: UploadDeck; card: UploadCard; sort_order: number },
  row: OwnedCard | undefined,
  deckId: number | undefined,
  digests: Digests,
): keyof CardCounts {
  const { deck, card, sort_order } = placed
  if (row === undefined) {
    plan.newCards.push(placed)
    return 'created'
  }
  if (row.key !== card.key || row.identity_deck_id !== deckId)
    plan.renamedCards.push({ id: row.id, deck, key: card.key })
  const digest = digests.cards.get(card)
  const isMoved = row.deck_id !== deckId
  const isOther = !row.is_live || row.question_digest !== digest?.question || row.rest_digest !== digest?.rest
  // Cards inserted before others do not count as changing those.
  if (isMoved || isOther || row.sort_order !== sort_order) {
    plan.changedCards.push({ ...placed, id: row.id, moves: isMoved || !row.is_live })
  }
  if (isMoved) return 'moved'
  return isOther ? 'updated' : 'unchanged'
}

/** Stored cards by their identities. */
class Rows {
  readonly #sourceId: number | undefined
  readonly #decks: ReadonlyMap<number, OwnedDeck>
  readonly #byNote = new Map<string, OwnedCard>()
  /** Rows of the source, by deck and key, and by key alone */
  readonly #bound = new Map<string, OwnedCard>()
  readonly #byKey = new Map<string, OwnedCard>()

  constructor({ sourceId, decks, cards }: StoredUpload) {
    this.#sourceId = sourceId
    this.#decks = new Map(decks.map((deck) => [deck.id, deck]))
    for (const row of cards) {
      if (row.guid !== null) this.#byNote.set(`${row.ord} ${row.guid}`, row)
      if (!this.#isOurs(row)) continue
      this.#bound.set(`${row.identity_deck_id} ${row.key}`, row)
      // A live row takes precedence.
      if (this.#byKey.get(row.key)?.is_live !== true) this.#byKey.set(row.key, row)
    }
  }

  find(card: UploadCard, deckId: number | undefined): OwnedCard | undefined {
    const noted = card.guid === null ? undefined : this.#byNote.get(`${card.ord} ${card.guid}`)
    const here = noted ?? this.#bound.get(`${deckId} ${card.key}`)
    return here ?? (card.isBound ? undefined : this.#byKey.get(card.key))
  }

  /** Returns the foreign deck that holds the card; undefined if the card belongs to this source or is free. */
  findOther(row: OwnedCard): OwnedDeck | undefined {
    if (this.#isOurs(row)) return undefined
    const deck = this.#decks.get(row.identity_deck_id)
    return deck?.source_id !== null && deck?.owner_is_live === false ? undefined : deck
  }

  #isOurs({ identity_deck_id }: OwnedCard): boolean {
    return this.#sourceId !== undefined && this.#decks.get(identity_deck_id)?.source_id === this.#sourceId
  }
}

function keep<T>(list: T[], item: T): void {
  if (list.length < MAX_EXAMPLES) list.push(item)
}

const MAX_EXAMPLES = 10
const MAX_WARNINGS = 200

function warn(plan: UploadPlan, warning: Warning): void {
  plan.warningsTotal++
  if (plan.warnings.length < MAX_WARNINGS) plan.warnings.push(warning)
}

/** Whether the upload leaves the store as it is. */
export function isIdle(plan: UploadPlan): boolean {
  const changes = [
    ...[plan.newDecks, plan.changedDecks, plan.archivedDecks, plan.newSheets, plan.changedSheets, plan.archivedSheets],
    ...[plan.newCards, plan.changedCards, plan.renamedCards, plan.archivedCards],
  ]
  return changes.every((list) => list.length === 0)
}
