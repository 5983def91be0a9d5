import type { DeckSource, Warning } from '../types.js'
import type { Digests, FolderPlan, StoredCard, StoredDeck } from './types.js'

/**
 * Returns warnings for new cards that have the same question or id as a card to be archived. The two are probably the
 * same card with another id or deck. If several cards of a new deck match cards of one archived deck, returns one
 * warning for all of them.
 */
export function warnOfLostProgress(
  plan: FolderPlan,
  archived: readonly StoredCard[],
  decks: readonly StoredDeck[],
  digests: Digests,
): Warning[] {
  if (archived.length === 0 || plan.newCards.length === 0) return []
  const byQuestion = new Map(archived.map((row) => [row.question_digest, row]))
  const byKey = new Map(archived.map((row) => [row.key, row]))
  const slugs = new Map(decks.map(({ id, slug }) => [id, slug]))
  const archivedDecks = new Set(plan.archivedDecks)
  const newDecks = new Set(plan.newDecks)
  const whole = new Map<DeckSource, Map<number, number>>()
  const warnings: Warning[] = []
  for (const { deck, card } of plan.newCards) {
    const sameQuestion = byQuestion.get(digests.cards.get(card)?.question ?? '')
    const similar = sameQuestion ?? byKey.get(card.key)
    if (similar === undefined) continue
    const from = similar.identity_deck_id
    if (newDecks.has(deck) && archivedDecks.has(from)) {
      const counts = whole.get(deck) ?? new Map<number, number>()
      whole.set(deck, counts.set(from, (counts.get(from) ?? 0) + 1))
      continue
    }
    const same = sameQuestion === undefined ? 'derselben id' : 'derselben Frage'
    const isHere = plan.deckIds.get(deck) === from
    const place = isHere ? `„${similar.key}“` : `„${similar.key}“ aus dem Deck „${slugs.get(from)}“`
    const advice = isHere ? `; mit aliases: [${similar.key}] bleibt er erhalten` : ''
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
