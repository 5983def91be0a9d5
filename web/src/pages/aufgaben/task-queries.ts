import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { type Answer, api } from '../../api/client.js'
import { askOrRemember, type Marked } from '../../api/offline.js'

type ProofPage = Answer<'/api/proofs/mine'>
export type Proof = ProofPage['proofs'][number]

/** Queries of the learner's tasks, below the key of reviews, which may complete them */
export const taskQueries = {
  /** Always asked for: a part may have been done a moment ago. */
  tasks: () =>
    queryOptions({
      queryKey: ['review', 'tasks'],
      queryFn: (asking) => askOrRemember(asking, 'tasks', () => api.get('/api/assignments/mine')),
      staleTime: 0,
    }),
  /** Pages of the own proofs, newest first; only the first is kept for offline use. */
  proofs: () =>
    infiniteQueryOptions({
      queryKey: ['review', 'tasks', 'proofs'],
      queryFn: (asking): Promise<Marked<ProofPage>> => {
        const ask = () => api.get('/api/proofs/mine', { query: { before: asking.pageParam } })
        return asking.pageParam === undefined ? askOrRemember(asking, 'proofs', ask) : ask()
      },
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
}
