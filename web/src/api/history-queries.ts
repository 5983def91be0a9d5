import { infiniteQueryOptions, type QueryFunctionContext, type QueryKey } from '@tanstack/svelte-query'
import { type Answer, api } from './client.js'
import { fetchOrCached, type Marked } from './offline.js'

/** Pages of the log of reviews, newest first */
export const historyQueries = {
  history: () =>
    infiniteQueryOptions({
      queryKey: ['review', 'history'],
      queryFn: (asking) => askForHistory(asking, 'history', {}),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
  cardHistory: (card: number) =>
    infiniteQueryOptions({
      queryKey: ['review', 'history', 'card', card],
      queryFn: (asking) => askForHistory(asking, `card ${card} history`, { card, limit: 20 }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
}

type HistoryPage = QueryFunctionContext<QueryKey, number | undefined>

/**
 * Requests a page of the history. Only the newest page is cached, because the cursors of older pages change with every
 * rating.
 */
function askForHistory(
  asking: HistoryPage,
  name: string,
  query: { card?: number; limit?: number },
): Promise<Marked<Answer<'/api/review/history'>>> {
  const ask = () => api.get('/api/review/history', { query: { ...query, before: asking.pageParam } })
  return asking.pageParam === undefined ? fetchOrCached(asking, name, ask) : ask()
}
