import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/svelte-query'
import { account } from '../../account/account.svelte.js'
import { api } from '../../api/client.js'
import type { Body, ResponseBody } from '../../api/types.js'

export type ListedAssignment = ResponseBody<'/api/assignments'>['assignments'][number]
export type AssignmentDetail = ResponseBody<'/api/assignments/{id}'>['assignment']
export type Template = ResponseBody<'/api/assignments/templates'>['templates'][number]
export type AssignedPart = ListedAssignment['parts'][number]
type OccurrencePage = ResponseBody<'/api/assignments/{id}/occurrences'>
export type Occurrence = OccurrencePage['occurrences'][number]
export type Counts = NonNullable<OccurrencePage['counts']>

export interface PersonFilter {
  state?: string
  overdue?: boolean
  due_this_week?: boolean
  missing?: AssignedPart['kind']
  q?: string
}

const PERSON_BATCH_SIZE = 100

/** Prefix of the keys of `assignQueries` */
export const KEY = ['overseer', 'assignments'] as const

export const assignQueries = {
  list: () =>
    infiniteQueryOptions({
      queryKey: [...KEY, 'list'],
      queryFn: ({ pageParam }) => api.get('/api/assignments', { query: { before: pageParam, limit: 50 } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_before }) => next_before ?? undefined,
    }),
  one: (id: string) =>
    queryOptions({ queryKey: [...KEY, id], queryFn: () => api.get('/api/assignments/{id}', { path: { id } }) }),
  /** Refetched every five minutes, because „Heute“ may stay open */
  urgent: () =>
    queryOptions({
      queryKey: [...KEY, 'urgent'],
      queryFn: () => api.get('/api/assignments/urgent'),
      refetchInterval: 300_000,
    }),
  /** Number of persons in an audience today, with the first names */
  reach: (audience: Body<'/api/assignments/reach', 'post'>['audience']) =>
    queryOptions({
      queryKey: [...KEY, 'reach', audience],
      queryFn: () => api.post('/api/assignments/reach', { body: { audience } }),
      staleTime: 0,
    }),
  /** Templates in the content folder, for administrators */
  templates: () =>
    queryOptions({ queryKey: [...KEY, 'templates'], queryFn: () => api.get('/api/assignments/templates') }),
  persons: (id: string, filter: PersonFilter) =>
    infiniteQueryOptions({
      queryKey: [...KEY, id, 'persons', { ...filter }],
      queryFn: ({ pageParam, signal }) =>
        api.get('/api/assignments/{id}/occurrences', {
          path: { id },
          signal,
          query: { ...filter, after: pageParam, limit: PERSON_BATCH_SIZE },
        }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_after }) => next_after ?? undefined,
      placeholderData: keepPreviousData,
    }),
}

/** Reloads the queries of `assignQueries` that are in use, and resolves when they are loaded. */
export function refreshAssignments(client: QueryClient): Promise<void> {
  void client.invalidateQueries({ queryKey: ['admin', 'audit'] })
  return client.invalidateQueries({ queryKey: KEY })
}

export function mayAssign(): boolean {
  const { user } = account
  return user?.is_admin === true || (user?.roles?.author === true && user.roles.lead)
}

/** Returns whether the user may search and print the proofs of an assignment. */
export function seesProofsOf({ rights }: Pick<AssignmentDetail, 'rights'>): boolean {
  const { user } = account
  return rights.decide || user?.is_admin === true || user?.roles?.auditor === true
}
