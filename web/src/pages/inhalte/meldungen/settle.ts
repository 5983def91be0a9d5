import { api } from '../../../api/client.js'
import { sentenceOf } from '../../../api/faults.js'
import { queryClient } from '../../../api/query-client.js'
import { showToast } from '../../../parts/toasts.svelte.js'
import { REPORTS_KEY } from '../content-queries.js'

/** Closes or reopens a report. Offers an undo, because the report disappears from the shown list. */
export async function settleReport(id: number, settled: boolean): Promise<void> {
  await api.patch('/api/content/reports/{id}', { path: { id: String(id) }, body: { settled } })
  const takeBack = () =>
    settleReport(id, !settled)
      .catch((error: unknown) => showToast(sentenceOf(error), { tone: 'bad' }))
      .finally(() => queryClient.invalidateQueries({ queryKey: REPORTS_KEY }))
  showToast(settled ? 'Die Meldung ist erledigt.' : 'Die Meldung ist wieder offen.', {
    action: { label: 'Zurücknehmen', onclick: () => void takeBack() },
  })
}
