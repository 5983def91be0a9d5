import { QueryClient } from '@tanstack/svelte-query'
import { Fault, Refused } from './faults.js'

const RETRIES = 2
const LONGEST_WAIT_MS = 10_000

/** What is asked of the service again and when. Only what may pass by itself is tried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The browser's idea of being online is a guess: the request itself decides.
      networkMode: 'always',
      staleTime: 20_000,
      retry: (failures, error) => failures < RETRIES && error instanceof Fault && error.isPassing,
      retryDelay: (failures, error) => {
        const asked = error instanceof Refused && error.retryAfter ? error.retryAfter * 1000 : 500 * 2 ** failures
        return Math.min(asked, LONGEST_WAIT_MS)
      },
    },
    mutations: { networkMode: 'always' },
  },
})
