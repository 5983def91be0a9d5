import { QueryClient } from '@tanstack/svelte-query'
import { Fault, Refused } from './faults.js'

const RETRIES = 2
/**
 * Longest `Retry-After`, in milliseconds, after which a query is retried automatically. If the service requests a
 * longer wait, the error is shown with a button to retry.
 */
const LONGEST_WAIT_MS = 10_000

const requestedDelay = (error: unknown) => (error instanceof Refused ? (error.retryAfter ?? 0) * 1000 : 0)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Requests are sent even if the browser reports that it is offline, because its online state is unreliable.
      networkMode: 'always',
      // The default is false with `networkMode: 'always'`.
      refetchOnReconnect: true,
      staleTime: 20_000,
      retry: (failures, error) =>
        failures < RETRIES && error instanceof Fault && error.isPassing && requestedDelay(error) <= LONGEST_WAIT_MS,
      retryDelay: (failures, error) => requestedDelay(error) || 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
})
