/** Returns the list in an order that depends only on the seed (a 32-bit integer). */
export function shuffle<T>(list: readonly T[], seed: number): T[] {
  const shuffled = [...list]
  let state = seed
  for (let end = shuffled.length - 1; end > 0; end--) {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    const other = ((mixed ^ (mixed >>> 14)) >>> 0) % (end + 1)
    ;[shuffled[end], shuffled[other]] = [shuffled[other] as T, shuffled[end] as T]
  }
  return shuffled
}
