import type { QueryClient } from '@tanstack/svelte-query'

/** Marks all queries except those of single cards as stale, without loading them again. */
export function invalidateLearnerQueries(client: QueryClient): void {
  void client.invalidateQueries({ refetchType: 'none', predicate: ({ queryKey }) => queryKey[1] !== 'card' })
}
