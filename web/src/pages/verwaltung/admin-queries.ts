import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'
import type { Query, ResponseBody } from '../../api/types.js'

export type AccountList = ResponseBody<'/api/accounts'>
export type Account = AccountList['users'][number]
export type AuditEntry = ResponseBody<'/api/accounts/audit'>['entries'][number]
export type Sessions = ResponseBody<'/api/accounts/{id}/sessions'>
export type Tokens = ResponseBody<'/api/accounts/{id}/tokens'>
export type SetupStep = ResponseBody<'/api/setup'>['steps'][number]['id']
export type Outbox = ResponseBody<'/api/mail/outbox'>
export type Mail = Outbox['mails'][number]
export type NewAccount = ResponseBody<'/api/accounts/bulk', 'post'>['users'][number]

export type AccountFilter = Query<'/api/accounts', 'get'>

const PAGE = 50

/** Queries of administrators, in a separate module so that learners do not load them */
export const adminQueries = {
  setup: () => queryOptions({ queryKey: ['admin', 'setup'], queryFn: () => api.get('/api/setup') }),
  service: () => queryOptions({ queryKey: ['admin', 'service'], queryFn: () => api.get('/api/accounts/service') }),
  privacy: () => queryOptions({ queryKey: ['admin', 'privacy'], queryFn: () => api.get('/api/accounts/privacy') }),
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
  mails: (state: Query<'/api/mail/outbox', 'get'>['state']) =>
    infiniteQueryOptions({
      queryKey: ['admin', 'mails', state],
      queryFn: ({ pageParam }) => api.get('/api/mail/outbox', { query: { state, limit: PAGE, before: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ next_before }) => next_before ?? undefined,
      placeholderData: keepPreviousData,
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

const ACCOUNT_KEYS = [
  ['admin', 'accounts'],
  ['admin', 'account'],
  ['admin', 'service'],
  ['admin', 'audit'],
] as const

export async function refreshAccounts(client: QueryClient): Promise<void> {
  await Promise.all(ACCOUNT_KEYS.map((queryKey) => client.invalidateQueries({ queryKey })))
}
