import { QueryClient } from '@tanstack/svelte-query'
import { Fault, Refused } from './faults.js'

const RETRIES = 2
/** Longest `Retry-After` that is waited for; after a longer one the error is shown with a button to retry. */
const LONGEST_WAIT_MS = 10_000

const askedWait = (error: unknown) => (error instanceof Refused ? (error.retryAfter ?? 0) * 1000 : 0)

/** Query defaults: only errors that may pass are retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The browser's online state is unreliable; the request itself decides.
      networkMode: 'always',
      // Off by default with `networkMode: 'always'`
      refetchOnReconnect: true,
      staleTime: 20_000,
      retry: (failures, error) =>
        failures < RETRIES && error instanceof Fault && error.isPassing && askedWait(error) <= LONGEST_WAIT_MS,
      retryDelay: (failures, error) => askedWait(error) || 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
})
