import { queryOptions } from '@tanstack/svelte-query'
import { api } from './client.js'

/** What pages ask for, each under one key, so that what changes it can name it: `queryClient.invalidateQueries(keys…)`. */
export const queries = {
  /** How much is left today, in all decks that were chosen. */
  counts: () =>
    queryOptions({
      queryKey: ['review', 'counts'],
      queryFn: () => api.get('/api/review/queue', { query: { limit: 1 } }),
    }),
  stats: (days: number) =>
    queryOptions({
      queryKey: ['review', 'stats', days],
      queryFn: () => api.get('/api/review/stats', { query: { days } }),
    }),
  settings: () => queryOptions({ queryKey: ['review', 'settings'], queryFn: () => api.get('/api/review/settings') }),
  sessions: () =>
    queryOptions({ queryKey: ['account', 'sessions'], queryFn: () => api.get('/api/accounts/me/sessions') }),
  tokens: () => queryOptions({ queryKey: ['account', 'tokens'], queryFn: () => api.get('/api/auth/tokens') }),
  deckChoice: () => queryOptions({ queryKey: ['review', 'decks'], queryFn: () => api.get('/api/review/decks') }),
}

/** Everything that a rating changes. */
export const REVIEW_KEY = ['review'] as const
