import { queryOptions } from '@tanstack/svelte-query'
import { api } from '../api/client.js'

/** Milliseconds after which a search is repeated if its result is incomplete because the index is being built */
const INDEXING_MS = 1_500

export const searchQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: ['search', q, limit],
    queryFn: ({ signal }) => api.get('/api/search', { query: { q, limit }, signal }),
    refetchInterval: ({ state }) =>
      state.status === 'success' && state.data?.complete === false ? INDEXING_MS : false,
  })
