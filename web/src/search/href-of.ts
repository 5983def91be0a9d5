import type { SearchHit } from '../api/types.js'

/**
 * Returns the address of a hit, relative to the base.
 * @example hrefOf({ kind: 'deck', slug: 'git', card_id: null }) // 'decks/git'
 */
export function hrefOf({ kind, slug, card_id }: Pick<SearchHit, 'kind' | 'slug' | 'card_id'>): string {
  if (kind === 'card') return `karten/${card_id}`
  return `${kind === 'deck' ? 'decks' : 'spickzettel'}/${encodeURIComponent(slug ?? '')}`
}
