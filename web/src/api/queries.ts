import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import { api } from './client.js'
import { askOrRemember } from './offline.js'

/** As many as are shown soon; the rest comes while the first card is read. */
const FIRST_CARDS = 20

/** After which a search that may have missed something is asked again. */
const INDEXING_MS = 1_500

/** What pages ask for, each under one key, so that what changes it can name it: `queryClient.invalidateQueries(keys…)`. */
export const queries = {
  /** How much is left today, in all decks that were chosen. */
  counts: () =>
    queryOptions({
      queryKey: ['review', 'counts'],
      queryFn: () => askOrRemember('counts', () => api.get('/api/review/queue', { query: { limit: 1 } })),
    }),
  /** The first cards of a session, and when they were asked for; a session asks anew. */
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
      queryFn: () => askOrRemember(`stats ${days}`, () => api.get('/api/review/stats', { query: { days } })),
    }),
  settings: () => queryOptions({ queryKey: ['review', 'settings'], queryFn: () => api.get('/api/review/settings') }),
  sessions: () =>
    queryOptions({ queryKey: ['account', 'sessions'], queryFn: () => api.get('/api/accounts/me/sessions') }),
  /** The ways of logging in that are offered. */
  methods: () => queryOptions({ queryKey: ['methods'], queryFn: () => api.get('/api/auth/methods') }),
  /** By what the own account is entered. */
  signIn: () =>
    queryOptions({
      queryKey: ['account', 'sign in'],
      queryFn: async () => (await api.get('/api/auth/me')).sign_in,
    }),
  tokens: () => queryOptions({ queryKey: ['account', 'tokens'], queryFn: () => api.get('/api/auth/tokens') }),
  /** The decks as they are written; what the learner has of them is `deckChoice`. */
  decks: () =>
    queryOptions({
      queryKey: ['content', 'decks'],
      queryFn: () => askOrRemember('decks', () => api.get('/api/decks')),
    }),
  deck: (slug: string) =>
    queryOptions({
      queryKey: ['content', 'decks', slug],
      queryFn: () => api.get('/api/decks/{slug}', { path: { slug } }),
    }),
  /** Pages of a deck's cards; what is found or filtered is a list of its own. */
  cards: (deck: string, filter: { q: string; state: string }) =>
    infiniteQueryOptions({
      queryKey: ['review', 'cards', deck, filter.state, filter.q],
      queryFn: ({ pageParam, signal }) =>
        api.get('/api/review/cards', { query: { deck, ...filter, limit: 30, after: pageParam }, signal }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_after ?? undefined,
      // Comparing all that is there with each page that comes would cost more with every page.
      structuralSharing: false,
    }),
  card: (id: number) =>
    queryOptions({
      queryKey: ['review', 'card', id],
      queryFn: () => api.get('/api/review/cards/{id}', { path: { id: String(id) } }),
    }),
  cardHistory: (card: number) =>
    infiniteQueryOptions({
      queryKey: ['review', 'history', 'card', card],
      queryFn: ({ pageParam }) => api.get('/api/review/history', { query: { card, limit: 20, before: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
  quizResults: () => queryOptions({ queryKey: ['quiz', 'results'], queryFn: () => api.get('/api/quiz/history') }),
  deckChoice: () =>
    queryOptions({
      queryKey: ['review', 'decks'],
      queryFn: () => askOrRemember('choice', () => api.get('/api/review/decks')),
    }),
  history: () =>
    infiniteQueryOptions({
      queryKey: ['review', 'history'],
      queryFn: ({ pageParam }) => api.get('/api/review/history', { query: { before: pageParam } }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
  sheets: () =>
    queryOptions({ queryKey: ['sheets'], queryFn: () => askOrRemember('sheets', () => api.get('/api/cheatsheets')) }),
  sheet: (slug: string) =>
    queryOptions({
      queryKey: ['sheets', slug],
      queryFn: () => askOrRemember(`sheet ${slug}`, () => api.get('/api/cheatsheets/{slug}', { path: { slug } })),
    }),
  search: (q: string, limit: number) =>
    queryOptions({
      queryKey: ['search', q, limit],
      queryFn: ({ signal }) => api.get('/api/search', { query: { q, limit }, signal }),
      refetchInterval: ({ state }) =>
        state.status === 'success' && state.data?.complete === false ? INDEXING_MS : false,
    }),
}

/** Everything that a rating changes. */
export const REVIEW_KEY = ['review'] as const
