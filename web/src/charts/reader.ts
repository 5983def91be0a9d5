/** How the values of a picture are read one by one. */
export interface Reader {
  /** What each value says, in the order of the arrows. */
  texts: readonly string[]
  /** Which value lies at this place of the picture. */
  find: (x: number, y: number, width: number) => number
  /** Where a value lies, for a picture that is scrolled. */
  x?: (at: number, width: number) => number
  /** Which one is read first; the last when absent. */
  first?: number
  /** How many values lie above one another; 1 when they lie side by side. */
  stride?: number
}

/** Where a key leads from a value; undefined for keys that lead nowhere. */
export function stepOf(key: string, at: number, last: number, stride = 1): number | undefined {
  const down = stride === 1 ? -1 : 1
  const steps: Record<string, number> = {
    ArrowLeft: at - stride,
    ArrowRight: at + stride,
    ArrowUp: at - down,
    ArrowDown: at + down,
    Home: 0,
    End: last,
  }
  const next = steps[key]
  return next === undefined ? undefined : Math.min(Math.max(next, 0), last)
}
