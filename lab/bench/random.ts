/** Returns a reproducible linear congruential generator of numbers from 0 (inclusive) to 1 (exclusive). */
export function createRandom(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
