import type { HistoryEntry } from '../../api/types.js'
import { daysBetween } from '../../words/dates.js'
import { countOf } from '../../words/numbers.js'
import { RATINGS } from '../../words/ratings.js'

/**
 * Describes a log entry: `what` is the event, `next` its consequence, empty if it is unknown.
 * @example describeEntry(entry) // { what: 'Gut', next: 'wieder nach 3 Tagen' }
 */
export function describeEntry(entry: Pick<HistoryEntry, 'kind' | 'rating' | 'studied_on' | 'after' | 'is_undone'>): {
  what: string
  next: string
} {
  if (entry.kind === 'undo') return { what: 'Zurückgenommen', next: 'Der Stand davor gilt wieder.' }
  if (entry.kind === 'reset') return { what: 'Zurückgesetzt', next: 'Die Karte war wieder neu.' }
  if (entry.kind === 'tomorrow') {
    return { what: 'Auf morgen', next: entry.is_undone ? 'zurückgenommen' : 'Sie kam am nächsten Tag wieder.' }
  }
  const what = RATINGS.find(({ rating }) => rating === entry.rating)?.label ?? 'Bewertet'
  if (entry.is_undone) return { what, next: 'zurückgenommen' }
  const next = entry.after?.next_review
  if (!next) return { what, next: '' }
  const days = daysBetween(entry.studied_on, next)
  return { what, next: days <= 0 ? 'wieder am selben Tag' : `wieder nach ${countOf(days, 'Tag', 'Tagen')}` }
}
