import type { Rating } from '../words/ratings.js'

/** A learner's decision about a card: a rating, or its postponement until tomorrow */
export type Decision = Rating | 'tomorrow'

/** A rating or a postponement */
export interface Rated {
  /** The `client_id` of the request; the service uses it to recognise a repeated request */
  id: string
  card_id: number
  rating: Decision
  /** Milliseconds that the learner spent on the card; undefined if the card was not studied */
  duration_ms?: number | undefined
  /** Time of the rating in the service's clock, as far as its offset is known */
  reviewed_at: string
}

interface Kept {
  /** Id of the owner; nothing is sent while another user is logged in */
  user: number
  /** Set if the service has refused the entry, which is then shown to the user and does not block later entries */
  refusal?: { status: number; message: string }
}

/** A rating or a postponement to be sent */
export interface RatingEntry extends Kept, Rated {
  kind: 'rating'
  /** Whether the rating was sent at least once, so that the service may have stored it */
  isTried: boolean
}

/** An undo of a rating that may have reached the service. The undo is sent after the rating. */
export interface UndoEntry extends Kept {
  kind: 'undo'
  id: string
  card_id: number
  /** The `client_id` of the rating */
  of: string
  /** The service's id of the rating; undefined until the service has responded to the rating */
  review_id?: number
}

export type Entry = RatingEntry | UndoEntry

/**
 * A confirmed rating. It is needed to undo the rating, and to remove its card from a cached queue that is older than
 * the rating.
 */
export interface Receipt {
  user: number
  id: string
  card_id: number
  rating: Decision
  /** Null if the response contained no id of a review, for example because the card no longer exists */
  review_id: number | null
  /** Milliseconds since the epoch, by this device's clock */
  at: number
}
