import { queryClient } from '../../api/query-client.js'
import ConfirmSheet from './confirm-sheet.svelte'
import TaskNotice from './task-notice.svelte'
import { taskQueries } from './task-queries.js'

/**
 * Loads the tasks first, so that the notice appears together with the rest of a sheet or deck. If loading fails, the
 * notice is missing.
 */
export default async function loadOfTask() {
  await queryClient.ensureQueryData({ ...taskQueries.tasks(), retry: false }).catch(() => undefined)
  return { ConfirmSheet, TaskNotice }
}
