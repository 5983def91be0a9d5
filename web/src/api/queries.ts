import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from './client.js'
import { fetchOrCached } from './offline.js'

/** Number of cards in the first request of a session; more are loaded while the first card is shown */
const FIRST_CARDS = 20

/** Queries of the start page and queries that several pages share, each with its key */
export const queries = {
  /** Remaining cards of today in all active decks */
  counts: () =>
    queryOptions({
      queryKey: ['review', 'counts'],
      queryFn: (asking) => fetchOrCached(asking, 'counts', () => api.get('/api/review/queue', { query: { limit: 1 } })),
    }),
  /** First cards of a session, with the time of the request in ms since the epoch; each session requests them again */
  firstCards: (deck: string | undefined) =>
    queryOptions({
      queryKey: ['review', 'first cards', deck ?? null],
      queryFn: async () => {
        const at = Date.now()
        return { content: await api.get('/api/review/queue', { query: { deck, limit: FIRST_CARDS } }), at }
      },
      retry: false,
    }),
  stats: (days: number) =>
    queryOptions({
      queryKey: ['review', 'stats', days],
      queryFn: (asking) =>
        fetchOrCached(asking, `stats ${days}`, () => api.get('/api/review/stats', { query: { days } })),
    }),
  settings: () =>
    queryOptions({
      queryKey: ['review', 'settings'],
      queryFn: (asking) => fetchOrCached(asking, 'settings', () => api.get('/api/review/settings')),
    }),
  /** Available login methods */
  methods: () => queryOptions({ queryKey: ['methods'], queryFn: () => api.get('/api/auth/methods') }),
  /** Login methods of the current user */
  signIn: () =>
    queryOptions({
      queryKey: ['account', 'sign in'],
      queryFn: async () => (await api.get('/api/auth/me')).sign_in,
    }),
  /** Decks without the learner's state, which is in `deckChoice` */
  decks: () =>
    queryOptions({
      queryKey: ['content', 'decks'],
      queryFn: (asking) => fetchOrCached(asking, 'decks', () => api.get('/api/decks')),
    }),
  deck: (slug: string) =>
    queryOptions({
      queryKey: ['content', 'decks', slug],
      queryFn: (asking) =>
        fetchOrCached(asking, `deck ${slug}`, () => api.get('/api/decks/{slug}', { path: { slug } })),
    }),
  /** Pages of a deck's cards; each filter has a separate list. */
  cards: (deck: string, filter: { q: string; state: string }) =>
    infiniteQueryOptions({
      queryKey: ['review', 'cards', deck, filter.state, filter.q],
      queryFn: (asking) => {
        const { pageParam, signal } = asking
        const ask = () =>
          api.get('/api/review/cards', { query: { deck, ...filter, limit: 30, after: pageParam }, signal })
        const isWhole = filter.q === '' && filter.state === ''
        return isWhole ? fetchOrCached(asking, `cards ${deck} ${pageParam ?? ''}`, ask) : ask()
      },
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_after ?? undefined,
      // Structural sharing would compare all loaded pages whenever a page is added.
      structuralSharing: false,
    }),
  card: (id: number) =>
    queryOptions({
      queryKey: ['review', 'card', id],
      queryFn: (asking) =>
        fetchOrCached(asking, `card ${id}`, () => api.get('/api/review/cards/{id}', { path: { id: String(id) } })),
    }),
  deckChoice: () =>
    queryOptions({
      queryKey: ['review', 'decks'],
      queryFn: (asking) => fetchOrCached(asking, 'choice', () => api.get('/api/review/decks')),
    }),
  sheets: () =>
    queryOptions({
      queryKey: ['sheets'],
      queryFn: (asking) => fetchOrCached(asking, 'sheets', () => api.get('/api/cheatsheets')),
    }),
  sheet: (slug: string) =>
    queryOptions({
      queryKey: ['sheets', slug],
      queryFn: (asking) =>
        fetchOrCached(asking, `sheet ${slug}`, () => api.get('/api/cheatsheets/{slug}', { path: { slug } })),
    }),
}

/** Prefix of the keys of all queries whose result a rating changes */
export const REVIEW_KEY = ['review'] as const
