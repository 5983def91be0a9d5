import type { InfiniteData, QueryClient } from '@tanstack/svelte-query'
import type { AuthorCard } from '../content-queries.js'

/** Returns the distinct non-empty levels of the deck's cards that are in the query cache, as suggestions. */
export function levelsIn(client: QueryClient, deck: string): string[] {
  const found = client.getQueriesData<InfiniteData<{ cards: AuthorCard[] }>>({ queryKey: ['author', 'cards', deck] })
  const cards = found.flatMap(([, data]) => data?.pages.flatMap((page) => page.cards) ?? [])
  return [...new Set(cards.map(({ level }) => level).filter((level) => level !== ''))]
}
