import CalendarCheck from '@lucide/svelte/icons/calendar-check'
import ChartNoAxesColumn from '@lucide/svelte/icons/chart-no-axes-column'
import ClipboardCheck from '@lucide/svelte/icons/clipboard-check'
import Layers from '@lucide/svelte/icons/layers'
import ListChecks from '@lucide/svelte/icons/list-checks'
import Pen from '@lucide/svelte/icons/pen'
import ScrollText from '@lucide/svelte/icons/scroll-text'
import type { Component } from 'svelte'
import { account, isAuthor } from '../account/account.svelte.js'

export interface Place {
  label: string
  /** Address relative to the base; `.` is the start page */
  href: string
  icon: Component
  paths: string[]
}

const TODAY: Place = { label: 'Heute', href: '.', icon: CalendarCheck, paths: ['/lernen'] }

const PLACES: Place[] = [
  { label: 'Decks', href: 'decks', icon: Layers, paths: ['/decks', '/karten'] },
  { label: 'Quiz', href: 'quiz', icon: ListChecks, paths: ['/quiz', '/tests'] },
  { label: 'Spickzettel', href: 'spickzettel', icon: ScrollText, paths: ['/spickzettel'] },
  { label: 'Statistik', href: 'statistik', icon: ChartNoAxesColumn, paths: ['/statistik', '/verlauf'] },
]

const WRITING: Place = { label: 'Inhalte', href: 'inhalte', icon: Pen, paths: ['/inhalte'] }

export function places(): Place[] {
  const { tasks, overseer } = account.user?.roles ?? {}
  const href = tasks ? 'aufgaben' : 'aufgaben/vergeben'
  return [
    TODAY,
    ...(tasks || overseer ? [{ label: 'Aufgaben', href, icon: ClipboardCheck, paths: ['/aufgaben'] }] : []),
    ...PLACES,
    ...(isAuthor() ? [WRITING] : []),
  ]
}

export function isAt(place: Place, path: string): boolean {
  if (place.href === '.' && path === '/') return true
  return place.paths.some((start) => path === start || path.startsWith(`${start}/`))
}
