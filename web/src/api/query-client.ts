import { QueryClient } from '@tanstack/svelte-query'
import { Fault, Refused } from './faults.js'

const RETRIES = 2
/** Who has to wait longer is told so, and asks again by a button. */
const LONGEST_WAIT_MS = 10_000

const askedWait = (error: unknown) => (error instanceof Refused ? (error.retryAfter ?? 0) * 1000 : 0)

/** What is asked of the service again and when. Only what may pass by itself is tried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The browser's idea of being online is a guess: the request itself decides.
      networkMode: 'always',
      staleTime: 20_000,
      retry: (failures, error) =>
        failures < RETRIES && error instanceof Fault && error.isPassing && askedWait(error) <= LONGEST_WAIT_MS,
      retryDelay: (failures, error) => askedWait(error) || 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
})
