import type { CardDigests, Digests, ImportPlan, StoredCard } from './import-plan.js'
import type { DeckSource } from './types.js'

/** What becomes of the cards of a file; those that it describes are added to `described`. */
export function planCards(
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
