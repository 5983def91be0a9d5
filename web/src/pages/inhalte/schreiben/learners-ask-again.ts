import type { QueryClient } from '@tanstack/svelte-query'

/** Marks everything but the open lists as outdated. */
export function learnersAskAgain(client: QueryClient): void {
  void client.invalidateQueries({ refetchType: 'none', predicate: ({ queryKey }) => queryKey[1] !== 'card' })
}
