import { infiniteQueryOptions, type QueryFunctionContext, type QueryKey, queryOptions } from '@tanstack/svelte-query'
import { type Answer, api } from './client.js'
import { askOrRemember, type Marked } from './offline.js'

/** Enough to start with; more are loaded while the first card is read. */
const FIRST_CARDS = 20

/** Delay before an incomplete search is repeated */
const INDEXING_MS = 1_500

/** Queries of the pages, each with its key: `queryClient.invalidateQueries(keys…)` */
export const queries = {
  /** Remaining cards of today in all active decks */
  counts: () =>
    queryOptions({
      queryKey: ['review', 'counts'],
      queryFn: (asking) => askOrRemember(asking, 'counts', () => api.get('/api/review/queue', { query: { limit: 1 } })),
    }),
  /** First cards of a session with the time of the request; a session asks again. */
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
        askOrRemember(asking, `stats ${days}`, () => api.get('/api/review/stats', { query: { days } })),
    }),
  settings: () =>
    queryOptions({
      queryKey: ['review', 'settings'],
      queryFn: (asking) => askOrRemember(asking, 'settings', () => api.get('/api/review/settings')),
    }),
  /** Intervals fitted to the learner, and what each desired retention costs */
  fit: () => queryOptions({ queryKey: ['review', 'fit'], queryFn: () => api.get('/api/review/settings/fit') }),
  sessions: () =>
    queryOptions({ queryKey: ['account', 'sessions'], queryFn: () => api.get('/api/accounts/me/sessions') }),
  /** Available login methods */
  methods: () => queryOptions({ queryKey: ['methods'], queryFn: () => api.get('/api/auth/methods') }),
  /** Login methods of the current user */
  signIn: () =>
    queryOptions({
      queryKey: ['account', 'sign in'],
      queryFn: async () => (await api.get('/api/auth/me')).sign_in,
    }),
  tokens: () => queryOptions({ queryKey: ['account', 'tokens'], queryFn: () => api.get('/api/auth/tokens') }),
  /** Decks without the learner's state, which is in `deckChoice` */
  decks: () =>
    queryOptions({
      queryKey: ['content', 'decks'],
      queryFn: (asking) => askOrRemember(asking, 'decks', () => api.get('/api/decks')),
    }),
  deck: (slug: string) =>
    queryOptions({
      queryKey: ['content', 'decks', slug],
      queryFn: (asking) =>
        askOrRemember(asking, `deck ${slug}`, () => api.get('/api/decks/{slug}', { path: { slug } })),
    }),
  /** Pages of a deck's cards; each filter has its own list. */
  cards: (deck: string, filter: { q: string; state: string }) =>
    infiniteQueryOptions({
      queryKey: ['review', 'cards', deck, filter.state, filter.q],
      queryFn: (asking) => {
        const { pageParam, signal } = asking
        const ask = () =>
          api.get('/api/review/cards', { query: { deck, ...filter, limit: 30, after: pageParam }, signal })
        const isWhole = filter.q === '' && filter.state === ''
        return isWhole ? askOrRemember(asking, `cards ${deck} ${pageParam ?? ''}`, ask) : ask()
      },
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_after ?? undefined,
      // Comparing all pages on each new one would cost more with every page.
      structuralSharing: false,
    }),
  card: (id: number) =>
    queryOptions({
      queryKey: ['review', 'card', id],
      queryFn: (asking) =>
        askOrRemember(asking, `card ${id}`, () => api.get('/api/review/cards/{id}', { path: { id: String(id) } })),
    }),
  cardHistory: (card: number) =>
    infiniteQueryOptions({
      queryKey: ['review', 'history', 'card', card],
      queryFn: (asking) => askForHistory(asking, `card ${card} history`, { card, limit: 20 }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
  quizResults: () => queryOptions({ queryKey: ['quiz', 'results'], queryFn: () => api.get('/api/quiz/history') }),
  deckChoice: () =>
    queryOptions({
      queryKey: ['review', 'decks'],
      queryFn: (asking) => askOrRemember(asking, 'choice', () => api.get('/api/review/decks')),
    }),
  history: () =>
    infiniteQueryOptions({
      queryKey: ['review', 'history'],
      queryFn: (asking) => askForHistory(asking, 'history', {}),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: (page) => page.next_before ?? undefined,
    }),
  sheets: () =>
    queryOptions({
      queryKey: ['sheets'],
      queryFn: (asking) => askOrRemember(asking, 'sheets', () => api.get('/api/cheatsheets')),
    }),
  sheet: (slug: string) =>
    queryOptions({
      queryKey: ['sheets', slug],
      queryFn: (asking) =>
        askOrRemember(asking, `sheet ${slug}`, () => api.get('/api/cheatsheets/{slug}', { path: { slug } })),
    }),
  search: (q: string, limit: number) =>
    queryOptions({
      queryKey: ['search', q, limit],
      queryFn: ({ signal }) => api.get('/api/search', { query: { q, limit }, signal }),
      refetchInterval: ({ state }) =>
        state.status === 'success' && state.data?.complete === false ? INDEXING_MS : false,
    }),
}

type HistoryPage = QueryFunctionContext<QueryKey, number | undefined>

/**
 * Requests a page of the history. Only the newest one is cached, because the addresses of older ones change with every
 * rating.
 */
function askForHistory(
  asking: HistoryPage,
  name: string,
  query: { card?: number; limit?: number },
): Promise<Marked<Answer<'/api/review/history'>>> {
  const ask = () => api.get('/api/review/history', { query: { ...query, before: asking.pageParam } })
  return asking.pageParam === undefined ? askOrRemember(asking, name, ask) : ask()
}

/** Key of everything that a rating changes */
export const REVIEW_KEY = ['review'] as const
