/** Filters of a card list: `value` is the name in the address, `state` the name in the API */
export const CARD_FILTERS = [
  { value: '', state: '', label: 'Alle' },
  { value: 'neu', state: 'new', label: 'Neu' },
  { value: 'faellig', state: 'due', label: 'Fällig' },
  { value: 'gelernt', state: 'learned', label: 'Gelernt' },
  { value: 'ausgesetzt', state: 'suspended', label: 'Ausgesetzt' },
] as const

export type CardFilter = (typeof CARD_FILTERS)[number]['value']

/**
 * Parses a filter from the address; a missing or unknown filter means all cards.
 * @example parseCardFilter('rot') // ''
 */
export function parseCardFilter(text: string | null): CardFilter {
  return CARD_FILTERS.find(({ value }) => value === text)?.value ?? ''
}

export function stateOf(filter: CardFilter) {
  return CARD_FILTERS.find(({ value }) => value === filter)?.state ?? ''
}
