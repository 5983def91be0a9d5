import { prefetchInTime } from '../../api/prefetch-in-time.js'
import ConfirmSheet from './confirm-sheet.svelte'
import TaskNotice from './task-notice.svelte'
import { taskQueries } from './task-queries.js'

/**
 * Loads the tasks first, so that the notice appears together with the rest of a sheet or deck, unless the response is
 * late. If loading fails, the notice is missing.
 */
export default async function loadOfTask() {
  await prefetchInTime(taskQueries.tasks())
  return { ConfirmSheet, TaskNotice }
}
