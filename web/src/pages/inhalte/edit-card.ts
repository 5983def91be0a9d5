import { account } from '../../account/account.svelte.js'
import { sentenceOf } from '../../api/faults.js'
import { queryClient } from '../../api/query-client.js'
import { say } from '../../parts/toasts.svelte.js'
import { go, place } from '../../platform/router.svelte.js'
import { contentQueries } from './content-queries.js'

/** Opens the editor of a card if the user may edit its deck. The editor links back to the current page. */
export async function editCard(id: number, deck: string): Promise<void> {
  const back = place.path
  try {
    const isOwn =
      account.user?.is_admin === true ||
      (await queryClient.fetchQuery(contentQueries.decks())).decks.some(({ slug }) => slug === deck)
    if (isOwn) await go(`inhalte/karten/${id}?zurueck=${encodeURIComponent(back)}`)
    else say('Diese Karte gehört zu einer Quelle, an der du nicht schreibst.')
  } catch (error) {
    say(sentenceOf(error), { tone: 'bad' })
  }
}
