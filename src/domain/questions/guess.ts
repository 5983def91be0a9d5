import type { FrozenForm, FrozenGap } from './frozen.js'
import type { MultipleRule } from './judge.js'

/** A section of a test: a number of questions drawn from a pool. */
export interface DrawnSection {
  questions: readonly FrozenForm[]
  draw: number
}

export interface PassRules {
  /** From 1 to 100 */
  passPercent: number
  multiple: MultipleRule
  /** Null if unlimited */
  attempts: number | null
}

/** Distribution of a score: `chances[part]` is the probability of the score `part / of`. */
interface Outcome {
  of: number
  chances: readonly number[]
}

/** Once the common denominator of the scores exceeds this value, further denominators are ignored. */
const MAX_STEPS = 5_040
/** Maximum number of score steps of a whole test; finer scores are rounded up. */
const MAX_STEPS_OF_TEST = 4_000
/** Maximum number of operations of the exact computation, about 0.2 s; beyond it, an upper bound is returned. */
const MAX_WORK = 200_000_000

/**
 * Returns the chance from 0 to 1 to pass a test in any of the attempts by choosing at random. A learner guesses one
 * option of a single choice or gap, at least one box of a multiple choice and a random order; typed answers are never
 * guessed. All questions count equally. Scores are rounded up, which can only raise the chance; for very large tests,
 * the result is an upper bound. With unlimited attempts, any positive chance becomes 1.
 * @example
 * const sections = [{ questions: Array(10).fill(trueOrFalse), draw: 10 }]
 * chanceOfPassing(sections, { passPercent: 60, multiple: 'all', attempts: 1 }) // 0.377
 */
export function chanceOfPassing(
  sections: readonly DrawnSection[],
  { passPercent, multiple, attempts }: PassRules,
): number {
  const total = sections.reduce((sum, { draw }) => sum + draw, 0)
  if (total === 0) return 0
  const kinds = sections.map(({ questions }) => countKinds(questions, multiple))
  const denominators = kinds.flatMap((section) => section.map(({ outcome }) => outcome.of))
  const exact = denominators.reduce(leastCommonMultiple, 1)
  const steps = Math.min(exact, Math.max(1, Math.floor(MAX_STEPS_OF_TEST / total)))
  const work = kinds.reduce((sum, section, index) => sum + section.length * (sections[index]?.draw ?? 0) ** 2, 0)
  if (work * total * steps > MAX_WORK) return inAnyAttempt(boundOfPassing(sections, kinds, passPercent), attempts)
  let chances: number[] = [1]
  for (const [index, { questions, draw }] of sections.entries()) {
    chances = convolve(chances, drawScores(kinds[index] ?? [], { pool: questions.length, draw, steps }))
  }
  // Rounds the pass mark up to whole steps. The subtraction corrects errors of floating point, so that a score of
  // exactly the pass mark passes.
  const needed = Math.ceil((total * steps * passPercent) / 100 - 1e-9)
  const once = Math.min(
    1,
    chances.slice(needed).reduceRight((sum, chance) => sum + chance, 0),
  )
  return inAnyAttempt(once, attempts)
}

function inAnyAttempt(once: number, attempts: number | null): number {
  if (attempts === null) return once > 0 ? 1 : 0
  return once >= 1 ? 1 : -Math.expm1(attempts * Math.log1p(-once))
}

/** Returns an upper bound of the chance to pass once: Hoeffding's inequality, valid for draws without replacement. */
function boundOfPassing(sections: readonly DrawnSection[], kinds: readonly Kind[][], passPercent: number): number {
  const total = sections.reduce((sum, { draw }) => sum + draw, 0)
  const expected = sections.reduce((sum, { questions, draw }, index) => {
    const points = (kinds[index] ?? []).reduce((all, { outcome, count }) => all + count * meanOf(outcome), 0)
    return sum + (draw * points) / Math.max(1, questions.length)
  }, 0)
  const excess = (total * passPercent) / 100 - expected
  return excess <= 0 ? 1 : Math.exp((-2 * excess ** 2) / total)
}

function meanOf({ of, chances }: Outcome): number {
  return chances.reduce((sum, chance, part) => sum + (chance * part) / of, 0)
}

/** Returns the number of different sets of questions that a test can draw. */
export function countDraws(sections: readonly { pool: number; draw: number }[]): bigint {
  return sections.reduce((product, { pool, draw }) => product * choose(pool, draw), 1n)
}

function choose(pool: number, draw: number): bigint {
  if (draw > pool) return 0n
  let ways = 1n
  for (let taken = 1; taken <= Math.min(draw, pool - draw); taken++) {
    ways = (ways * BigInt(pool - taken + 1)) / BigInt(taken)
  }
  return ways
}

interface Kind {
  outcome: Outcome
  count: number
}

/** Groups questions whose scores have the same chances. */
function countKinds(questions: readonly FrozenForm[], rule: MultipleRule): Kind[] {
  const kinds = new Map<string, Kind>()
  for (const question of questions) {
    const outcome = guess(question, rule)
    const key = `${outcome.of}:${outcome.chances.join()}`
    const kind = kinds.get(key)
    if (kind === undefined) kinds.set(key, { outcome, count: 1 })
    else kind.count++
  }
  return [...kinds.values()]
}

