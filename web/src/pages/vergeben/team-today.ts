import type { Component } from 'svelte'
import { prefetchInTime } from '../../api/prefetch-in-time.js'
import { assignQueries } from './assign-api.js'
import TeamToday from './team-today.svelte'

/** Loads the numbers first, so that the card appears together with the rest of „Heute“, unless the response is late. */
export default async function loadTeam(): Promise<Component> {
  await prefetchInTime(assignQueries.urgent())
  return TeamToday
}
