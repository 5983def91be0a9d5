import { account } from '../../account/account.svelte.js'
import { sentenceOf } from '../../api/faults.js'
import { queryClient } from '../../api/query-client.js'
import { showToast } from '../../parts/toasts.svelte.js'
import { go, place } from '../../platform/router.svelte.js'
import { contentQueries } from './content-queries.js'

export async function editCard(id: number, deck: string): Promise<void> {
  const back = place.path
  try {
    const isOwn =
      account.user?.is_admin === true ||
      (await queryClient.fetchQuery(contentQueries.decks())).decks.some(({ slug }) => slug === deck)
    if (isOwn) await go(`inhalte/karten/${id}?zurueck=${encodeURIComponent(back)}`)
    else showToast('Diese Karte gehört zu einer Quelle, an der du nicht schreibst.')
  } catch (error) {
    showToast(sentenceOf(error), { tone: 'bad' })
  }
}
