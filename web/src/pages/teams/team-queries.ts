import { keepPreviousData, queryOptions } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'
import { readAll } from '../../api/read-all.js'
import type { ResponseBody } from '../../api/types.js'

export type ListedTeam = ResponseBody<'/api/teams'>['teams'][number]
export type TeamOfPage = ResponseBody<'/api/teams/{id}'>['team']
export type Member = ResponseBody<'/api/teams/{id}'>['members'][number]

export type FoundPerson = ResponseBody<'/api/accounts'>['users'][number]

/** Maximum number of persons in a search result */
export const MAX_RESULTS = 8

export const teamQueries = {
  teams: () => queryOptions({ queryKey: ['teams'], queryFn: () => api.get('/api/teams') }),
  team: (id: string) => queryOptions({ queryKey: ['teams', id], queryFn: () => readTeam(id) }),
  /** Newest assignments to the team */
  assignments: (id: number) =>
    queryOptions({
      queryKey: ['teams', String(id), 'assignments'],
      queryFn: () => api.get('/api/assignments', { query: { team: id, limit: 20 } }),
    }),
  persons: (q: string) =>
    queryOptions({
      queryKey: ['admin', 'accounts', 'team', q],
      queryFn: () => api.get('/api/accounts', { query: { q, sort: 'display_name', order: 'asc', limit: MAX_RESULTS } }),
      placeholderData: keepPreviousData,
    }),
}

/** Reads all members, because the page searches them and does not offer them again. */
async function readTeam(id: string) {
  const pages = await readAll((after) => api.get('/api/teams/{id}', { path: { id }, query: { after } }))
  return { team: pages[0].team, members: pages.flatMap(({ members }) => members) }
}

export const TEAM_KEYS = [['teams'], ['admin', 'account'], ['admin', 'audit']] as const
