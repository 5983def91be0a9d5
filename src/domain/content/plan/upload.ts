import { CARD_PARTS } from '../card-texts.js'
import { groupFindings } from '../findings.js'
import { FreeSlugs, RESERVED_DECKS, RESERVED_SHEETS, slugFrom } from '../format/slug.js'
import { type ImportedItem, isOtherGroup } from '../translations.js'
import { findPoolFault, hasOtherText, planDeck, planGroups, planSheets, type StoredGroups, stateOf } from './compare.js'
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
  type UploadSheet,
} from './types.js'
import { ForeignCards, warnOfDuplicate } from './upload-warnings.js'

export interface UploadPlanOptions {
  /** Whether content of the source that is missing in the upload is archived */
  mirror: boolean
  /**
   * Version of a card or sheet to keep if it was edited in the service and differs from the file: `ours` (default) is
   * the stored version, `theirs` that of the file
   */
  keep?: 'ours' | 'theirs' | undefined
  /** Ids of cards that get the version of the file even if `keep` is `ours` */
  theirs?: ReadonlySet<number> | undefined
}

/**
 * Compares an upload with the stored content.
 *
 * A deck matches the row of this source that has the deck's name (in an archive: the slug) as its key, even if the row
 * has been renamed. A card matches the row of its Anki note in any source, otherwise the row of this source with its
 * key. All other content stays unchanged, except that cards of archived sources are taken over.
 */
export function planUpload(
  upload: Upload,
  digests: Digests,
  stored: StoredUpload,
  options: UploadPlanOptions,
  groups: StoredGroups,
): UploadPlan {
  const edited = { cards: [], cardsTotal: 0, sheets: [] }
  const plan: UploadPlan = { ...emptyPlan(), perDeck: [], examples: [], edited, warningsTotal: 0 }
  const ours = stored.decks.filter(({ source_id }) => source_id !== null && source_id === stored.sourceId)
  const known = new KnownRows(upload, upload.decks, ours)
  const slugs = new FreeSlugs(
    stored.decks.map(({ slug }) => slug),
    RESERVED_DECKS,
    'deck',
  )
  const rows = new Map<UploadDeck, OwnedDeck>()
  const end = orderAtEnd(stored.decks)
  const decks = upload.decks.map((deck) => {
    const row = known.find(deck)
    // The slug of a new deck is assigned later, because a deck that receives none of its cards is not created.
    const place = { slug: row?.slug ?? '', sort_order: deck.wantedOrder ?? row?.sort_order ?? end }
    const planned = { ...deck, ...(row !== undefined && !deck.isWhole && headOf(row)), ...place }
    if (row !== undefined) {
      const fault = findPoolFault(row, planned, true)
      if (fault !== undefined) plan.faults.push(fault)
      rows.set(planned, row)
      plan.deckIds.set(planned, row.id)
    }
    return planned
  })
  const groupDecks: ImportedItem[] = []
  const placed = planUploadCards(plan, decks, digests, stored, options)
  for (const [index, deck] of decks.entries()) {
    const row = rows.get(deck)
    const counts = placed.counts.get(deck)
    // True if all cards of the deck in the upload are duplicates or belong to other decks or owners.
    const receivesNone = counts === undefined && deck.cards.length > 0
    if (row === undefined && receivesNone) continue
    const wanted = upload.kind === 'archive' ? (upload.decks[index]?.slug ?? '') : slugFrom(deck.name)
    if (row === undefined) deck.slug = slugs.take(wanted)
    planDeck(plan, deck, row, receivesNone)
    groupDecks.push(itemOf(deck, row?.id, deck.tests_only))
    plan.perDeck.push({ ...NO_CARDS, slug: deck.slug, name: deck.name, ...counts })
  }
  archiveRest(plan, ours, new Set(rows.values()), stored, { ...options, ...placed })
  const sheets = planUploadSheets(plan, upload, digests, stored, options, groups)
  planGroups(plan, { decks: groupDecks, sheets }, groups, stored.sourceId ?? NEW_SOURCE)
  plan.warningsTotal = plan.warnings.length
  plan.warnings = groupFindings(plan.warnings)
  return plan
}

