import type { QueryClient, QueryKey } from '@tanstack/svelte-query'

/**
 * Refetches the shown queries with this key after a change. `invalidateQueries` joins the first request of a query if it
 * is still running, and its response may predate the change, so such a query is fetched again afterwards.
 */
export async function refetchAfterChange(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const running = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })
  const joined = running.filter(({ state }) => state.data === undefined)
  await client.invalidateQueries({ queryKey })
  await Promise.all(joined.map(({ queryKey }) => client.invalidateQueries({ queryKey, exact: true })))
}
