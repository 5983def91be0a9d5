/** Reading of single values of a picture. */
export interface Reader {
  /** Text of each value, in the order of the arrow keys */
  texts: readonly string[]
  /** Index of the value at a position of the picture */
  find: (x: number, y: number, width: number) => number
  /** Index read first; default: the last */
  first?: number
  /** Number of values stacked vertically; default 1 */
  stride?: number
}

/** Returns the index that a key leads to; undefined for other keys. */
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
