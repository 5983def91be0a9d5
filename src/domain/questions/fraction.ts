/** An exact share of the points of a question, from 0 to 1 */
export interface Fraction {
  /** At most `of`, and not negative */
  part: number
  /** Positive */
  of: number
}

export const NONE: Fraction = { part: 0, of: 1 }
export const ALL: Fraction = { part: 1, of: 1 }

export interface TestScore {
  /** Rounded down, so that a score just below `passPercent` does not pass */
  percent: number
  passed: boolean
}

/**
 * Adds the scores of all questions exactly. A test without points is not passed.
 * @param scores share and points of each question; points are integers
 * @example addScores([{ score: { part: 1, of: 3 }, points: 1 }], 33) // { percent: 33, passed: true }
 */
export function addScores(scores: readonly { score: Fraction; points: number }[], passPercent: number): TestScore {
  let part = 0n
  let of = 1n
  let points = 0n
  for (const { score, points: worth } of scores) {
    part = part * BigInt(score.of) + BigInt(score.part) * BigInt(worth) * of
    of *= BigInt(score.of)
    const divisor = greatestDivisor(part, of)
    part /= divisor
    of /= divisor
    points += BigInt(worth)
  }
  if (points === 0n) return { percent: 0, passed: false }
  const percent = Number((part * 100n) / (of * points))
  return { percent, passed: percent >= passPercent }
}

function greatestDivisor(one: bigint, other: bigint): bigint {
  let [a, b] = [one, other]
  while (b > 0n) [a, b] = [b, a % b]
  return a
}