/**
 * Returns the stored fields that an upload of a table or package keeps: the name, because the deck may have been
 * renamed, and fields that such files do not contain.
 */
function headOf({ name, description, tests_only, options_off, lang, desired_retention }: OwnedDeck) {
  return { name, description, tests_only, options_off, lang, desired_retention }
}

/** Id that no stored source has */
const NEW_SOURCE = 0

function itemOf(
  { slug, source_key, translation }: UploadDeck | UploadSheet,
  id: number | undefined,
  tests_only = false,
): ImportedItem {
  return { slug, name: source_key, id, translation, tests_only }
}

/** Finds rows of a source by key, and for an archive also by slug, because exported archives contain slugs. */
class KnownRows<Row extends { slug: string; source_key: string | null }> {
  readonly #byKey: ReadonlyMap<string | null, Row>
  readonly #bySlug: ReadonlyMap<string, Row>

  constructor({ kind }: Upload, items: readonly { source_key: string }[], rows: readonly Row[]) {
    const keys = new Set(items.map(({ source_key }) => source_key))
    this.#byKey = new Map(rows.flatMap((row) => (row.source_key === null ? [] : [[row.source_key, row]])))
    const others = kind === 'archive' ? rows.filter(({ source_key }) => !keys.has(source_key ?? '')) : []
    this.#bySlug = new Map(others.map((row) => [row.slug, row]))
  }

  find({ source_key }: { source_key: string }): Row | undefined {
    return this.#byKey.get(source_key) ?? this.#bySlug.get(source_key)
  }
}

const HIGHEST_ORDER = 2 ** 31 - 1

function orderAtEnd(decks: readonly OwnedDeck[]): number {
  const last = decks.reduce((highest, deck) => (deck.is_live ? Math.max(highest, deck.sort_order) : highest), -1)
  return Math.min(last + 1, HIGHEST_ORDER)
}

/**
 * Returns the new decks that are not `tests_only` and receive no moved cards. Learners have no progress in these decks,
 * so the decks need not be activated immediately.
 */
export function optionalDecks({ newDecks, perDeck }: UploadPlan): UploadDeck[] {
  const moved = new Set(perDeck.filter((deck) => deck.moved > 0).map(({ slug }) => slug))
  return newDecks.filter(({ slug, tests_only }) => !tests_only && !moved.has(slug))
}

const NO_CARDS = { created: 0, updated: 0, moved: 0, unchanged: 0, archived: 0 }

type Rest = UploadPlanOptions & Pick<PlacedCards, 'described' | 'moved'>

/**
 * Archives decks of the source that are missing in the upload. With `mirror`, also archives missing cards, and a deck
 * stays only if it keeps a card that the upload describes. Without `mirror`, archives a deck only if all its live cards
 * have moved and no draft remains.
 */
