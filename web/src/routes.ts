import type { Component } from 'svelte'
import { queries } from './api/queries.js'
import { queryClient } from './api/query-client.js'
import type { Found, Load, Route } from './shell/route.js'

const page = (load: () => Promise<{ default: Component<never> }>) => load as unknown as Load

function askForCards({ deck }: Record<string, string>): void {
  void queryClient.prefetchQuery(queries.firstCards(deck))
}

/** Every page of the app, in one place; each is a chunk of its own. */
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
  { pattern: '/decks', load: page(() => import('./pages/decks/decks.svelte')) },
  { pattern: '/decks/:slug', load: page(() => import('./pages/decks/deck.svelte')) },
  { pattern: '/quiz', load: page(() => import('./pages/quiz/quiz.svelte')) },
  { pattern: '/quiz/:deck', load: page(() => import('./pages/quiz/quiz.svelte')) },
  { pattern: '/karten/:id', load: page(() => import('./pages/karten/karte.svelte')) },
  { pattern: '/spickzettel', load: page(() => import('./pages/spickzettel/spickzettel.svelte')) },
  { pattern: '/spickzettel/:slug', load: page(() => import('./pages/spickzettel/sheet.svelte')) },
  { pattern: '/suche', load: page(() => import('./pages/suche/suche.svelte')) },
  { pattern: '/statistik', load: page(() => import('./pages/statistik/statistik.svelte')) },
  { pattern: '/verlauf', load: page(() => import('./pages/verlauf/verlauf.svelte')) },
  { pattern: '/einstellungen', load: page(() => import('./pages/einstellungen/einstellungen.svelte')) },
  { pattern: '/konto', load: page(() => import('./pages/konto/konto.svelte')) },
  { pattern: '/lernen', load: page(() => import('./pages/lernen/lernen.svelte')), ask: askForCards, isFocused: true },
  {
    pattern: '/lernen/:deck',
    load: page(() => import('./pages/lernen/lernen.svelte')),
    ask: askForCards,
    isFocused: true,
  },
  { pattern: '/hilfe', load: page(() => import('./pages/hilfe/hilfe.svelte')) },
  { pattern: '/verwaltung', isAdmin: true, load: page(() => import('./pages/verwaltung/uebersicht.svelte')) },
  {
    pattern: '/verwaltung/benutzer',
    isAdmin: true,
    load: page(() => import('./pages/verwaltung/benutzer/benutzer.svelte')),
  },
  {
    pattern: '/verwaltung/benutzer/import',
    isAdmin: true,
    load: page(() => import('./pages/verwaltung/benutzer/import.svelte')),
  },
  {
    pattern: '/verwaltung/benutzer/:id',
    isAdmin: true,
    load: page(() => import('./pages/verwaltung/benutzer/konto-von.svelte')),
  },
  {
    pattern: '/verwaltung/inhalte',
    isAdmin: true,
    load: page(() => import('./pages/verwaltung/inhalte/inhalte.svelte')),
  },
  {
    pattern: '/verwaltung/inhalte/hochladen',
    isAdmin: true,
    load: page(() => import('./pages/verwaltung/inhalte/hochladen/hochladen.svelte')),
  },
  {
    pattern: '/verwaltung/meldungen',
    isAdmin: true,
    load: page(() => import('./pages/verwaltung/meldungen/meldungen.svelte')),
  },
  {
    pattern: '/verwaltung/protokoll',
    isAdmin: true,
    load: page(() => import('./pages/verwaltung/protokoll/protokoll.svelte')),
  },
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
