import type { Component } from 'svelte'
import { queryClient } from '../../api/query-client.js'
import { taskQueries } from './task-queries.js'
import TasksToday from './tasks-today.svelte'

/** Loads the open tasks, or the reason why there are none, so that the rows appear with the rest of „Heute“. */
export default async function loadTasks(): Promise<Component> {
  await queryClient.prefetchQuery({ ...taskQueries.tasks(), retry: false })
  return TasksToday
}