function archiveRest(
  plan: UploadPlan,
  ours: readonly OwnedDeck[],
  mentioned: ReadonlySet<OwnedDeck>,
  { cards }: StoredUpload,
  { mirror, described, moved }: Rest,
): void {
  const leaving = new Map<number, number>()
  const staying = new Set<number>()
  for (const { id, deck_id, state } of cards) {
    if (state === 'live' && moved.has(id)) leaving.set(deck_id, (leaving.get(deck_id) ?? 0) + 1)
    if (state !== 'archived' && !moved.has(id) && (!mirror || described.has(id))) staying.add(deck_id)
  }
  const isEmptied = ({ id, card_count }: OwnedDeck) => leaving.has(id) && leaving.get(id) === card_count
  const isObsolete = (row: OwnedDeck) => !staying.has(row.id) && (mirror || isEmptied(row))
  const obsolete = ours.filter((row) => row.is_live && !mentioned.has(row) && isObsolete(row))
  plan.archivedDecks = obsolete.map(({ id }) => id)
  plan.decks.archived = obsolete.length
  if (!mirror) return
  const ids = new Map(ours.map((row) => [row.id, row]))
  const changed = new Set(plan.changedDecks.map(({ id }) => id))
  // A deck that was archived in the service keeps its cards until it is restored.
  const isShown = ({ state, deck_id }: OwnedCard) =>
    state !== 'archived' && (ids.get(deck_id)?.is_live !== false || changed.has(deck_id))
  const archived = cards.filter((row) => isShown(row) && !described.has(row.id) && ids.has(row.identity_deck_id))
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
  upload: Upload,
  digests: Digests,
  stored: StoredUpload,
  { mirror, keep = 'ours' }: UploadPlanOptions,
  groups: StoredGroups,
): ImportedItem[] {
  const ours = stored.sheets.filter(({ source_id }) => source_id !== null && source_id === stored.sourceId)
  const known = new KnownRows(upload, upload.sheets, ours)
  const slugs = new FreeSlugs(
    stored.sheets.map(({ slug }) => slug),
    RESERVED_SHEETS,
    'cheatsheet',
  )
  const matches = upload.sheets.map((sheet) => {
    const row = known.find(sheet)
    return row === undefined ? { row, sheet: { ...sheet, slug: slugs.take(sheet.slug) } } : { row, sheet }
  })
  planSheets(plan, matches, mirror ? ours : [], digests.sheets, (sheet, row) => {
    const isKept = row.is_edited && keep === 'ours'
    if (row.is_edited) plan.edited.sheets.push({ sheet: { ...sheet, slug: row.slug }, isKept })
    return isKept
  })
  // An edited sheet may differ from the file in its group only.
  const listed = new Set(plan.edited.sheets.map(({ sheet }) => sheet.slug))
  const names = new Map(matches.map(({ sheet, row }) => [sheet.source_key, row?.slug ?? sheet.slug]))
  for (const { sheet, row } of matches) {
    if (row?.is_edited !== true || listed.has(row.slug) || sheet.translation === undefined) continue
    const group = groups.sheets.find(({ id }) => id === row.id)
    if (group === undefined || !isOtherGroup(group, sheet.translation, names)) continue
    plan.edited.sheets.push({ sheet: { ...sheet, slug: row.slug }, isKept: keep === 'ours' })
  }
  return matches.map(({ sheet, row }) => {
    const item = itemOf({ ...sheet, slug: row?.slug ?? sheet.slug }, row?.id)
    return row?.is_edited && keep === 'ours' ? { ...item, translation: undefined } : item
  })
}

interface PlacedCards {
  /** Card counts by deck; contains only decks that receive a card */
  counts: Map<UploadDeck, CardCounts>
  described: Set<number>
  moved: Set<number>
}

