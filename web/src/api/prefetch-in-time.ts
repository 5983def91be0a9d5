import type { FetchQueryOptions, QueryKey } from '@tanstack/svelte-query'
import { isLate } from './late-response.js'
import { queryClient } from './query-client.js'

/**
 * Loads a part of a page before it is shown, so that it appears together with the rest, unless the response is late. If
 * loading fails, the part shows the error itself.
 */
export async function prefetchInTime<T, K extends QueryKey>(query: FetchQueryOptions<T, Error, T, K>): Promise<void> {
  await isLate(queryClient.prefetchQuery({ ...query, retry: false }))
}
