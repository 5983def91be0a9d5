import type { Rating } from '../words/ratings.js'

/** Next review date per rating, as `YYYY-MM-DD` */
export type Dates = Record<Rating, string>

export interface StudyCard {
  card_id: number
  question: string
  answer: string
  level: string
  deck: { slug: string; name: string; lang: string }
  /** The learner's note, in Markdown */
  note: string | null
  progress: { last_rating?: Rating | null; last_review?: string | null; reps?: number; lapses?: number } | null
  /** Null after the card was rated „Nochmal“, until the service returns the new dates */
  next_review: Dates | null
}
