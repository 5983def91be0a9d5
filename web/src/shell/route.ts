import type { Component } from 'svelte'

/** A page gets the parameters of its address: `/decks/:slug` → `{ slug }`. */
export type PageComponent = Component<Record<string, string>>
export type Load = () => Promise<{ default: PageComponent }>

export interface Route {
  pattern: string
  load: Load
  /** Asks for what the page will show, while its part of the program is still on its way. */
  ask?: (params: Record<string, string>) => void
  /** Only for administrators; others see that the page is not for them. */
  isAdmin?: boolean
  /** Without header and bar, as a session is. */
  isFocused?: boolean
}

/** A route and the parameters of the address that led to it. */
export interface Found {
  route: Route
  params: Record<string, string>
}
