import { MostArchived } from '../refusals.js'
import type { ImportedItem } from '../translations.js'
import type { Content, DeckSource, SheetSource } from '../types.js'
import { findPoolFault, hasOtherText, planDeck, planGroups, planSheets, type StoredGroups, stateOf } from './compare.js'
import { warnOfLostProgress } from './lost-progress.js'
import {
  type Digests,
  emptyPlan,
  type FolderPlan,
  type StoredCard,
  type StoredContent,
  type StoredDeck,
} from './types.js'

/**
 * Compares the files of the content folder with the stored content.
 *
 * A deck matches the row with its slug, otherwise an imported row with one of its aliases. A card matches the row with
 * its identity (deck, key), otherwise the first row with an alias of the card or of its deck. Further rows with an
 * alias are predecessors; their progress is transferred to the card. They exist if the alias was added after the card
 * had been created.
 */
export function planImport(
  content: Content,
  digests: Digests,
  stored: StoredContent,
  groups: StoredGroups,
): FolderPlan {
  const plan: FolderPlan = { ...emptyPlan(), liveCards: 0, liveSheets: 0 }
  const identities = new Map<number, Map<string, StoredCard>>()
  for (const card of stored.cards) {
    const cards = identities.get(card.identity_deck_id) ?? new Map<string, StoredCard>()
    identities.set(card.identity_deck_id, cards.set(card.key, card))
  }
  const described = new Set<StoredCard>()
  const aliased = planDecks(plan, content.decks, stored.decks)
  // Decks that no file of the folder has described stay unchanged, such as decks of a source, even if it was deleted.
  const ours = new Set(plan.deckIds.values())
  for (const { id, is_imported } of stored.decks) if (is_imported) ours.add(id)
  const live = stored.cards.filter((card) => card.state !== 'archived' && ours.has(card.identity_deck_id))
  plan.liveCards = live.length
  for (const deck of content.decks) {
    planCards(plan, deck, aliased.get(deck) ?? [], identities, described, digests)
  }
  const archived = live.filter((card) => !described.has(card))
  plan.archivedCards = archived.map(({ id }) => id)
  plan.cards.archived = archived.length
  const sheets = new Map(stored.sheets.map((row) => [row.slug, row]))
  const matches = content.sheets.map((sheet) => ({ sheet, row: sheets.get(sheet.slug) }))
  plan.adoptedSheets = matches.flatMap(({ row }) => (row === undefined || row.is_imported ? [] : [row.id]))
  const liveSheets = stored.sheets.filter((row) => row.is_imported && row.state !== 'archived')
  plan.liveSheets = liveSheets.length
  planSheets(plan, matches, liveSheets, digests.sheets)
  const groupItems = {
    decks: content.decks.map((deck) => itemOf(deck, plan.deckIds.get(deck), deck.tests_only)),
    sheets: matches.map(({ sheet, row }) => itemOf(sheet, row?.id)),
  }
  planGroups(plan, groupItems, groups, null)
  const transferred = new Set(plan.progressTransfers.map(({ from }) => from))
  plan.warnings = warnOfLostProgress(
    plan,
    archived.filter(({ id }) => !transferred.has(id)),
    stored.decks,
    digests,
  )
  return plan
}

function itemOf(
  { slug, translation }: DeckSource | SheetSource,
  id: number | undefined,
  tests_only = false,
): ImportedItem {
  return { slug, name: slug, id, translation, tests_only }
}

/** Plans the decks. Returns for each deck the ids of further imported decks that match its aliases. */
function planDecks(plan: FolderPlan, decks: readonly DeckSource[], stored: readonly StoredDeck[]) {
  const bySlug = new Map(stored.map((row) => [row.slug, row]))
  const kept = new Set<StoredDeck>()
  const aliased = new Map<DeckSource, number[]>()
  for (const deck of decks) {
    const former = deck.aliases
      .map((alias) => bySlug.get(alias))
      .filter((row): row is StoredDeck => row?.is_imported === true)
    const row = bySlug.get(deck.slug) ?? former.shift()
    aliased.set(
      deck,
      former.map(({ id }) => id),
    )
    planDeck(plan, deck, row)
    if (row === undefined) continue
    kept.add(row)
    plan.deckIds.set(deck, row.id)
    const fault = findPoolFault(row, deck, row.is_imported)
    if (fault !== undefined) plan.faults.push(fault)
    if (!row.is_imported || row.file !== deck.file)
      plan.describedDecks.push({ id: row.id, file: deck.file, tests_only: deck.tests_only })
  }
  plan.archivedDecks = stored.filter((row) => row.is_imported && row.is_live && !kept.has(row)).map(({ id }) => id)
  plan.decks.archived = plan.archivedDecks.length
  return aliased
}

function planCards(
  plan: FolderPlan,
  deck: DeckSource,
  aliasedIds: readonly number[],
  identities: ReadonlyMap<number, ReadonlyMap<string, StoredCard>>,
  described: Set<StoredCard>,
  digests: Digests,
): void {
  const deckId = plan.deckIds.get(deck)
  const identityDecks = deckId === undefined ? aliasedIds : [deckId, ...aliasedIds]
  for (const [index, card] of deck.cards.entries()) {
    const keys = [card.key, ...card.aliases]
    const found = identityDecks.flatMap((id) => {
      const cards = identities.get(id)
      return cards === undefined ? [] : keys.flatMap((key) => cards.get(key) ?? [])
    })
    const placed = { deck, card, sort_order: index + 1 }
    const [row, ...predecessors] = found
    if (row === undefined) {
      plan.newCards.push(placed)
      plan.cards.created++
      continue
    }
    described.add(row)
    const isRenamed = row.key !== card.key || row.identity_deck_id !== deckId
    if (isRenamed) plan.renamedCards.push({ id: row.id, deck, key: card.key })
    for (const { id } of predecessors) plan.progressTransfers.push({ from: id, to: row.id })
    const moves = row.state !== stateOf(card) || row.deck_id !== deckId
    const isChanged = moves || row.sort_order !== placed.sort_order || hasOtherText(row, digests.cards.get(card))
    if (isChanged) {
      plan.changedCards.push({ ...placed, id: row.id, moves, isDraft: card.draft, keeps: [], staysEdited: false })
    }
    if (isChanged || isRenamed || predecessors.length > 0) plan.cards.updated++
    else plan.cards.unchanged++
  }
}

const MIN_ITEMS_FOR_REFUSAL = 10

/**
 * Returns the refusal for a plan that archives more than half of at least 10 cards or sheets: a folder may be missing.
 * Returns undefined for other plans.
 */
export function refusalOf({ archivedCards, liveCards, archivedSheets, liveSheets }: FolderPlan) {
  if (isMost(archivedCards, liveCards)) return new MostArchived('Karten', archivedCards.length, liveCards)
  if (isMost(archivedSheets, liveSheets)) return new MostArchived('Cheat Sheets', archivedSheets.length, liveSheets)
  return undefined
}

function isMost({ length }: readonly number[], live: number): boolean {
  return live >= MIN_ITEMS_FOR_REFUSAL && length * 2 > live
}
