/** What a list of cards can be narrowed to: as the address names it, as the service does, and as it is called. */
export const CARD_FILTERS = [
  { value: '', state: '', label: 'Alle' },
  { value: 'neu', state: 'new', label: 'Neu' },
  { value: 'faellig', state: 'due', label: 'Fällig' },
  { value: 'gelernt', state: 'learned', label: 'Gelernt' },
  { value: 'ausgesetzt', state: 'suspended', label: 'Ausgesetzt' },
] as const

export type CardFilter = (typeof CARD_FILTERS)[number]['value']

/** Whatever stands in an address; what is unknown means all. */
export function parseCardFilter(text: string | null): CardFilter {
  return CARD_FILTERS.find(({ value }) => value === text)?.value ?? ''
}

export function stateOf(filter: CardFilter): string {
  return CARD_FILTERS.find(({ value }) => value === filter)?.state ?? ''
}
