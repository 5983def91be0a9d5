import type { Component } from 'svelte'
import { prefetchInTime } from '../../api/prefetch-in-time.js'
import { taskQueries } from './task-queries.js'
import TasksToday from './tasks-today.svelte'

/**
 * Loads the tasks first, so that their rows appear together with the rest of „Heute“, unless the response is
 * late. If loading fails, the returned component shows the error.
 */
export default async function loadTasks(): Promise<Component> {
  await prefetchInTime(taskQueries.tasks())
  return TasksToday
}
