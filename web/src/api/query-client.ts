import { QueryClient } from '@tanstack/svelte-query'
import { Fault, Refused } from './faults.js'

const RETRIES = 2
/**
 * Longest `Retry-After` after which a query is retried automatically, in milliseconds. If the service requests more,
 * the error is shown with a button to retry.
 */
const LONGEST_WAIT_MS = 10_000

const askedWait = (error: unknown) => (error instanceof Refused ? (error.retryAfter ?? 0) * 1000 : 0)

/** Query client of the app. Queries are retried only after errors that may pass. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Requests are sent even if the browser reports that it is offline, because its online state is unreliable.
      networkMode: 'always',
      // With `networkMode: 'always'`, the default is false.
      refetchOnReconnect: true,
      staleTime: 20_000,
      retry: (failures, error) =>
        failures < RETRIES && error instanceof Fault && error.isPassing && askedWait(error) <= LONGEST_WAIT_MS,
      retryDelay: (failures, error) => askedWait(error) || 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
})
