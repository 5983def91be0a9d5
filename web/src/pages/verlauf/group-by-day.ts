import type { HistoryEntry } from '../../api/types.js'

type LogEntry = Pick<HistoryEntry, 'id' | 'kind' | 'studied_on' | 'is_undone' | 'applied'>

export function groupByDay<T extends { studied_on: string }>(entries: readonly T[]): { day: string; entries: T[] }[] {
  const days = new Map<string, T[]>()
  for (const entry of entries) {
    const day = days.get(entry.studied_on)
    if (day === undefined) days.set(entry.studied_on, [entry])
    else day.push(entry)
  }
  return [...days].map(([day, of]) => ({ day, entries: of }))
}

/**
 * Returns the id of the review or postponement that can be undone: the latest one that took effect and is not undone.
 * Returns undefined if that entry was not made today. Expects the newest entry first.
 */
export function findUndoable(entries: readonly LogEntry[], today: string): number | undefined {
  const latest = entries.find(
    ({ kind, is_undone, applied }) => (kind === 'review' || kind === 'tomorrow') && !is_undone && applied,
  )
  return latest?.studied_on === today ? latest.id : undefined
}
