import { RATINGS, type Rating } from './review.js'

/** The fields of a log entry needed to replay memory states. */
export interface HistoryEntry {
  id: number
  kind: 'review' | 'undo' | 'reset'
  undoes: number | null
  rating: Rating | null
  /** Local calendar day in days since 1970-01-01 */
  day: number
  isLate: boolean
  /** Id of the review that produced the state before the entry */
  previous: number | null
  /** Whether the card had a memory state before the entry */
  hadMemory: boolean
}

/** A review that affects the current state of a card: neither undone nor late, and given after the latest reset. */
export interface EffectiveReview {
  id: number
  rating: Rating
  day: number
}

/** Columns of a line of the log, separated by commas; absent numbers are empty. */
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
 * Returns for each card the reviews since its latest reset, oldest first, without undone and late reviews. The last
 * review produced the current state of the card. Each entry refers to the previous review, so a history continues when
 * the progress moves to another card. A review of a card without a memory state starts a new history. Omits histories
 * whose first review is unknown.
 * @param entries in ascending order of their ids
 */
export function effectiveHistories(entries: Iterable<HistoryEntry>): EffectiveReview[][] {
  /** Histories by their last review; null if the first review is unknown */
  const histories = new Map<number, EffectiveReview[] | null>()
  for (const entry of entries) {
    if (entry.kind === 'review') addReview(histories, entry)
    else if (entry.kind === 'undo' && entry.undoes !== null) removeReview(histories, entry.undoes)
    else if (entry.kind === 'reset' && entry.previous !== null) histories.delete(entry.previous)
  }
  return [...histories.values()].filter((history) => history !== null)
}

function addReview(histories: Map<number, EffectiveReview[] | null>, entry: HistoryEntry): void {
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

/** Removes an undone review, which is the last one of its history, and restores the history before it. */
function removeReview(histories: Map<number, EffectiveReview[] | null>, id: number): void {
  const history = histories.get(id)
  histories.delete(id)
  history?.pop()
  const last = history?.at(-1)
  if (history && last) histories.set(last.id, history)
}

/** Returns whether the review is a recall: it is on a later day than the previous review. */
export function isItem(history: readonly EffectiveReview[], index: number): boolean {
  const [review, before] = [history[index], history[index - 1]]
  return review !== undefined && before !== undefined && review.day > before.day
}

export function listItems(histories: readonly EffectiveReview[][]): number[] {
  const ids = histories.flatMap((history) => history.flatMap(({ id }, index) => (isItem(history, index) ? [id] : [])))
  return ids.sort((a, b) => a - b)
}

/** Share of the recalls, counted from the latest, that is reserved for evaluating fitted weights before their use */
const HOLDOUT_SHARE = 0.25

/** Returns the id of the first recall of the last quarter, or infinity if there are no recalls. */
export function findHoldoutStart(items: readonly number[]): number {
  return items[Math.floor(items.length * (1 - HOLDOUT_SHARE))] ?? Number.POSITIVE_INFINITY
}

export function reviewsBefore(histories: readonly EffectiveReview[][], beforeId: number): EffectiveReview[][] {
  return histories.map((history) => history.filter(({ id }) => id < beforeId)).filter(({ length }) => length > 0)
}

const DAY_MS = 86_400_000
const SECOND_MS = 1_000

/**
 * Writes the histories as CSV for the fitting library. The times are midnight UTC of the local day plus one second for
 * each further review of the day, so that the library counts the same days as the service.
 * @example toTrainingCsv([[{ id: 7, rating: 'medium', day: 0 }]]).split('\n')[1] // '1,0,3,0,0'
 */
export function toTrainingCsv(histories: readonly EffectiveReview[][]): string {
  const lines = ['card_id,review_time,review_rating,review_state,review_duration']
  histories.forEach((history, card) => {
    let day = Number.NEGATIVE_INFINITY
    let place = 0
    history.forEach((review, index) => {
      // If the clock was set back, the review gets the day of the previous review, as in the scheduler.
      place = review.day > day ? 0 : place + 1
      day = Math.max(day, review.day)
      const time = day * DAY_MS + place * SECOND_MS
      lines.push(`${card + 1},${time},${RATINGS.indexOf(review.rating) + 1},${index === 0 ? 0 : 2},0`)
    })
  })
  return `${lines.join('\n')}\n`
}
