import { queries } from './api/queries.js'
import { queryClient } from './api/query-client.js'
import type { Found, Route } from './shell/route.js'

const heute = () => import('./pages/heute/heute.svelte')
const lernen = () => import('./pages/lernen/lernen.svelte')
const quiz = () => import('./pages/quiz.js')
const suche = () => import('./pages/suche.svelte')
// Small pages that are usually visited together are in one chunk.
const decks = () => import('./pages/decks.js')
const spickzettel = () => import('./pages/spickzettel.js')
const statistik = () => import('./pages/statistik.js')
const konto = () => import('./pages/konto.js')
const inhalte = () => import('./pages/inhalte/inhalte.svelte')
const teams = () => import('./pages/teams/teams.svelte')
const verwaltung = () => import('./pages/verwaltung/verwaltung.svelte')
const aufgaben = () => import('./pages/aufgaben/aufgaben.svelte')

function prefetchCards({ deck }: Record<string, string>): void {
  void queryClient.prefetchQuery(queries.firstCards(deck))
}

export const ROUTES: Route[] = [
  {
    pattern: '/',
    load: async () => (await heute()).default,
    prefetch: () => {
      void queryClient.prefetchQuery(queries.deckChoice())
      void queryClient.prefetchQuery(queries.counts())
      void queryClient.prefetchQuery(queries.stats(30))
    },
  },
  { pattern: '/decks', load: async () => (await decks()).Decks },
  { pattern: '/decks/:slug', load: async () => (await decks()).Deck },
  { pattern: '/quiz', load: async () => (await quiz()).Quiz },
  { pattern: '/quiz/:deck', load: async () => (await quiz()).Quiz },
  // The subpages are in `pages/tests/tests.svelte`.
  { pattern: '/tests(?:/.+)?', load: async () => (await (await quiz()).loadTests()).default },
  { pattern: '/karten/:id', load: async () => (await decks()).Karte },
  { pattern: '/spickzettel', load: async () => (await spickzettel()).Spickzettel },
  {
    pattern: '/spickzettel/:slug',
    load: async () => (await spickzettel()).Sheet,
    prefetch: ({ slug = '' }) => void queryClient.prefetchQuery(queries.sheet(slug)),
  },
  { pattern: '/aufgaben(?:/.+)?', load: async () => (await aufgaben()).default },
  { pattern: '/suche', load: async () => (await suche()).default },
  { pattern: '/statistik', load: async () => (await statistik()).Statistik },
  { pattern: '/verlauf', load: async () => (await statistik()).Verlauf },
  { pattern: '/einstellungen', load: async () => (await konto()).Einstellungen },
  { pattern: '/konto', load: async () => (await konto()).Konto },
  { pattern: '/lernen', load: async () => (await lernen()).default, prefetch: prefetchCards, isFocused: true },
  {
    pattern: '/lernen/:deck',
    load: async () => (await lernen()).default,
    prefetch: prefetchCards,
    isFocused: true,
  },
  // The subpages are in `pages/inhalte/inhalte.svelte`.
  { pattern: '/inhalte(?:/.+)?', load: async () => (await inhalte()).default },
  { pattern: '/meldungen', load: async () => (await konto()).Meldungen },
  { pattern: '/hilfe', load: async () => (await konto()).Hilfe },
  // Administrators and leads use this page; the service decides what each may see.
  { pattern: '/teams(?:/:id)?', load: async () => (await teams()).default },
  { pattern: '/verwaltung(?:/.+)?', isAdmin: true, load: async () => (await verwaltung()).default },
  ...(import.meta.env.DEV
    ? [{ pattern: '/teile', load: async () => (await import('./pages/teile/teile.svelte')).default }]
    : []),
]

export function findRoute(path: string): Found | undefined {
  for (const route of ROUTES) {
    const names = [...route.pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    const match = new RegExp(`^${route.pattern.replaceAll(/:\w+/g, '([^/]+)')}$`).exec(path)
    if (match === null) continue
    return { route, params: Object.fromEntries(names.map((name, at) => [name, decode(match[at + 1] ?? '')])) }
  }
  return undefined
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
