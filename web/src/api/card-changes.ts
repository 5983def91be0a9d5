import type { InfiniteData, QueryClient } from '@tanstack/svelte-query'
import { api } from './client.js'
import { queries } from './queries.js'
import type { CardDetail, CardPage } from './types.js'

export type CardChange = 'suspend' | 'resume' | 'reset'

const CHANGES = {
  suspend: (id: string) => api.post('/api/review/cards/{id}/suspend', { path: { id } }),
  resume: (id: string) => api.delete('/api/review/cards/{id}/suspend', { path: { id } }),
  reset: (id: string) => api.post('/api/review/cards/{id}/reset', { path: { id } }),
}

export async function changeCard(client: QueryClient, id: number, change: CardChange): Promise<void> {
  await CHANGES[change](String(id))
  void refreshOthers(client)
  const detail = await api.get('/api/review/cards/{id}', { path: { id: String(id) } }).catch(() => undefined)
  if (detail === undefined) return
  client.setQueryData(queries.card(id).queryKey, detail)
  updateInLists(client, detail.card)
}

/** Updates the card in cached lists, but does not remove it, even if a filter no longer matches. */
function updateInLists(client: QueryClient, { card_id, state, progress }: CardDetail['card']): void {
  client.setQueriesData<InfiniteData<CardPage>>({ queryKey: ['review', 'cards'] }, (list) => {
    if (list === undefined) return list
    const pages = list.pages.map((page) => {
      if (!page.cards.some((card) => card.card_id === card_id)) return page
      const cards = page.cards.map((card) => (card.card_id === card_id ? { ...card, state, progress } : card))
      return { ...page, cards }
    })
    return { ...list, pages }
  })
}

function refreshOthers(client: QueryClient): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [group, kind] }) => group === 'review' && kind !== 'cards' && kind !== 'card',
  })
}
