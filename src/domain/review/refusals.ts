import { Refusal } from '../refusal.js'

export const REVIEW_NOT_FOUND = new Refusal('not_found', 'review_not_found', 'Bewertung nicht gefunden')
export const OTHER_REVIEW = new Refusal(
  'conflict',
  'other_review',
  'Diese „client_id“ gehört zu einer anderen Bewertung',
  { field: 'client_id' },
)
export const NOT_THE_LAST = new Refusal(
  'conflict',
  'not_the_last',
  'Nur die letzte Bewertung kann zurückgenommen werden',
)
export const NOT_OF_TODAY = new Refusal(
  'conflict',
  'not_of_today',
  'Nur Bewertungen von heute können zurückgenommen werden',
)
