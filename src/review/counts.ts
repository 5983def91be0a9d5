import type { CardState } from '../../db/types.js'

/** What is left for today. */
export interface ReviewCounts {
  /** Cards to be reviewed today or earlier, suspended ones apart. */
  due: number
  /** Unseen cards, as far as the daily number allows them. */
  new: number
}

export interface Remaining {
  due: number
  /** Live cards that the learner has neither seen nor suspended. */
  unseen: number
  /** What is left of the daily number; negative when it was lowered during the day. */
  new_allowed: number
}

/** A card's step from one state to another; null is the state of a card that was never seen. */
export interface Step {
  before: CardState | null
  after: Pick<CardState, 'next_review'> | null
  isSuspended: boolean
  /** New cards that the step adds to those of today. */
  introduced: number
}

export function countsOf({ due, unseen, new_allowed }: Remaining): ReviewCounts {
  return { due, new: Math.max(Math.min(unseen, new_allowed), 0) }
}

/** What is left once the step is made. */
export function remainingAfter(remaining: Remaining, step: Step, today: string): Remaining {
  const counted = step.isSuspended ? 0 : 1
  return {
    due: remaining.due + counted * (Number(isDue(step.after, today)) - Number(isDue(step.before, today))),
    unseen: remaining.unseen + counted * (Number(step.after === null) - Number(step.before === null)),
    new_allowed: remaining.new_allowed - step.introduced,
  }
}

export function isDue(state: Pick<CardState, 'next_review'> | null, today: string): boolean {
  const day = state?.next_review
  if (day == null) return false
  // A script may have written a year before 1 or after 9999, whose text does not sort as the dates do.
  return day.endsWith('BC') || (day <= today && day.length <= today.length)
}
