import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'
import { fetchOrCached } from '../../api/offline.js'

export const testQueries = {
  tests: () =>
    queryOptions({
      queryKey: ['tests'],
      queryFn: (context) => fetchOrCached(context, 'tests', () => api.get('/api/tests')),
    }),
  test: (slug: string) =>
    queryOptions({
      queryKey: ['tests', slug],
      queryFn: (context) =>
        fetchOrCached(context, `test ${slug}`, () => api.get('/api/tests/{slug}', { path: { slug } })),
    }),
  /** Pages of the user's attempts with a lower number than `before` (null: all), newest first */
  earlier: (slug: string, before: number | null) =>
    infiniteQueryOptions({
      queryKey: ['tests', slug, 'before', before],
      queryFn: ({ pageParam }) => api.get('/api/tests/{slug}', { path: { slug }, query: { after: pageParam ?? '' } }),
      initialPageParam: before,
      getNextPageParam: ({ next_after }) => next_after,
    }),
}

/** Requests about attempts; each rejects with a `Fault` if it fails. */
export const attempts = {
  begin: async (slug: string, client_id: string) =>
    (await api.post('/api/tests/{slug}/attempts', { path: { slug }, body: { client_id } })).attempt,
  read: async (id: number) => (await api.get('/api/tests/attempts/{id}', { path: { id } })).attempt,
  /** Returns a test whose list of the user's attempts contains only the one with this number. */
  withOne: async (slug: string, number: number) =>
    (await api.get('/api/tests/{slug}', { path: { slug }, query: { after: number + 1, limit: 1 } })).test,
  submit: async (id: number) => (await api.post('/api/tests/attempts/{id}/submit', { path: { id } })).attempt,
  report: (id: number, slot: number, text: string) =>
    api.post('/api/tests/attempts/{id}/reports', { path: { id }, body: { slot, text } }),
  review: async (id: number) => (await api.get('/api/tests/attempts/{id}/review', { path: { id } })).review,
}
