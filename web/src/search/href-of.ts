import type { SearchHit } from '../api/types.js'

/** Where a hit leads to, relative to the base. */
export function hrefOf({ kind, slug, card_id }: Pick<SearchHit, 'kind' | 'slug' | 'card_id'>): string {
  if (kind === 'card') return `karten/${card_id}`
  return `${kind === 'deck' ? 'decks' : 'spickzettel'}/${encodeURIComponent(slug ?? '')}`
}
