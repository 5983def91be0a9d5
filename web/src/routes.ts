import type { Component } from 'svelte'
import { queries } from './api/queries.js'
import { queryClient } from './api/query-client.js'
import type { Found, Load, Route } from './shell/route.js'

/** Pages that share a file: each of them is small, and whoever opens one goes on to the next. */
const decks = () => import('./pages/deck-pages.js')
const sheets = () => import('./pages/sheet-pages.js')
const own = () => import('./pages/own-pages.js')
const admin = () => import('./pages/admin-pages.js')

const page = (load: () => Promise<{ default: Component<never> }>) => load as unknown as Load

/** The page of that name, of the file. */
const pick = <Pages>(load: () => Promise<Pages>, name: keyof Pages) =>
  page(async () => ({ default: (await load())[name] as Component<never> }))

function askForCards({ deck }: Record<string, string>): void {
  void queryClient.prefetchQuery(queries.firstCards(deck))
}

/** Every page of the app, in one place. */
export const ROUTES: Route[] = [
  {
    pattern: '/',
    load: page(() => import('./pages/heute/heute.svelte')),
    ask: () => {
      void queryClient.prefetchQuery(queries.deckChoice())
      void queryClient.prefetchQuery(queries.counts())
      void queryClient.prefetchQuery(queries.stats(30))
    },
  },
  { pattern: '/decks', load: pick(decks, 'Decks') },
  { pattern: '/decks/:slug', load: pick(decks, 'Deck') },
  { pattern: '/quiz', load: page(() => import('./pages/quiz/quiz.svelte')) },
  { pattern: '/quiz/:deck', load: page(() => import('./pages/quiz/quiz.svelte')) },
  { pattern: '/karten/:id', load: pick(decks, 'Karte') },
  { pattern: '/spickzettel', load: pick(sheets, 'Spickzettel') },
  {
    pattern: '/spickzettel/:slug',
    load: pick(sheets, 'Sheet'),
    ask: ({ slug = '' }) => void queryClient.prefetchQuery(queries.sheet(slug)),
  },
  { pattern: '/suche', load: page(() => import('./pages/suche/suche.svelte')) },
  { pattern: '/statistik', load: pick(own, 'Statistik') },
  { pattern: '/verlauf', load: pick(own, 'Verlauf') },
  { pattern: '/einstellungen', load: pick(own, 'Einstellungen') },
  { pattern: '/konto', load: pick(own, 'Konto') },
  { pattern: '/lernen', load: page(() => import('./pages/lernen/lernen.svelte')), ask: askForCards, isFocused: true },
  {
    pattern: '/lernen/:deck',
    load: page(() => import('./pages/lernen/lernen.svelte')),
    ask: askForCards,
    isFocused: true,
  },
  { pattern: '/hilfe', load: pick(own, 'Hilfe') },
  { pattern: '/verwaltung', isAdmin: true, load: pick(admin, 'Uebersicht') },
  { pattern: '/verwaltung/benutzer', isAdmin: true, load: pick(admin, 'Benutzer') },
  { pattern: '/verwaltung/benutzer/import', isAdmin: true, load: pick(admin, 'Import') },
  { pattern: '/verwaltung/benutzer/:id', isAdmin: true, load: pick(admin, 'KontoVon') },
  { pattern: '/verwaltung/inhalte', isAdmin: true, load: pick(admin, 'Inhalte') },
  { pattern: '/verwaltung/inhalte/hochladen', isAdmin: true, load: pick(admin, 'Hochladen') },
  { pattern: '/verwaltung/meldungen', isAdmin: true, load: pick(admin, 'Meldungen') },
  { pattern: '/verwaltung/protokoll', isAdmin: true, load: pick(admin, 'Protokoll') },
  ...(import.meta.env.DEV ? [{ pattern: '/teile', load: page(() => import('./pages/teile/teile.svelte')) }] : []),
]

/** The route of a path and its parameters; undefined for an address that is none. */
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
