/** Minimum number of persons for a meaningful item-rest correlation (in Moodle: discrimination index) */
export const MIN_PERSONS_OF_CORRELATION = 30
/** Minimum number of wrong answers needed to flag a distractor that was never chosen */
const MIN_WRONG_OF_FLAGS = 20
/** Median time in seconds below which most persons can hardly have read the question */
const HASTY_SECONDS = 3

/** Sums over the first attempts of all persons. */
export interface ItemSums {
  persons: number
  /** Points of the question */
  item: number
  itemSquared: number
  /** Points of the whole test, including the question */
  total: number
  totalSquared: number
  product: number
}

export const NO_SUMS: ItemSums = { persons: 0, item: 0, itemSquared: 0, total: 0, totalSquared: 0, product: 0 }

export function addPerson(sums: ItemSums, item: number, total: number): ItemSums {
  return {
    persons: sums.persons + 1,
    item: sums.item + item,
    itemSquared: sums.itemSquared + item ** 2,
    total: sums.total + total,
    totalSquared: sums.totalSquared + total ** 2,
    product: sums.product + item * total,
  }
}

/** Returns the mean share of the points, from 0 to 1; null without persons or points. */
export function facility({ persons, item }: ItemSums, maxPoints: number): number | null {
  return persons === 0 || maxPoints <= 0 ? null : item / persons / maxPoints
}

/**
 * Returns the correlation between the points x of a question and the points R of the rest of the test, from -1 to 1, as
 * Moodle does: `cov(x, R) / sqrt(var(x) * var(R))`. Returns null if there are fewer than two persons, or if all persons
 * have equal points in the question or in the rest of the test.
 */
export function itemRestCorrelation(sums: ItemSums): number | null {
  const { persons: n } = sums
  if (n < 2) return null
  // n times the sums of squared deviations; the factor 1 / (n * (n - 1)) cancels out.
  const item = n * sums.itemSquared - sums.item ** 2
  const total = n * sums.totalSquared - sums.total ** 2
  const both = n * sums.product - sums.item * sums.total
  const rest = total + item - 2 * both
  // In floating point, cancellation leaves noise where the exact result is zero.
  const noise = 1e-12 * n
  if (item <= noise * sums.itemSquared || rest <= noise * (sums.totalSquared + sums.itemSquared)) return null
  return Math.max(-1, Math.min(1, (both - item) / Math.sqrt(item * rest)))
}

export interface OptionCount {
  correct: boolean
  count: number
}

/**
 * Returns the share of each distractor among the wrong choices; null for right options, and for all options if there is
 * no wrong choice. In a test that most people pass, the share among all persons would be close to zero for every
 * distractor.
 * @example
 * const wrong = [{ correct: false, count: 8 }, { correct: false, count: 2 }]
 * distractorShares([{ correct: true, count: 90 }, ...wrong]) // [null, 0.8, 0.2]
 */
export function distractorShares(options: readonly OptionCount[]): (number | null)[] {
  const wrong = countWrong(options)
  return options.map(({ correct, count }) => (correct || wrong === 0 ? null : count / wrong))
}

function countWrong(options: readonly OptionCount[]): number {
  return options.reduce((sum, { correct, count }) => sum + (correct ? 0 : count), 0)
}

export type Flag = 'never_chosen' | 'more_than_key' | 'negative_correlation' | 'hasty'

/** Returns the flags of a question. `options` must be empty unless the question is a single choice. */
export function flagsOf(report: {
  options: readonly OptionCount[]
  correlation: number | null
  persons: number
  medianSeconds: number | null
}): Flag[] {
  const { options, correlation, persons, medianSeconds } = report
  const key = options.find(({ correct }) => correct)?.count ?? 0
  const wrong = options.filter(({ correct }) => !correct)
  const flags: [Flag, boolean][] = [
    ['never_chosen', countWrong(options) >= MIN_WRONG_OF_FLAGS && wrong.some(({ count }) => count === 0)],
    ['more_than_key', wrong.some(({ count }) => count > key)],
    ['negative_correlation', persons >= MIN_PERSONS_OF_CORRELATION && correlation !== null && correlation < 0],
    ['hasty', medianSeconds !== null && medianSeconds < HASTY_SECONDS],
  ]
  return flags.filter(([, isSet]) => isSet).map(([flag]) => flag)
}

/**
 * Returns whether a report is checked for new counts: after at least `minPersons` more persons, whatever they answered.
 * If it was checked after each person, the moment at which a count appears would reveal the answer of the last person.
 */
export function isCheckDue(persons: number, checkedPersons: number, minPersons: number): boolean {
  return persons >= minPersons && persons - checkedPersons >= minPersons
}
