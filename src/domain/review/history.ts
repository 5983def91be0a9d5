import { RATINGS, type Rating } from './review.js'

/** A log entry, as far as the history of memory states needs it. */
export interface HistoryEntry {
  id: number
  kind: 'review' | 'undo' | 'reset'
  /** Id of the undone review */
  undoes: number | null
  rating: Rating | null
  /** Calendar day as a number of days */
  day: number
  isLate: boolean
  /** The review whose result was the state before the entry */
  previous: number | null
  /** Whether the state before the entry had a memory state */
  hadMemory: boolean
}

/** A review that stands. */
export interface StandingReview {
  id: number
  rating: Rating
  day: number
}

/** Columns of a line, separated by commas; absent numbers are empty. */
export const HISTORY_COLUMNS = ['id', 'kind', 'undoes', 'rating', 'day', 'late', 'previous', 'memory'] as const

const KINDS = { r: 'review', u: 'undo', x: 'reset' } as const

/**
 * Parses a line of the log.
 * @example parseEntry('17,r,,2,20778,0,12,1') // id 17, rating 'medium', after review 12
 */
export function parseEntry(line: string): HistoryEntry {
  const [id, kind, undoes, rating, day, late, previous, memory] = line.split(',')
  const numberOrNull = (text: string | undefined) => (text ? Number(text) : null)
  return {
    id: Number(id),
    kind: KINDS[kind as keyof typeof KINDS],
    undoes: numberOrNull(undoes),
    rating: RATINGS[Number(rating || -1)] ?? null,
    day: Number(day),
    isLate: late === '1',
    previous: numberOrNull(previous),
    hadMemory: memory === '1',
  }
}

/**
 * Returns for each card the reviews that stand since its latest reset, oldest first; the last one made the card's
 * present state. Undone and late reviews are left out. Each review names the one before it, so a card's history
 * continues when its progress moves to another card, and starts again after a script has written the state. Histories
 * whose first review is unknown are left out.
 * @param entries in ascending order of their ids
 */
export function standingHistories(entries: Iterable<HistoryEntry>): StandingReview[][] {
  /** Histories by their last review; null if the first review is unknown */
  const histories = new Map<number, StandingReview[] | null>()
  for (const entry of entries) {
    if (entry.kind === 'review') addReview(histories, entry)
    else if (entry.kind === 'undo' && entry.undoes !== null) removeReview(histories, entry.undoes)
    else if (entry.kind === 'reset' && entry.previous !== null) histories.delete(entry.previous)
  }
  return [...histories.values()].filter((history) => history !== null)
}

function addReview(histories: Map<number, StandingReview[] | null>, entry: HistoryEntry): void {
  const { id, rating, day, previous, hadMemory, isLate } = entry
  if (isLate || rating === null) return
  if (!hadMemory || previous === null) {
    histories.set(id, hadMemory ? null : [{ id, rating, day }])
    return
  }
  const history = histories.get(previous) ?? null
  histories.delete(previous)
  history?.push({ id, rating, day })
  histories.set(id, history)
}

/** Only the last review of a card can be undone. */
function removeReview(histories: Map<number, StandingReview[] | null>, id: number): void {
  const history = histories.get(id)
  histories.delete(id)
  history?.pop()
  const last = history?.at(-1)
  if (history && last) histories.set(last.id, history)
}

/** Whether the review at the index is a recall after at least a day: what a fit learns from. */
export function isItem(history: readonly StandingReview[], index: number): boolean {
  const [review, before] = [history[index], history[index - 1]]
  return review !== undefined && before !== undefined && review.day > before.day
}

/** Returns the ids of all recalls in ascending order. */
export function listItems(histories: readonly StandingReview[][]): number[] {
  const ids = histories.flatMap((history) => history.flatMap(({ id }, index) => (isItem(history, index) ? [id] : [])))
  return ids.sort((a, b) => a - b)
}

/** Share of the recalls on which a candidate is tried before it is adopted */
const HELD_BACK = 0.25

/** Returns the id of the first recall of the last quarter. */
export function findCut(items: readonly number[]): number {
  return items[Math.floor(items.length * (1 - HELD_BACK))] ?? Number.POSITIVE_INFINITY
}

/** Returns the reviews before the cut. */
export function reviewsBefore(histories: readonly StandingReview[][], cut: number): StandingReview[][] {
  return histories.map((history) => history.filter(({ id }) => id < cut)).filter(({ length }) => length > 0)
}

const DAY_MS = 86_400_000
const SECOND_MS = 1_000

/**
 * Writes the histories as CSV in the columns that the library reads: midnight UTC of the local day, one second later
 * for each further review of the day, so that the days are those of the service.
 */
export function toTrainingCsv(histories: readonly StandingReview[][]): string {
  const lines = ['card_id,review_time,review_rating,review_state,review_duration']
  histories.forEach((history, card) => {
    let day = Number.NEGATIVE_INFINITY
    let place = 0
    history.forEach((review, index) => {
      // After the clock was set back a review counts for the day of the one before it, as in the scheduler.
      place = review.day > day ? 0 : place + 1
      day = Math.max(day, review.day)
      const time = day * DAY_MS + place * SECOND_MS
      lines.push(`${card + 1},${time},${RATINGS.indexOf(review.rating) + 1},${index === 0 ? 0 : 2},0`)
    })
  })
  return `${lines.join('\n')}\n`
}
