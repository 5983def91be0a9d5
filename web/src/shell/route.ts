import type { Component } from 'svelte'

/** A page receives the parameters of its address: `/decks/:slug` → `{ slug }` */
export type PageComponent = Component<Record<string, string>>

export interface Route {
  pattern: string
  load: () => Promise<Component<never>>
  /** Prefetches the data while the chunk of the page is loading */
  prefetch?: (params: Record<string, string>) => void
  /** Whether the page is for administrators only; other users see a notice */
  isAdmin?: boolean
  isFocused?: boolean
}

export interface Found {
  route: Route
  params: Record<string, string>
}

/** A page within an area such as `/inhalte`; `sub-pages.svelte` finds the page in the table of the area. */
export interface SubPage {
  /** Matches the path below the area; its named groups are the parameters. */
  pattern: RegExp
  page?: Component<never>
  /** Loads the page if it is not in the chunk of the area */
  load?: () => Promise<Component<never>>
  isAdmin?: boolean
}
