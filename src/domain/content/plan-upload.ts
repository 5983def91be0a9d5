import type { Digests } from './import-plan.js'
import { type PlacedCards, planUploadCards } from './plan-upload-cards.js'
import { FreeSlugs, RESERVED_DECKS, RESERVED_SHEETS, slugFrom } from './slug.js'
import {
  emptyUploadPlan,
  type OwnedDeck,
  type StoredUpload,
  type Upload,
  type UploadDeck,
  type UploadPlan,
} from './upload-plan.js'

export interface UploadPlanOptions {
  /** Whether what the source had and the upload lacks is archived. */
  mirror: boolean
}

/**
 * Compares an upload with the store.
 *
 * A deck is the row that the source knows by the deck's name (by its slug in an archive), whatever it is called now. A
 * card is the row of its note in the whole store, or the source's row of its key. What belongs to the folder, to another
 * source or to nobody is left alone; only what an archived source had may be taken over.
 */
export function planUpload(
  upload: Upload,
  digests: Digests,
  stored: StoredUpload,
  { mirror }: UploadPlanOptions,
): UploadPlan {
  const plan = emptyUploadPlan()
  const ours = stored.decks.filter(({ source_id }) => source_id !== null && source_id === stored.sourceId)
  const byKey = new Map(ours.map((row) => [row.source_key, row]))
  const slugs = new FreeSlugs(
    stored.decks.map(({ slug }) => slug),
    RESERVED_DECKS,
    'deck',
  )
  const rows = new Map<UploadDeck, OwnedDeck>()
  const decks = upload.decks.map((deck) => {
    const row = byKey.get(deck.source_key)
    // A new deck may turn out to stay empty, and then needs no slug.
    const planned = { ...deck, slug: row?.slug ?? '', sort_order: deck.wantedOrder ?? row?.sort_order ?? 0 }
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
    // Nothing of it is ours; an empty one is meant to be.
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

const NO_CARDS = { created: 0, updated: 0, moved: 0, unchanged: 0, archived: 0 }

function planDeck(plan: UploadPlan, deck: UploadDeck, row: OwnedDeck | undefined, isVain: boolean): void {
  if (row === undefined) {
    plan.newDecks.push(deck)
    plan.decks.created++
    return
  }
  const isSame = row.name === deck.name && row.description === deck.description && row.sort_order === deck.sort_order
  // Nothing of ours in it: it stays in the archive.
  if ((row.is_live && isSame) || (!row.is_live && isVain)) {
    plan.decks.unchanged++
    return
  }
  plan.changedDecks.push({ id: row.id, deck })
  plan.decks.updated++
}

type Rest = UploadPlanOptions & Pick<PlacedCards, 'leaving' | 'described'>

/** What the upload does not mention stays, but for decks whose last card has gone to another. */
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
  const mentioned = new Set(sheets.map(({ slug }) => slug))
  for (const sheet of sheets) {
    const row = byKey.get(sheet.slug)
    if (row === undefined) {
      const planned = { ...sheet, slug: slugs.take(sheet.slug) }
      plan.newSheets.push(planned)
      plan.sheetKeys.set(planned, sheet.slug)
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
