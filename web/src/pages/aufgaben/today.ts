import type { Component } from 'svelte'
import { isLate } from '../../api/late-response.js'
import { queryClient } from '../../api/query-client.js'
import { taskQueries } from './task-queries.js'
import TasksToday from './tasks-today.svelte'

/**
 * Loads the tasks first, so that their rows appear together with the rest of „Heute“, unless the response is
 * late. If loading fails, the returned component shows the error.
 */
export default async function loadTasks(): Promise<Component> {
  await isLate(queryClient.prefetchQuery({ ...taskQueries.tasks(), retry: false }))
  return TasksToday
}