function planUploadCards(
  plan: UploadPlan,
  decks: readonly UploadDeck[],
  digests: Digests,
  stored: StoredUpload,
  { keep = 'ours', theirs }: UploadPlanOptions,
): PlacedCards {
  const rows = new Rows(stored)
  const placed: PlacedCards = { counts: new Map(), described: new Set(), moved: new Set() }
  const created: UploadExample[] = []
  const updated: UploadExample[] = []
  const seen = new Map<string, UploadCard>()
  const taken = new Map<number, UploadCard>()
  const foreign = new ForeignCards()
  const keepsOurs = (row: OwnedCard) => keep === 'ours' && theirs?.has(row.id) !== true
  for (const deck of decks) for (const card of deck.cards) rows.reserve(card, plan.deckIds.get(deck))
  for (const [place, deck] of decks.entries()) {
    const deckId = plan.deckIds.get(deck)
    const matched: { card: UploadCard; row: OwnedCard | undefined; index: number }[] = []
    for (const [index, card] of deck.cards.entries()) {
      const here = `${place} ${card.key}`
      const earlier = seen.get(here) ?? (card.isBound ? undefined : seen.get(card.key))
      if (earlier !== undefined) {
        plan.warnings.push(warnOfDuplicate(deck, card, earlier))
        continue
      }
      seen.set(here, card)
      if (!card.isBound) seen.set(card.key, card)
      // Two cards may match one row, for example if the id of a card equals the key derived from the question of
      // another card. The first card gets the row.
      const found = rows.find(card, deckId)
      const first = found && taken.get(found.id)
      // A row that was edited in the service keeps its key, so no second card with that key can be created.
      if (first !== undefined && found?.is_edited && found.state !== 'archived' && keepsOurs(found)) {
        plan.warnings.push(warnOfDuplicate(deck, card, first))
        continue
      }
      const row = first === undefined ? found : undefined
      const owner = row && rows.findOther(row)
      if (owner !== undefined) {
        foreign.add(deck, card, owner)
        continue
      }
      if (row !== undefined) {
        placed.described.add(row.id)
        taken.set(row.id, card)
      }
      matched.push({ card, row, index })
    }
    const keepsOrder = isInOrder(matched, deckId, keepsOurs)
    for (const { card, row, index } of matched) {
      const isOurs = row !== undefined && keepsOurs(row)
      const sort_order = keepsOrder && row !== undefined ? row.sort_order : index + 1
      const becomes = planCard(plan, { deck, card, sort_order }, { row, deckId, isOurs }, digests)
      // A card that was moved in the service stays in its deck; the deck of the file is not created for this card.
      const isElsewhere = becomes === 'unchanged' && row?.deck_id !== deckId
      if (!isElsewhere) {
        const counts = placed.counts.get(deck) ?? { created: 0, updated: 0, moved: 0, unchanged: 0 }
        counts[becomes]++
        placed.counts.set(deck, counts)
      }
      plan.cards[becomes === 'moved' ? 'updated' : becomes]++
      if (becomes === 'created') addExample(created, { deck, id: null, card })
      else if (becomes !== 'unchanged') addExample(updated, { deck, id: row?.id ?? null, card })
      if (row !== undefined && becomes === 'moved') placed.moved.add(row.id)
    }
  }
  for (const warning of foreign.describe()) plan.warnings.push(warning)
  const few = updated.slice(0, MAX_EXAMPLES - Math.min(created.length, MAX_EXAMPLES / 2))
  plan.examples = [...few, ...created.slice(0, MAX_EXAMPLES - few.length)]
  return placed
}

/**
 * Returns whether all cards are stored, not archived, and in the order of the file. Their sort orders may have gaps,
 * left by cards that were moved in the service or are missing in the file.
 */
function isInOrder(
  matched: readonly { row: OwnedCard | undefined }[],
  deckId: number | undefined,
  keepsOurs: (row: OwnedCard) => boolean,
): boolean {
  let last: OwnedCard | undefined
  for (const { row } of matched) {
    if (row === undefined || row.state === 'archived') return false
    if (row.deck_id !== deckId) {
      if (row.is_edited && keepsOurs(row)) continue
      return false
    }
    const isBehind =
      last === undefined || row.sort_order > last.sort_order || (row.sort_order === last.sort_order && row.id > last.id)
    if (!isBehind) return false
    last = row
  }
  return true
}

function planCard(
  plan: UploadPlan,
  placed: { deck: UploadDeck; card: UploadCard; sort_order: number },
  { row, deckId, isOurs }: { row: OwnedCard | undefined; deckId: number | undefined; isOurs: boolean },
  digests: Digests,
): keyof CardCounts {
  const { deck, card, sort_order } = placed
  if (row === undefined) {
    plan.newCards.push(placed)
    return 'created'
  }
  const isMoved = row.deck_id !== deckId
  const isOtherText = hasOtherText(row, digests.cards.get(card), card.absent)
  // Tables and Anki packages do not specify drafts, so a stored draft stays a draft.
  const wanted = card.isWhole ? stateOf(card) : stateOf({ draft: row.state === 'draft' })
  const isOther = isOtherText || row.state !== wanted
  const isEdited = row.is_edited && (isOtherText || isMoved || (isOther && row.state !== 'archived'))
  if (isEdited) {
    plan.edited.cardsTotal++
    if (plan.edited.cards.length < MAX_EDITED) plan.edited.cards.push({ id: row.id, deck, card, isKept: isOurs })
  }
  if (isEdited && isOurs && row.state !== 'archived') return 'unchanged'
  if (row.key !== card.key || row.identity_deck_id !== deckId)
    plan.renamedCards.push({ id: row.id, deck, key: card.key })
  // A new position alone is stored but not counted as an update, because an inserted card changes the position of all
  // later cards.
  if (isMoved || isOther || row.sort_order !== sort_order) {
    const moves = isMoved || row.state !== wanted
    const staysEdited = isEdited && isOurs
    const keeps = staysEdited ? CARD_PARTS : card.absent
    plan.changedCards.push({ ...placed, id: row.id, moves, isDraft: wanted === 'draft', keeps, staysEdited })
  }
  if (isMoved) return 'moved'
  return isOther ? 'updated' : 'unchanged'
}

