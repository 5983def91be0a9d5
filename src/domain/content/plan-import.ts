import type { CardSource, Content, DeckSource, SheetSource, Warning } from './types.js'

/** How many rows of a kind an import created, changed, and so on. */
export interface Changes {
  created: number
  updated: number
  unchanged: number
  archived: number
}

/** A deck of the store, whoever wrote it. */
export interface StoredDeck {
  id: number
  slug: string
  name: string
  description: string
  sort_order: number
  is_live: boolean
  /** Whether a file describes it, or described it until it was archived. */
  is_imported: boolean
}

/** A card that an import wrote: identity is (identity_deck_id, key), the rest is the row of today. */
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
  /** Rows of scripts that a file describes now. */
  adoptedDecks: number[]
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
  /** Live cards of files before the import. */
  liveCards: number
  decks: Changes
  cards: Changes
  cheatsheets: Changes
  warnings: Warning[]
}

/** Below that an import may archive what it likes. */
const FEW_CARDS = 10

/**
 * Compares the files with the store.
 *
 * A file's deck is the row of its slug, or else the imported row of an alias. A card is the row of its identity (deck,
 * key), or else the first of those under an alias of the card or of the deck. Whatever else is found under an alias is a
 * predecessor: the alias has come late, when the card was new already.
 */
export function planImport(content: Content, digests: Digests, stored: StoredContent): ImportPlan {
  const plan = emptyPlan()
  const identities = new Map<number, Map<string, StoredCard>>()
  for (const card of stored.cards) {
    const cards = identities.get(card.identity_deck_id) ?? new Map<string, StoredCard>()
    identities.set(card.identity_deck_id, cards.set(card.key, card))
    if (card.is_live) plan.liveCards++
  }
  const described = new Set<StoredCard>()
  const aliased = planDecks(plan, content.decks, stored.decks)
  for (const deck of content.decks) {
    planCards(plan, deck, aliased.get(deck) ?? [], identities, described, digests)
  }
  const archived = stored.cards.filter((card) => card.is_live && !described.has(card))
  plan.archivedCards = archived.map(({ id }) => id)
  plan.cards.archived = archived.length
  planSheets(plan, content.sheets, stored.sheets, digests)
  const successors = new Set(plan.successions.map(({ from }) => from))
  plan.warnings = warnOfLostProgress(
    plan,
    archived.filter(({ id }) => !successors.has(id)),
    stored.decks,
    digests,
  )
  return plan
}

/** Whether the plan takes away more than half of the live cards, as a missing folder would. */
export function archivesMostCards({ liveCards, archivedCards }: ImportPlan): boolean {
  return liveCards >= FEW_CARDS && archivedCards.length * 2 > liveCards
}

function emptyPlan(): ImportPlan {
  return {
    newDecks: [],
    changedDecks: [],
    deckIds: new Map(),
    adoptedDecks: [],
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
    decks: noChanges(),
    cards: noChanges(),
    cheatsheets: noChanges(),
    warnings: [],
  }
}

function noChanges(): Changes {
  return { created: 0, updated: 0, unchanged: 0, archived: 0 }
}

/** Returns the ids of other imported decks whose slugs a deck has as aliases. */
function planDecks(plan: ImportPlan, decks: readonly DeckSource[], stored: readonly StoredDeck[]) {
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
    if (row === undefined) {
      plan.newDecks.push(deck)
      plan.decks.created++
      continue
    }
    kept.add(row)
    plan.deckIds.set(deck, row.id)
    if (!row.is_imported) plan.adoptedDecks.push(row.id)
    if (isSameDeck(row, deck)) plan.decks.unchanged++
    else {
      plan.changedDecks.push({ id: row.id, deck })
      plan.decks.updated++
    }
  }
  plan.archivedDecks = stored.filter((row) => row.is_imported && row.is_live && !kept.has(row)).map(({ id }) => id)
  plan.decks.archived = plan.archivedDecks.length
  return aliased
}

function isSameDeck(row: StoredDeck, deck: DeckSource): boolean {
  return (
    row.is_live &&
    row.slug === deck.slug &&
    row.name === deck.name &&
    row.description === deck.description &&
    row.sort_order === deck.sort_order
  )
}

