/**
 * Visibility of a new deck. `draft`: only editors see it. `offered`: learners see it, and each may activate it.
 * `active`: it is active for all learners.
 */
export const VISIBILITIES = ['draft', 'offered', 'active'] as const

export type DeckVisibility = (typeof VISIBILITIES)[number]
