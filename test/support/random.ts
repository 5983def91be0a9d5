/** A function that returns random numbers in [0, 1) */
export type Random = () => number

/** Creates a seeded generator (mulberry32), so that a failure can be reproduced. */
export function mulberry32(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Returns a random index with these weights. */
export function drawIndex(random: Random, weights: readonly number[]): number {
  const limit = random() * weights.reduce((sum, weight) => sum + weight, 0)
  let sum = 0
  for (const [index, weight] of weights.entries()) {
    sum += weight
    if (limit < sum) return index
  }
  return 0
}
