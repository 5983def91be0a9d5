import type { Rating } from '../words/ratings.js'

/** What a rating says, as it is stored. */
export interface Rated {
  /** The `client_id`: with it the service applies the rating once, however often it is sent. */
  id: string
  card_id: number
  rating: Rating
  /** Absent when nobody looked at the card. */
  duration_ms?: number | undefined
  /** When it was given, by the service's clock as far as that is known. */
  reviewed_at: string
}

interface Kept {
  /** Whose it is: nothing is sent while somebody else is logged in. */
  user: number
  /** Set when the service will not have it: it is shown, and what follows goes on. */
  refusal?: { status: number; message: string }
}

/** A rating on its way. */
export interface RatingEntry extends Kept, Rated {
  kind: 'rating'
  /** From now on the service may know it. */
  isTried: boolean
}

/** A rating that the service knows, or may know, is to be taken back. It stands behind that rating. */
export interface UndoEntry extends Kept {
  kind: 'undo'
  id: string
  card_id: number
  /** The rating. */
  of: string
  /** As the service numbers the rating; absent until it has answered. */
  review_id?: number
}

export type Entry = RatingEntry | UndoEntry

/** What was sent: for the undo, and for a kept queue that is older than this. */
export interface Receipt {
  user: number
  id: string
  card_id: number
  rating: Rating
  /** Null when the service had nothing to rate any more. */
  review_id: number | null
  /** Milliseconds since 1970, by this device. */
  at: number
}
