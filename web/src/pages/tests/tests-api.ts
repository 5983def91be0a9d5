import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { send, urlOf } from '../../api/client.js'
import { fetchOrCached } from '../../api/offline.js'
import type { Attempt, Outcome, OwnTest, Review, TestSummary } from './types.js'

const HEADERS = { accept: 'application/json' }
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' }

type Params = Record<string, string | number>

async function get<T>(path: string, params?: Params, query?: Params): Promise<T> {
  return (await send('GET', urlOf(path, params, query), { headers: HEADERS })) as T
}

async function post<T>(path: string, params: Params, body: object = {}): Promise<T> {
  return (await send('POST', urlOf(path, params), { headers: JSON_HEADERS, body: JSON.stringify(body) })) as T
}

export const testQueries = {
  tests: () =>
    queryOptions({
      queryKey: ['tests'],
      queryFn: (context) => fetchOrCached(context, 'tests', () => get<{ tests: TestSummary[] }>('/api/tests')),
    }),
  test: (slug: string) =>
    queryOptions({
      queryKey: ['tests', slug],
      queryFn: (context) => fetchOrCached(context, `test ${slug}`, () => get<OwnTest>('/api/tests/{slug}', { slug })),
    }),
  /** Pages of the user's attempts with a lower number than `before` (null: all), newest first */
  earlier: (slug: string, before: number | null) =>
    infiniteQueryOptions({
      queryKey: ['tests', slug, 'before', before],
      queryFn: ({ pageParam }) => get<OwnTest>('/api/tests/{slug}', { slug }, { before: pageParam ?? '' }),
      initialPageParam: before,
      getNextPageParam: ({ next_before }) => next_before,
    }),
}

/** Requests about attempts; each rejects with a `Fault` if it fails. */
export const attempts = {
  begin: async (slug: string, client_id: string) =>
    (await post<{ attempt: Attempt }>('/api/tests/{slug}/attempts', { slug }, { client_id })).attempt,
  read: async (id: number) => (await get<{ attempt: Attempt }>('/api/tests/attempts/{id}', { id })).attempt,
  /** Returns a test whose list of the user's attempts contains only the one with this number. */
  withOne: async (slug: string, number: number) =>
    (await get<OwnTest>('/api/tests/{slug}', { slug }, { before: number + 1, limit: 1 })).test,
  submit: async (id: number) => (await post<{ attempt: Outcome }>('/api/tests/attempts/{id}/submit', { id })).attempt,
  report: (id: number, slot: number, text: string) =>
    post<unknown>('/api/tests/attempts/{id}/reports', { id }, { slot, text }),
  review: async (id: number) => (await get<{ review: Review }>('/api/tests/attempts/{id}/review', { id })).review,
}
