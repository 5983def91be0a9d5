import type { Rating } from '../words/ratings.js'

/** The day to which each rating leads, as `YYYY-MM-DD`. */
export type Dates = Record<Rating, string>

/** A card as the queue has it. */
export interface StudyCard {
  card_id: number
  question: string
  answer: string
  level: string
  deck: { slug: string; name: string }
  progress: { last_rating?: Rating | null; last_review?: string | null; reps?: number; lapses?: number } | null
  /** Null once it was rated „Nochmal“ here, until the service has said where the next rating leads. */
  next_review: Dates | null
}
