import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/svelte-query'
import { api } from '../../../api/client.js'
import type { ResponseBody } from '../../../api/types.js'

export type Webhook = ResponseBody<'/api/webhooks'>['webhooks'][number]
export type Delivery = ResponseBody<'/api/webhooks/{id}/deliveries'>['deliveries'][number]
export type Sent = ResponseBody<'/api/webhooks/{id}/test', 'post'>

const PAGE = 50
/** Interval of looking for deliveries, which happen without the user */
const REFRESH_MS = 10_000

export const webhookQueries = {
  list: () =>
    queryOptions({
      queryKey: ['admin', 'webhooks'],
      queryFn: () => api.get('/api/webhooks'),
      refetchInterval: REFRESH_MS,
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ['admin', 'webhooks', id],
      queryFn: () => api.get('/api/webhooks/{id}', { path: { id } }),
      refetchInterval: REFRESH_MS,
    }),
  deliveries: (id: string) =>
    infiniteQueryOptions({
      queryKey: ['admin', 'webhooks', id, 'deliveries'],
      queryFn: ({ pageParam }) =>
        api.get('/api/webhooks/{id}/deliveries', { path: { id }, query: { limit: PAGE, after: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_after }) => next_after ?? undefined,
      refetchInterval: REFRESH_MS,
    }),
}

export async function refreshWebhooks(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: ['admin', 'webhooks'] })
}
