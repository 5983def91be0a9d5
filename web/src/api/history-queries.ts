import { infiniteQueryOptions, type QueryFunctionContext, type QueryKey } from '@tanstack/svelte-query'
import { api } from './client.js'
import { fetchOrCached, type Marked } from './offline.js'
import type { ResponseBody } from './types.js'

export const historyQueries = {
  history: () =>
    infiniteQueryOptions({
      queryKey: ['review', 'history'],
      queryFn: (context) => fetchHistory(context, 'history', {}),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
  cardHistory: (card: number) =>
    infiniteQueryOptions({
      queryKey: ['review', 'history', 'card', card],
      queryFn: (context) => fetchHistory(context, `card ${card} history`, { card, limit: 20 }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
}

type HistoryPage = QueryFunctionContext<QueryKey, number | undefined>

/**
 * Requests a page of the history. Only the newest page is cached, because the cursors of older pages change with every
 * rating.
 */
function fetchHistory(
  context: HistoryPage,
  name: string,
  query: { card?: number; limit?: number },
): Promise<Marked<ResponseBody<'/api/review/history'>>> {
  const request = () => api.get('/api/review/history', { query: { ...query, before: context.pageParam } })
  return context.pageParam === undefined ? fetchOrCached(context, name, request) : request()
}
