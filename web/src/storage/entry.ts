import type { Rating } from '../words/ratings.js'

/** A learner's decision about a card: a rating, or its postponement until tomorrow */
export type Decision = Rating | 'tomorrow'

/** Where a card of a study session was counted before its rating */
export interface Origin {
  deck: string
  isNew: boolean
}

export interface Rated {
  /** The `client_id` of the request; the service uses it to recognise a repeated request */
  id: string
  card_id: number
  rating: Decision
  /** Milliseconds spent on the card; undefined for a postponement and for a rating outside of a study session */
  duration_ms?: number | undefined
  /** Time of the rating (ISO 8601) by the service's clock; by the device's clock while its offset is unknown */
  reviewed_at: string
  /** Undefined for a rating outside of a study session */
  from?: Origin | undefined
}

interface EntryBase {
  /** Id of the owner; the entry is sent only while this user is logged in */
  user: number
  /** Set if the service has refused the entry, which is then shown to the user and does not block later entries */
  refusal?: { status: number; message: string }
}

export interface RatingEntry extends EntryBase, Rated {
  kind: 'rating'
  /** Whether sending was started at least once, so that the service may have stored the rating */
  isTried: boolean
}

/** An undo of a rating that may have reached the service. The undo is sent after the rating. */
export interface UndoEntry extends EntryBase {
  kind: 'undo'
  id: string
  card_id: number
  /** The `client_id` of the rating */
  of: string
  /** The service's id of the rating; undefined if the service had not confirmed the rating when the undo was added */
  review_id?: number
}

export type Entry = RatingEntry | UndoEntry

/**
 * A rating or postponement that the service has processed. The receipt is needed to undo the rating, and to apply the
 * rating to an older cached queue.
 */
export interface Receipt {
  user: number
  id: string
  card_id: number
  rating: Decision
  from?: Origin | undefined
  /** Null if the response contained no id of a review, for example because the card no longer exists */
  review_id: number | null
  /** Time of processing in ms since the epoch, by this device's clock */
  at: number
}
