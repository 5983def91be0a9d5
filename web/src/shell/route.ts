import type { Component } from 'svelte'

/** A page receives the parameters of its address: `/decks/:slug` → `{ slug }` */
export type PageComponent = Component<Record<string, string>>

export interface Route {
  pattern: string
  load: () => Promise<Component<never>>
  /** Prefetches the data while the chunk of the page is loading */
  ask?: (params: Record<string, string>) => void
  /** Whether the page is for administrators only; other users see a notice */
  isAdmin?: boolean
  /** Whether header and bottom bar are hidden, as in a session */
  isFocused?: boolean
}

/** A route with the parameters of the address. */
export interface Found {
  route: Route
  params: Record<string, string>
}

/** A page of an area with a separate table of pages (`sub-pages.svelte`). */
export interface SubPage {
  /** Matches the path below the area; its named groups are the parameters. */
  pattern: RegExp
  page?: Component<never>
  /** Loads the page if it is not in the chunk of the area */
  load?: () => Promise<Component<never>>
  isAdmin?: boolean
}
