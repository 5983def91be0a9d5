import type { QueryClient } from '@tanstack/svelte-query'
import type { Answer } from '../../api/client.js'
import { sentenceOf } from '../../api/faults.js'
import { say } from '../../parts/toasts.svelte.js'
import { countOf } from '../../words/numbers.js'
import { ask } from './content-api.js'

/** The cards of a bulk change */
export type Chosen = { ids: number[] } | { filter: object }

export type BulkAnswer = Answer<'/api/content/cards/bulk', 'post'>

const PATH = '/api/content/cards/bulk'

/**
 * Returns the effects of a bulk change without making it.
 * @throws Fault if the request fails
 */
export function checkMany(chosen: Chosen, change: object): Promise<BulkAnswer> {
  return ask('POST', PATH, {}, { ...chosen, change, check: true })
}

/**
 * Changes many cards at once and offers to undo the whole change.
 * @throws Fault if the request fails
 */
export async function changeMany(client: QueryClient, chosen: Chosen, change: object): Promise<void> {
  const { changed, change_id } = await ask<BulkAnswer>('POST', PATH, {}, { ...chosen, change })
  const undo = () => void undoMany(client, change_id as number)
  say(`${countOf(changed, 'Karte', 'Karten')} geändert.`, {
    ...(changed > 0 && change_id !== null && { action: { label: 'Zurücknehmen', onclick: undo } }),
  })
  await client.invalidateQueries()
}

export async function undoMany(client: QueryClient, change_id: number | string): Promise<void> {
  try {
    const path = '/api/content/changes/{id}/undo'
    const { undone, skipped } = await ask<{ undone: number; skipped: number[] }>('POST', path, { id: change_id })
    const left =
      skipped.length === 0
        ? ''
        : ` ${countOf(skipped.length, 'Karte wurde', 'Karten wurden')} seither geändert und ${skipped.length === 1 ? 'bleibt' : 'bleiben'}: ${skipped.slice(0, 5).join(', ')}${skipped.length > 5 ? ' …' : ''}`
    say(`${countOf(undone, 'Karte', 'Karten')} zurückgenommen.${left}`)
  } catch (error) {
    say(sentenceOf(error), { tone: 'bad' })
  }
  await client.invalidateQueries()
}
