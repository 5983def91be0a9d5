import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from './client.js'
import { fetchOrCached } from './offline.js'
import type { CardState } from './types.js'

/** Number of cards in the first request of a study session; more are loaded while the first card is shown */
const FIRST_CARDS = 20

export const queries = {
  /** Numbers of cards that remain today in all active decks */
  counts: () =>
    queryOptions({
      queryKey: ['review', 'counts'],
      queryFn: (context) =>
        fetchOrCached(context, 'counts', () => api.get('/api/review/queue', { query: { limit: 1 } })),
    }),
  /** First cards of a study session, with the time of the request in ms since the epoch */
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
      queryFn: (context) =>
        fetchOrCached(context, `stats ${days}`, () => api.get('/api/review/stats', { query: { days } })),
    }),
  settings: () =>
    queryOptions({
      queryKey: ['review', 'settings'],
      queryFn: (context) => fetchOrCached(context, 'settings', () => api.get('/api/review/settings')),
    }),
  methods: () => queryOptions({ queryKey: ['methods'], queryFn: () => api.get('/api/auth/methods') }),
  signIn: () =>
    queryOptions({
      queryKey: ['account', 'sign in'],
      queryFn: async () => (await api.get('/api/auth/me')).sign_in,
    }),
  /** Decks without the learner's state, which is in `deckChoice` */
  decks: () =>
    queryOptions({
      queryKey: ['content', 'decks'],
      queryFn: (context) => fetchOrCached(context, 'decks', () => api.get('/api/decks')),
    }),
  deck: (slug: string) =>
    queryOptions({
      queryKey: ['content', 'decks', slug],
      queryFn: (context) =>
        fetchOrCached(context, `deck ${slug}`, () => api.get('/api/decks/{slug}', { path: { slug } })),
    }),
  cards: (deck: string, filter: { q: string; state: CardState }) =>
    infiniteQueryOptions({
      queryKey: ['review', 'cards', deck, filter.state, filter.q],
      queryFn: (context) => {
        const { pageParam, signal } = context
        const request = () =>
          api.get('/api/review/cards', { query: { deck, ...filter, limit: 30, after: pageParam }, signal })
        const isWhole = filter.q === '' && filter.state === ''
        return isWhole ? fetchOrCached(context, `cards ${deck} ${pageParam ?? ''}`, request) : request()
      },
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_after ?? undefined,
      // Structural sharing would compare all loaded pages whenever a page is added.
      structuralSharing: false,
    }),
  card: (id: number) =>
    queryOptions({
      queryKey: ['review', 'card', id],
      queryFn: (context) =>
        fetchOrCached(context, `card ${id}`, () => api.get('/api/review/cards/{id}', { path: { id: String(id) } })),
    }),
  deckChoice: () =>
    queryOptions({
      queryKey: ['review', 'decks'],
      queryFn: (context) => fetchOrCached(context, 'choice', () => api.get('/api/review/decks')),
    }),
  sheets: () =>
    queryOptions({
      queryKey: ['sheets'],
      queryFn: (context) => fetchOrCached(context, 'sheets', () => api.get('/api/cheatsheets')),
    }),
  /** Languages of the sheets that are in a group or not in German */
  sheetLanguages: () =>
    queryOptions({
      queryKey: ['sheets', 'languages'],
      queryFn: (context) => fetchOrCached(context, 'sheetLanguages', () => api.get('/api/variants/sheets')),
    }),
  sheet: (slug: string) =>
    queryOptions({
      queryKey: ['sheets', slug],
      queryFn: (context) =>
        fetchOrCached(context, `sheet ${slug}`, async () => {
          let version: number | undefined
          const onHeaders = (headers: Headers) => (version = Number(headers.get('x-sheet-version')) || undefined)
          const sheet = await api.get('/api/cheatsheets/{slug}', { path: { slug }, onHeaders })
          return { ...sheet, version }
        }),
    }),
}

/** Key prefix of the queries about the user's own learning, which are refetched after a rating */
export const REVIEW_KEY = ['review'] as const