class Rows {
  readonly #sourceId: number | undefined
  readonly #decks: ReadonlyMap<number, OwnedDeck>
  readonly #byNote = new Map<string, OwnedCard>()
  readonly #bound = new Map<string, OwnedCard>()
  /** Rows of the source that are no longer in the deck of their identity, by current deck and key */
  readonly #current = new Map<string, OwnedCard>()
  readonly #byKey = new Map<string, OwnedCard[]>()
  /** Ids of stored cards that only a card of the same deck may match */
  readonly #reserved = new Set<number>()

  constructor({ sourceId, decks, cards }: StoredUpload) {
    this.#sourceId = sourceId
    this.#decks = new Map(decks.map((deck) => [deck.id, deck]))
    for (const row of cards) {
      if (row.guid !== null) this.#addNote(`${row.ord} ${row.guid}`, row)
      if (!this.#isOurs(row)) continue
      this.#bound.set(`${row.identity_deck_id} ${row.key}`, row)
      if (row.deck_id !== row.identity_deck_id) this.#current.set(`${row.deck_id} ${row.key}`, row)
      const same = this.#byKey.get(row.key)
      if (same === undefined) this.#byKey.set(row.key, [row])
      else same.push(row)
    }
  }

  /**
   * Adds the row of a note. Of several rows with the same note, keeps a row of this source. If there is none, prefers a
   * row of another owner that this source must not take over.
   */
  #addNote(note: string, row: OwnedCard): void {
    const other = this.#byNote.get(note)
    const rank = (one: OwnedCard) => (this.#isOurs(one) ? 2 : Number(this.findOther(one) !== undefined))
    if (other === undefined || rank(row) > rank(other)) this.#byNote.set(note, row)
  }

  /** Reserves the row of a card with `isBound`, so that a card of another deck with the same key cannot take it. */
  reserve(card: UploadCard, deckId: number | undefined): void {
    const row = card.isBound ? this.#findHere(card, deckId) : undefined
    if (row !== undefined) this.#reserved.add(row.id)
  }

  find(card: UploadCard, deckId: number | undefined): OwnedCard | undefined {
    return this.#findHere(card, deckId) ?? (card.isBound ? undefined : this.#findByKey(card.key))
  }

  #findHere({ guid, ord, key }: UploadCard, deckId: number | undefined): OwnedCard | undefined {
    const noted = guid === null ? undefined : this.#byNote.get(`${ord} ${guid}`)
    const place = `${deckId} ${key}`
    return noted ?? this.#bound.get(place) ?? this.#current.get(place)
  }

  #findByKey(key: string): OwnedCard | undefined {
    const free = this.#byKey.get(key)?.filter(({ id }) => !this.#reserved.has(id))
    return free?.find(({ state }) => state !== 'archived') ?? free?.[0]
  }

  /** Returns the deck of a row that belongs to another owner; undefined if this source owns it or may take it over. */
  findOther(row: OwnedCard): OwnedDeck | undefined {
    if (this.#isOurs(row)) return undefined
    const deck = this.#decks.get(row.identity_deck_id)
    return deck?.source_id !== null && deck?.owner_is_live === false ? undefined : deck
  }

  #isOurs({ identity_deck_id }: OwnedCard): boolean {
    return this.#sourceId !== undefined && this.#decks.get(identity_deck_id)?.source_id === this.#sourceId
  }
}

function addExample<T>(list: T[], item: T): void {
  if (list.length < MAX_EXAMPLES) list.push(item)
}

const MAX_EXAMPLES = 10
const MAX_EDITED = 200
