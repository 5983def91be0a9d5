import { type Digests, emptyPlan, type ImportPlan, type StoredCard, type StoredContent } from './import-plan.js'
import { planCards } from './plan-cards.js'
import { planDecks } from './plan-decks.js'
import { planSheets } from './plan-sheets.js'
import type { Content } from './types.js'
import { warnOfLostProgress } from './warn-of-lost-progress.js'

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
  }
  const described = new Set<StoredCard>()
  const aliased = planDecks(plan, content.decks, stored.decks)
  // A deck that a source has released is left alone until a file describes it.
  const ours = new Set(plan.deckIds.values())
  for (const { id, is_imported } of stored.decks) if (is_imported) ours.add(id)
  const live = stored.cards.filter((card) => card.is_live && ours.has(card.identity_deck_id))
  plan.liveCards = live.length
  for (const deck of content.decks) {
    planCards(plan, deck, aliased.get(deck) ?? [], identities, described, digests)
  }
  const archived = live.filter((card) => !described.has(card))
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
