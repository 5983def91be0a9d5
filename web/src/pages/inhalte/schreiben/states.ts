/** Filters of an author's card lists */
export const STATES = [
  { value: 'live', label: 'Alle Karten' },
  { value: 'draft', label: 'Entwürfe' },
  { value: 'archived', label: 'Archivierte' },
]
