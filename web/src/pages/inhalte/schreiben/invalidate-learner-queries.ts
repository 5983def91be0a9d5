import type { QueryClient } from '@tanstack/svelte-query'

/** Marks all queries except those of the cards that authors edit as stale, without loading them again. */
export function invalidateLearnerQueries(client: QueryClient): void {
  const isEditedCard = ([group, kind]: readonly unknown[]) => group === 'author' && kind === 'card'
  void client.invalidateQueries({ refetchType: 'none', predicate: ({ queryKey }) => !isEditedCard(queryKey) })
}
