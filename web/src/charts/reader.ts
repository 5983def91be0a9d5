export interface Reader {
  /** Text of each value */
  texts: readonly string[]
  /** Returns the index of the value at a position in the picture; may be out of range */
  find: (x: number, y: number, width: number) => number
  /** Index of the value that is selected at first; default: the last */
  first?: number
  /** Number of values in a column; default 1 */
  stride?: number
}

/** Returns the index that an arrow key, Home or End selects; undefined for other keys. */
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
