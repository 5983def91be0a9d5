import type { Component } from 'svelte'

/** A page receives the parameters of its address: `/decks/:slug` → `{ slug }` */
export type PageComponent = Component<Record<string, string>>

export interface Route {
  pattern: string
  load: () => Promise<Component<never>>
  /** Prefetches the data while the chunk of the page is loading */
  ask?: (params: Record<string, string>) => void
  /** For administrators only; others see a notice. */
  isAdmin?: boolean
  /** Without header and tab bar, as in a session */
  isFocused?: boolean
}

/** A route with the parameters of the address. */
export interface Found {
  route: Route
  params: Record<string, string>
}
