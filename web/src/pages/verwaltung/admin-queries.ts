import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/svelte-query'
import { type Answer, api } from '../../api/client.js'

export type AccountList = Answer<'/api/accounts'>
export type Account = AccountList['users'][number]
export type AuditEntry = Answer<'/api/accounts/audit'>['entries'][number]
export type ContentState = Answer<'/api/content/state'>
export type CheckAnswer = Answer<'/api/content/check', 'post'>
export type ImportStats = Answer<'/api/admin/import', 'post'>['stats']
export type CardReport = Answer<'/api/content/reports'>['reports'][number]
export type NewAccount = Answer<'/api/accounts/bulk', 'post'>['users'][number]

/** Preview or result of an upload */
export type Upload = Answer<'/api/content/imports', 'post'>
export type Source = Answer<'/api/content/sources'>['sources'][number]

export interface AccountFilter {
  q: string
  sort: string
  order: string
  limit: number
  offset: number
}

const PAGE = 50

/** Queries of administrators, separate so that learners do not load them */
export const adminQueries = {
  service: () => queryOptions({ queryKey: ['admin', 'service'], queryFn: () => api.get('/api/accounts/service') }),
  accounts: (filter: AccountFilter) =>
    queryOptions({
      queryKey: ['admin', 'accounts', { ...filter }],
      queryFn: () => api.get('/api/accounts', { query: { ...filter } }),
      placeholderData: keepPreviousData,
    }),
  account: (id: string) =>
    queryOptions({
      queryKey: ['admin', 'account', id],
      queryFn: () => api.get('/api/accounts/{id}', { path: { id } }),
    }),
  sessionsOf: (id: string) =>
    queryOptions({
      queryKey: ['admin', 'account', id, 'sessions'],
      queryFn: () => api.get('/api/accounts/{id}/sessions', { path: { id } }),
    }),
  tokensOf: (id: string) =>
    queryOptions({
      queryKey: ['admin', 'account', id, 'tokens'],
      queryFn: () => api.get('/api/accounts/{id}/tokens', { path: { id } }),
    }),
  contentState: () => queryOptions({ queryKey: ['admin', 'content'], queryFn: () => api.get('/api/content/state') }),
  sources: () =>
    queryOptions({
      queryKey: ['admin', 'content', 'sources'],
      queryFn: () => api.get('/api/content/sources'),
    }),
  /** Number of open reports */
  openReports: () =>
    queryOptions({
      queryKey: ['admin', 'reports', 'count'],
      queryFn: () => api.get('/api/content/reports', { query: { state: 'open', limit: 1 } }),
    }),
  reports: (state: 'open' | 'settled') =>
    infiniteQueryOptions({
      queryKey: ['admin', 'reports', state],
      queryFn: ({ pageParam }) => api.get('/api/content/reports', { query: { state, limit: PAGE, before: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_before }) => next_before ?? undefined,
    }),
  audit: (filter: { action: string; actor: string }) =>
    infiniteQueryOptions({
      queryKey: ['admin', 'audit', { ...filter }],
      queryFn: ({ pageParam }) =>
        api.get('/api/accounts/audit', { query: { ...filter, limit: PAGE, before: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ entries }) => (entries.length < PAGE ? undefined : entries.at(-1)?.id),
      placeholderData: keepPreviousData,
    }),
}

/** Keys of all account lists and of the service state */
export const ACCOUNT_KEYS = [
  ['admin', 'accounts'],
  ['admin', 'account'],
  ['admin', 'service'],
  ['admin', 'audit'],
] as const
/** Key of all report lists and their number */
export const REPORTS_KEY = ['admin', 'reports'] as const
