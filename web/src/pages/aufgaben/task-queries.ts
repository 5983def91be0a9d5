import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'
import { fetchOrCached, type Marked } from '../../api/offline.js'
import type { ResponseBody } from '../../api/types.js'

type CertificatePage = ResponseBody<'/api/proofs/mine'>
export type Certificate = CertificatePage['proofs'][number]

/**
 * Queries of the learner's tasks. Their keys start with `REVIEW_KEY`, so that the queries are refetched after a rating,
 * which may complete a task.
 */
export const taskQueries = {
  /** Always refetched, because a part may have been completed a moment ago, and each minute for new tasks */
  tasks: () =>
    queryOptions({
      queryKey: ['review', 'tasks'],
      queryFn: (context) => fetchOrCached(context, 'tasks', () => api.get('/api/assignments/mine')),
      staleTime: 0,
      refetchInterval: 60_000,
    }),
  certificates: () =>
    infiniteQueryOptions({
      queryKey: ['review', 'tasks', 'proofs'],
      queryFn: (context): Promise<Marked<CertificatePage>> => {
        const request = () => api.get('/api/proofs/mine', { query: { before: context.pageParam } })
        return context.pageParam === undefined ? fetchOrCached(context, 'proofs', request) : request()
      },
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
}
