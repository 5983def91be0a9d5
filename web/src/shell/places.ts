import CalendarCheck from '@lucide/svelte/icons/calendar-check'
import ChartNoAxesColumn from '@lucide/svelte/icons/chart-no-axes-column'
import Layers from '@lucide/svelte/icons/layers'
import ListChecks from '@lucide/svelte/icons/list-checks'
import Pen from '@lucide/svelte/icons/pen'
import ScrollText from '@lucide/svelte/icons/scroll-text'
import type { Component } from 'svelte'
import { isAuthor } from '../account/account.svelte.js'

export interface Place {
  label: string
  /** Address relative to the base; `.` is the start page */
  href: string
  icon: Component
  paths: string[]
}

const PLACES: Place[] = [
  { label: 'Heute', href: '.', icon: CalendarCheck, paths: ['/lernen'] },
  { label: 'Decks', href: 'decks', icon: Layers, paths: ['/decks', '/karten'] },
  { label: 'Quiz', href: 'quiz', icon: ListChecks, paths: ['/quiz', '/tests'] },
  { label: 'Spickzettel', href: 'spickzettel', icon: ScrollText, paths: ['/spickzettel'] },
  { label: 'Statistik', href: 'statistik', icon: ChartNoAxesColumn, paths: ['/statistik', '/verlauf'] },
]

const WRITING: Place = { label: 'Inhalte', href: 'inhalte', icon: Pen, paths: ['/inhalte'] }

export const places = () => (isAuthor() ? [...PLACES, WRITING] : PLACES)

export function isAt(place: Place, path: string): boolean {
  if (place.href === '.' && path === '/') return true
  return place.paths.some((start) => path === start || path.startsWith(`${start}/`))
}
