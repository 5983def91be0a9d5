interface LogEntry {
  id: number
  kind: string
  studied_on: string
  is_undone: boolean
  applied?: boolean
}

/** Entries by the day for which they count, in the order in which the days appear first. */
export function groupByDay<T extends { studied_on: string }>(entries: readonly T[]): { day: string; entries: T[] }[] {
  const days = new Map<string, T[]>()
  for (const entry of entries) {
    const day = days.get(entry.studied_on)
    if (day === undefined) days.set(entry.studied_on, [entry])
    else day.push(entry)
  }
  return [...days].map(([day, of]) => ({ day, entries: of }))
}

/** The one review that can be taken back: the latest that still counts, if it is of today. */
export function findUndoable(entries: readonly LogEntry[], today: string): number | undefined {
  const latest = entries.find(({ kind, is_undone, applied }) => kind === 'review' && !is_undone && applied !== false)
  return latest?.studied_on === today ? latest.id : undefined
}
