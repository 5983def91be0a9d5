import type { QueryClient } from '@tanstack/svelte-query'
import { api } from '../../api/client.js'
import { sentenceOf } from '../../api/faults.js'
import type { Body, ResponseBody } from '../../api/types.js'
import { showToast } from '../../parts/toasts.svelte.js'
import { countOf } from '../../words/numbers.js'

export type BulkChangeResponse = ResponseBody<'/api/content/cards/bulk', 'post'>

type Bulk = Body<'/api/content/cards/bulk', 'post'>
export type BulkChange = Bulk['change']
export type Chosen = Pick<Bulk, 'ids' | 'filter'>

/**
 * Returns the effects of a bulk change without making it.
 * @throws Fault if the request fails
 */
export function checkMany(chosen: Chosen, change: BulkChange): Promise<BulkChangeResponse> {
  return api.post('/api/content/cards/bulk', { body: { ...chosen, change, check: true } })
}

/**
 * Changes many cards at once and offers to undo the whole change.
 * @throws Fault if the request fails
 */
export async function changeMany(client: QueryClient, chosen: Chosen, change: BulkChange): Promise<void> {
  const { changed, change_id } = await api.post('/api/content/cards/bulk', { body: { ...chosen, change } })
  const text = `${countOf(changed, 'Karte', 'Karten')} geändert.`
  if (changed === 0 || change_id === null) showToast(text)
  else showToast(text, { action: { label: 'Zurücknehmen', onclick: () => void undoMany(client, change_id) } })
  await client.invalidateQueries()
}

export async function undoMany(client: QueryClient, change_id: number | string): Promise<void> {
  try {
    const { undone, skipped } = await api.post('/api/content/changes/{change_id}/undo', { path: { change_id } })
    const skippedText =
      skipped.length === 0
        ? ''
        : ` ${countOf(skipped.length, 'Karte wurde', 'Karten wurden')} seither geändert und ${skipped.length === 1 ? 'bleibt' : 'bleiben'}: ${skipped.slice(0, 5).join(', ')}${skipped.length > 5 ? ' …' : ''}`
    showToast(`${countOf(undone, 'Karte', 'Karten')} zurückgenommen.${skippedText}`)
  } catch (error) {
    showToast(sentenceOf(error), { tone: 'bad' })
  }
  await client.invalidateQueries()
}