function guess(question: FrozenForm, rule: MultipleRule): Outcome {
  switch (question.form) {
    case 'single':
      return { of: 1, chances: [1 - 1 / question.options.length, 1 / question.options.length] }
    case 'multiple': {
      const rights = question.options.filter(({ correct }) => correct).length
      return guessBoxes(question.options.length, rights, rule)
    }
    case 'order':
      return guessOrder(question.items.length)
    case 'gaps':
      return guessGaps(question.gaps)
    default:
      return { of: 1, chances: [1] }
  }
}

/** Returns the chances of the number of gaps guessed right; typed gaps are never guessed. */
function guessGaps(gaps: readonly FrozenGap[]): Outcome {
  let chances = [1]
  for (const { accepted, choices } of gaps) {
    const right = choices === undefined ? 0 : new Set(accepted).size / choices.length
    chances = [...chances, 0].map((chance, part) => chance * (1 - right) + (chances[part - 1] ?? 0) * right)
  }
  return chances.every((chance, part) => chance === 0 || part === 0)
    ? { of: 1, chances: [1] }
    : { of: gaps.length, chances }
}

function guessBoxes(boxes: number, rights: number, rule: MultipleRule): Outcome {
  const sets = 2 ** boxes - 1
  if (rule === 'all') return { of: 1, chances: [1 - 1 / sets, 1 / sets] }
  const chances = new Array<number>(boxes + 1).fill(0)
  for (let wrong = 0; wrong <= boxes; wrong++) {
    // Excludes the case without a ticked box, which is not an answer.
    const ways = Number(choose(boxes, wrong)) - (wrong === rights ? 1 : 0)
    const part = Math.max(0, boxes - 2 * wrong)
    chances[part] = (chances[part] ?? 0) + ways / sets
  }
  return { of: boxes, chances }
}

/** Returns the chances of a random order: if `right` items are in place, the others form a derangement. */
function guessOrder(items: number): Outcome {
  const chances: number[] = []
  let share = 1
  for (let right = 0; right <= items; right++) {
    if (right > 0) share /= right
    chances.push(share * shareWithoutFixedPoints(items - right))
  }
  return { of: items, chances }
}

/** Returns the share of derangements, the orders that leave no item in its place: the sum of (−1)^i / i!. */
function shareWithoutFixedPoints(items: number): number {
  let sum = 1
  let term = 1
  for (let index = 1; index <= items; index++) {
    term /= -index
    sum += term
  }
  // A single item is always in its place.
  return items === 1 ? 0 : sum
}

/** Returns the chances of the scores of a section, in steps, for questions drawn without replacement. */
function drawScores(kinds: readonly Kind[], section: { pool: number; draw: number; steps: number }): number[] {
  const { pool, draw, steps } = section
  const logFactorials = logFactorialsUpTo(pool)
  const logChoose = (from: number, take: number) => {
    return (logFactorials[from] ?? 0) - (logFactorials[take] ?? 0) - (logFactorials[from - take] ?? 0)
  }
  // Index: number of questions drawn so far; value: chances of the scores.
  let drawn: number[][] = [[1]]
  let left = pool
  for (const { outcome, count } of kinds) {
    const scores = inSteps(outcome, steps)
    const next: number[][] = []
    for (const [before, chances] of drawn.entries()) {
      const wanted = draw - before
      let current = chances
      for (let take = 0; take <= Math.min(count, wanted); take++) {
        if (wanted - take <= left - count) {
          const weight = logChoose(count, take) + logChoose(left - count, wanted - take) - logChoose(left, wanted)
          next[before + take] = addScaled(next[before + take] ?? [], current, Math.exp(weight))
        }
        if (take < Math.min(count, wanted)) current = convolve(scores, current)
      }
    }
    drawn = Array.from(next, (chances) => chances ?? [])
    left -= count
  }
  return drawn[draw] ?? []
}

function inSteps({ of, chances }: Outcome, steps: number): number[] {
  const scores = new Array<number>(steps + 1).fill(0)
  for (const [part, chance] of chances.entries()) {
    const step = Math.ceil((part * steps) / of)
    scores[step] = (scores[step] ?? 0) + chance
  }
  return scores
}

/** Returns the distribution of the sum of two scores. Fast if `one` is mostly zeros. */
function convolve(one: readonly number[], other: readonly number[]): number[] {
  if (one.length === 0 || other.length === 0) return []
  const sums = new Array<number>(one.length + other.length - 1).fill(0)
  for (const [i, a] of one.entries()) {
    if (a === 0) continue
    // An iterator would take several times as long.
    for (let j = 0; j < other.length; j++) sums[i + j] = (sums[i + j] as number) + a * (other[j] as number)
  }
  return sums
}

function addScaled(sums: number[], added: readonly number[], factor: number): number[] {
  for (const [index, value] of added.entries()) sums[index] = (sums[index] ?? 0) + value * factor
  return sums
}

function logFactorialsUpTo(limit: number): number[] {
  const logs = [0]
  for (let n = 1; n <= limit; n++) logs.push((logs[n - 1] ?? 0) + Math.log(n))
  return logs
}

function leastCommonMultiple(one: number, other: number): number {
  if (one > MAX_STEPS) return one
  let [a, b] = [one, other]
  while (b > 0) [a, b] = [b, a % b]
  return (one / a) * other
}
