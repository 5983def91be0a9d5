import type { QueryClient } from '@tanstack/svelte-query'
import type { Answer } from '../../api/client.js'
import { sentenceOf } from '../../api/faults.js'
import { showToast } from '../../parts/toasts.svelte.js'
import { countOf } from '../../words/numbers.js'
import { request } from './content-api.js'

export type Chosen = { ids: number[] } | { filter: object }

export type BulkAnswer = Answer<'/api/content/cards/bulk', 'post'>

const PATH = '/api/content/cards/bulk'

/**
 * Returns the effects of a bulk change without making it.
 * @throws Fault if the request fails
 */
export function checkMany(chosen: Chosen, change: object): Promise<BulkAnswer> {
  return request('POST', PATH, {}, { ...chosen, change, check: true })
}

/**
 * Changes many cards at once and offers to undo the whole change.
 * @throws Fault if the request fails
 */
export async function changeMany(client: QueryClient, chosen: Chosen, change: object): Promise<void> {
  const { changed, change_id } = await request<BulkAnswer>('POST', PATH, {}, { ...chosen, change })
  const undo = () => void undoMany(client, change_id as number)
  showToast(`${countOf(changed, 'Karte', 'Karten')} geändert.`, {
    ...(changed > 0 && change_id !== null && { action: { label: 'Zurücknehmen', onclick: undo } }),
  })
  await client.invalidateQueries()
}

export async function undoMany(client: QueryClient, change_id: number | string): Promise<void> {
  try {
    const path = '/api/content/changes/{id}/undo'
    const { undone, skipped } = await request<{ undone: number; skipped: number[] }>('POST', path, { id: change_id })
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
