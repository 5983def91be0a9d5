import type { Component } from 'svelte'
import { isLate } from '../../api/late-response.js'
import { queryClient } from '../../api/query-client.js'
import { assignQueries } from './assign-api.js'
import TeamToday from './team-today.svelte'

/** Loads the numbers first, so that the card appears together with the rest of „Heute“, unless the response is late. */
export default async function loadTeam(): Promise<Component> {
  await isLate(queryClient.prefetchQuery({ ...assignQueries.urgent(), retry: false }))
  return TeamToday
}
