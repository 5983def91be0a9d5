import { isLate } from '../../api/late-response.js'
import { queryClient } from '../../api/query-client.js'
import ConfirmSheet from './confirm-sheet.svelte'
import TaskNotice from './task-notice.svelte'
import { taskQueries } from './task-queries.js'

/**
 * Loads the tasks first, so that the notice appears together with the rest of a sheet or deck, unless the response is
 * late. If loading fails, the notice is missing.
 */
export default async function loadOfTask() {
  await isLate(queryClient.prefetchQuery({ ...taskQueries.tasks(), retry: false }))
  return { ConfirmSheet, TaskNotice }
}
