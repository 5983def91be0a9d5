export const STATES = [
  { value: 'live', label: 'Alle Karten' },
  { value: 'draft', label: 'Entwürfe' },
  { value: 'archived', label: 'Archivierte' },
] as const