function planCards(
  plan: ImportPlan,
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
    for (const { id } of predecessors) plan.successions.push({ from: id, to: row.id })
    const { question, rest } = digests.cards.get(card) as CardDigests
    const moves = !row.is_live || row.deck_id !== deckId
    const isChanged =
      moves || row.sort_order !== placed.sort_order || row.question_digest !== question || row.rest_digest !== rest
    if (isChanged) plan.changedCards.push({ ...placed, id: row.id, moves })
    if (isChanged || isRenamed || predecessors.length > 0) plan.cards.updated++
    else plan.cards.unchanged++
  }
}

function planSheets(
  plan: ImportPlan,
  sheets: readonly SheetSource[],
  stored: readonly StoredSheet[],
  digests: Digests,
): void {
  const bySlug = new Map(stored.map((row) => [row.slug, row]))
  const kept = new Set<StoredSheet>()
  for (const sheet of sheets) {
    const row = bySlug.get(sheet.slug)
    if (row === undefined) {
      plan.newSheets.push(sheet)
      plan.cheatsheets.created++
      continue
    }
    kept.add(row)
    if (!row.is_imported) plan.adoptedSheets.push(row.id)
    if (row.is_live && row.digest === digests.sheets.get(sheet)) plan.cheatsheets.unchanged++
    else {
      plan.changedSheets.push({ id: row.id, sheet })
      plan.cheatsheets.updated++
    }
  }
  plan.archivedSheets = stored.filter((row) => row.is_imported && row.is_live && !kept.has(row)).map(({ id }) => id)
  plan.cheatsheets.archived = plan.archivedSheets.length
}

/**
 * New cards that may be archived ones under another name: of the same question, or of the same id in another deck. For
 * a deck that comes while another goes, one warning stands for all of its cards.
 */
function warnOfLostProgress(
  plan: ImportPlan,
  archived: readonly StoredCard[],
  decks: readonly StoredDeck[],
  digests: Digests,
): Warning[] {
  if (archived.length === 0 || plan.newCards.length === 0) return []
  const byQuestion = new Map(archived.map((row) => [row.question_digest, row]))
  const byKey = new Map(archived.map((row) => [row.key, row]))
  const slugs = new Map(decks.map(({ id, slug }) => [id, slug]))
  const goingDecks = new Set(plan.archivedDecks)
  const comingDecks = new Set(plan.newDecks)
  const whole = new Map<DeckSource, Map<number, number>>()
  const warnings: Warning[] = []
  for (const { deck, card } of plan.newCards) {
    const twin = byQuestion.get(digests.cards.get(card)?.question ?? '')
    const namesake = twin ?? byKey.get(card.key)
    if (namesake === undefined) continue
    const from = namesake.identity_deck_id
    if (comingDecks.has(deck) && goingDecks.has(from)) {
      const counts = whole.get(deck) ?? new Map<number, number>()
      whole.set(deck, counts.set(from, (counts.get(from) ?? 0) + 1))
      continue
    }
    const same = twin === undefined ? 'derselben id' : 'derselben Frage'
    const isHere = plan.deckIds.get(deck) === from
    const place = isHere ? `„${namesake.key}“` : `„${namesake.key}“ aus dem Deck „${slugs.get(from)}“`
    const advice = isHere ? `; mit aliases: [${namesake.key}] bleibt er erhalten` : ''
    const message = `Die Karte „${card.key}“ ist neu, die Karte ${place} mit ${same} wird archiviert: der Lernfortschritt beginnt von vorn${advice}`
    warnings.push({ file: deck.file, line: card.line, message })
  }
  for (const [deck, counts] of whole) {
    for (const [id, number] of counts) {
      const slug = slugs.get(id)
      const message = `Das Deck „${deck.slug}“ ist neu, das Deck „${slug}“ mit gleichen Karten (${number}) wird archiviert: der Lernfortschritt beginnt von vorn; mit aliases: [${slug}] im Front Matter bleibt er erhalten`
      warnings.push({ file: deck.file, line: 1, message })
    }
  }
  return warnings
}
