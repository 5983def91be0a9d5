import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import type { Query } from '../../../api/types.js'

type Search = Query<'/api/proofs', 'get'>
export type CertificateState = NonNullable<Search['state']>
export type EndingFilter = Query<'/api/proofs/expiring', 'get'>

const PAGE = 50

/** Queries of those who may see the proofs of others */
export const evidenceQueries = {
  search: (filter: Search) =>
    infiniteQueryOptions({
      queryKey: ['evidence', 'search', { ...filter }],
      queryFn: ({ pageParam }) => api.get('/api/proofs', { query: { ...filter, limit: PAGE, after: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_after }) => next_after ?? undefined,
      placeholderData: keepPreviousData,
    }),
  choices: () => queryOptions({ queryKey: ['evidence', 'choices'], queryFn: () => api.get('/api/proofs/choices') }),
  ending: (filter: EndingFilter) =>
    queryOptions({
      queryKey: ['evidence', 'ending', { ...filter }],
      queryFn: () => api.get('/api/proofs/expiring', { query: { ...filter } }),
      placeholderData: keepPreviousData,
    }),
}
