import type { CardDigests, Digests } from './import-plan.js'
import {
  type CardCounts,
  MAX_EXAMPLES,
  type OwnedCard,
  type OwnedDeck,
  type StoredUpload,
  type UploadCard,
  type UploadDeck,
  type UploadPlan,
  warn,
} from './upload-plan.js'

/** What has become of the cards of an upload. */
export interface PlacedCards {
  /** Of each deck; a deck in which none has come to lie is missing. */
  counts: Map<UploadDeck, CardCounts>
  /** Rows that the upload describes. */
  described: Set<number>
  /** How many live cards leave a deck. */
  leaving: Map<number, number>
}

/** Finds the rows of the cards and adds to the plan what is to be done with them. */
export function planUploadCards(
  plan: UploadPlan,
  decks: readonly UploadDeck[],
  digests: Digests,
  stored: StoredUpload,
): PlacedCards {
  const rows = new Rows(stored)
  const placed: PlacedCards = { counts: new Map(), described: new Set(), leaving: new Map() }
  const examples = { created: [] as UploadPlan['examples'], updated: [] as UploadPlan['examples'] }
  const seen = new Map<string, UploadCard>()
  for (const [place, deck] of decks.entries()) {
    const deckId = plan.deckIds.get(deck)
    for (const [index, card] of deck.cards.entries()) {
      const here = `${place} ${card.key}`
      const twin = seen.get(here) ?? (card.isBound ? undefined : seen.get(card.key))
      if (twin !== undefined) {
        warn(plan, { ...placeOf(deck, card), message: describeTwin(twin) })
        continue
      }
      seen.set(here, card)
      if (!card.isBound) seen.set(card.key, card)
      // An id may be the key of a question: the first of the two has the row.
      const found = rows.find(card, deckId)
      const row = found && placed.described.has(found.id) ? undefined : found
      const owner = row && rows.findOther(row)
      if (owner !== undefined) {
        warn(plan, { ...placeOf(deck, card), message: describeOwner(owner) })
        continue
      }
      const counts = placed.counts.get(deck) ?? { created: 0, updated: 0, moved: 0, unchanged: 0 }
      placed.counts.set(deck, counts)
      const becomes = planCard(plan, { deck, card, sort_order: index + 1 }, row, deckId, digests)
      counts[becomes]++
      plan.cards[becomes === 'moved' ? 'updated' : becomes]++
      if (becomes === 'created') keep(examples.created, { deck, id: null, card })
      else if (becomes !== 'unchanged') keep(examples.updated, { deck, id: row?.id ?? null, card })
      if (row === undefined) continue
      placed.described.add(row.id)
      if (row.is_live && row.deck_id !== deckId) {
        placed.leaving.set(row.deck_id, (placed.leaving.get(row.deck_id) ?? 0) + 1)
      }
    }
  }
  const few = examples.updated.slice(0, MAX_EXAMPLES - Math.min(examples.created.length, MAX_EXAMPLES / 2))
  plan.examples = [...few, ...examples.created.slice(0, MAX_EXAMPLES - few.length)]
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
  const { question, rest } = digests.cards.get(card) as CardDigests
  const isMoved = row.deck_id !== deckId
  const isOther = !row.is_live || row.question_digest !== question || row.rest_digest !== rest
  // Whoever puts a card in front of others has not changed those.
  if (isMoved || isOther || row.sort_order !== sort_order) {
    plan.changedCards.push({ ...placed, id: row.id, moves: isMoved || !row.is_live })
  }
  if (isMoved) return 'moved'
  return isOther ? 'updated' : 'unchanged'
}

/** The stored cards by what they are known by. */
class Rows {
  readonly #sourceId: number | undefined
  readonly #decks: ReadonlyMap<number, OwnedDeck>
  readonly #byNote = new Map<string, OwnedCard>()
  /** Of the source: by deck and key, and by key alone. */
  readonly #bound = new Map<string, OwnedCard>()
  readonly #byKey = new Map<string, OwnedCard>()

  constructor({ sourceId, decks, cards }: StoredUpload) {
    this.#sourceId = sourceId
    this.#decks = new Map(decks.map((deck) => [deck.id, deck]))
    for (const row of cards) {
      if (row.guid !== null) this.#byNote.set(`${row.ord} ${row.guid}`, row)
      if (!this.#isOurs(row)) continue
      this.#bound.set(`${row.identity_deck_id} ${row.key}`, row)
      // Of several the live one counts.
      if (this.#byKey.get(row.key)?.is_live !== true) this.#byKey.set(row.key, row)
    }
  }

  find(card: UploadCard, deckId: number | undefined): OwnedCard | undefined {
    const noted = card.guid === null ? undefined : this.#byNote.get(`${card.ord} ${card.guid}`)
    const here = noted ?? this.#bound.get(`${deckId} ${card.key}`)
    return here ?? (card.isBound ? undefined : this.#byKey.get(card.key))
  }

  /** The deck of another that holds on to the card; undefined when it is ours, or may be. */
  findOther(row: OwnedCard): OwnedDeck | undefined {
    if (this.#isOurs(row)) return undefined
    const deck = this.#decks.get(row.identity_deck_id)
    return deck?.source_id !== null && deck?.owner_is_live === false ? undefined : deck
  }

  #isOurs({ identity_deck_id }: OwnedCard): boolean {
    return this.#sourceId !== undefined && this.#decks.get(identity_deck_id)?.source_id === this.#sourceId
  }
}

function placeOf(deck: UploadDeck, { file, line, guid, key }: UploadCard) {
  return { file: file || `${deck.name}/${guid ?? key}`, line }
}

function describeTwin({ line }: UploadCard): string {
  const place = line > 0 ? ` in Zeile ${line}` : ''
  return `Dieselbe Karte steht schon${place}, hier bleibt sie weg`
}

function describeOwner({ owner, slug, is_imported }: OwnedDeck): string {
  const deck = `zum Deck „${slug}“${is_imported ? ' des Ordners' : ''}`
  const whose = owner === null ? deck : `der Quelle „${owner}“`
  return `Die Karte gehört ${whose} und bleibt dort`
}

function keep<T>(list: T[], item: T): void {
  if (list.length < MAX_EXAMPLES) list.push(item)
}
