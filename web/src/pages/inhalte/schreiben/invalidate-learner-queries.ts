import type { QueryClient } from '@tanstack/svelte-query'

/** Marks all queries as stale, except those of the cards that authors edit. Does not load the queries again. */
export function invalidateLearnerQueries(client: QueryClient): void {
  const isEditedCard = ([group, kind]: readonly unknown[]) => group === 'author' && kind === 'card'
  void client.invalidateQueries({ refetchType: 'none', predicate: ({ queryKey }) => !isEditedCard(queryKey) })
}
