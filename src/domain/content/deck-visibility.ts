/**
 * Who sees a new deck: only editors, learners who then may activate it, or all learners, for whom it is active at once
 */
export const VISIBILITIES = ['draft', 'offered', 'active'] as const

export type DeckVisibility = (typeof VISIBILITIES)[number]
