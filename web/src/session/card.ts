import type { Queue } from '../api/types.js'

type QueuedCard = Queue['cards'][number]

/** Next review date per rating, as `YYYY-MM-DD` */
export type Dates = QueuedCard['next_review']

export interface StudyCard extends Omit<QueuedCard, 'next_review'> {
  /** Null after the card was rated „Nochmal“, until the service returns the new dates */
  next_review: Dates | null
}
