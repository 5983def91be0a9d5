import t from 'tap'
import {
  addPerson,
  distractorShares,
  facility,
  flagsOf,
  type ItemSums,
  isCheckDue,
  itemRestCorrelation,
  NO_SUMS,
} from '../../../src/domain/questions/statistics.js'
import fc from '../../support/property.js'

/** Points by person and question */
type Results = number[][]

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the covariance as Moodle computes it: in two passes, with the divisor n − 1. */
function covariance(one: number[], other: number[]): number {
  const [a, b] = [mean(one), mean(other)]
  return one.reduce((sum, value, index) => sum + (value - a) * ((other[index] ?? 0) - b), 0) / (one.length - 1)
}

function expected(results: Results, question: number): number {
  const item = results.map((points) => points[question] ?? 0)
  const rest = results.map((points) => points.reduce((sum, one, index) => sum + (index === question ? 0 : one), 0))
  return covariance(item, rest) / Math.sqrt(covariance(item, item) * covariance(rest, rest))
}

function sumsOf(results: Results, question: number): ItemSums {
  return results.reduce((sums, points) => {
    const total = points.reduce((sum, one) => sum + one, 0)
    return addPerson(sums, points[question] ?? 0, total)
  }, NO_SUMS)
}

t.test('facility and item-rest correlation equal an example computed by hand', async (t) => {
  const results = [
    [1, 1, 1],
    [1, 1, 0],
    [1, 0, 0],
    [0, 0, 1],
  ]
  t.equal(facility(sumsOf(results, 0), 1), 0.75)
  t.equal(facility(sumsOf(results, 0), 2), 0.375)
  // Points of the item x = 1 1 1 0 and of the rest R = 2 1 0 1. The covariance is 0, because R has the mean 1 for x = 1
  // and for x = 0.
  t.equal(itemRestCorrelation(sumsOf(results, 0)), 0)
  // x = 1 1 0 0 and R = 2 1 1 1: the covariance is 1/6, the variances are 1/3 and 1/4, and
  // (1/6) / sqrt(1/3 · 1/4) = 1/sqrt(3).
  t.ok(Math.abs((itemRestCorrelation(sumsOf(results, 1)) ?? 0) - 1 / Math.sqrt(3)) < 1e-12)
})

t.test('property: equals Moodle’s formulas to 1e-9', async () => {
  const points = fc.constantFrom(0, 1, 1 / 3, 0.2, 0.5, 2)
  const size = { minLength: 2, maxLength: 40 }
  const results = fc.integer({ min: 2, max: 12 }).chain((questions) => {
    return fc.array(fc.array(points, { minLength: questions, maxLength: questions }), size)
  })
  let compared = 0
  fc.assert(
    fc.property(results, (results) => {
      for (const question of results[0]?.keys() ?? []) {
        const found = itemRestCorrelation(sumsOf(results, question))
        const right = expected(results, question)
        const isFlat = new Set(results.map((row) => row[question])).size === 1
        if (isFlat && found !== null) throw new Error('constant')
        if (found === null) continue
        compared++
        if (Math.abs(found - right) > 1e-9) throw new Error(`${found} instead of ${right}`)
        const share = facility(sumsOf(results, question), 2) ?? -1
        if (Math.abs(share - mean(results.map((row) => (row[question] ?? 0) / 2))) > 1e-9) throw new Error('facility')
      }
    }),
  )
  if (compared < 500) throw new Error(`${compared} comparisons`)
})

t.test('100,000 persons keep the precision', async (t) => {
  const results = Array.from({ length: 100_000 }, (_, person) => {
    return Array.from({ length: 40 }, (_, question) =>
      (person * 7919 + question * 104_729) % 101 < 60 + question ? 1 : 1 / 3,
    )
  })
  t.ok(Math.abs((itemRestCorrelation(sumsOf(results, 3)) ?? 0) - expected(results, 3)) < 1e-9)
})

t.test('without a variance there is no correlation', async (t) => {
  t.equal(itemRestCorrelation(NO_SUMS), null)
  t.equal(facility(NO_SUMS, 1), null)
  t.equal(facility(addPerson(NO_SUMS, 1, 1), 0), null)
  t.equal(itemRestCorrelation(addPerson(NO_SUMS, 1, 2)), null)
  const thirds = Array.from({ length: 30 }, () => [1 / 3, 0.1])
  t.equal(itemRestCorrelation(sumsOf(thirds, 0)), null)
  t.equal(
    itemRestCorrelation(
      sumsOf(
        [
          [1, 0.1],
          [0, 0.1],
        ],
        0,
      ),
    ),
    null,
  )
})

t.test('distractors are compared among wrong answers', async (t) => {
  const counts = (key: number, ...wrong: number[]) => [
    { correct: true, count: key },
    ...wrong.map((count) => ({ correct: false, count })),
  ]
  t.strictSame(distractorShares(counts(90, 8, 2)), [null, 0.8, 0.2])
  t.strictSame(distractorShares(counts(90, 0, 0)), [null, null, null])
  const report = (options: ReturnType<typeof counts>, correlation: number | null = 0.3) => {
    return flagsOf({ options, correlation, persons: 30, medianSeconds: 12 })
  }
  t.strictSame(report(counts(20, 20, 10)), [])
  t.strictSame(report(counts(20, 20, 0)), ['never_chosen'])
  t.strictSame(report(counts(20, 19, 0)), [])
  t.strictSame(report(counts(9, 10, 5)), ['more_than_key'])
  t.strictSame(report(counts(20, 5, 5), -0.1), ['negative_correlation'])
  const few = { options: counts(20, 5), correlation: -0.1, persons: 29 }
  t.strictSame(flagsOf({ ...few, medianSeconds: 2.9 }), ['hasty'])
  t.strictSame(flagsOf({ ...few, medianSeconds: null }), [])
})

t.test('a report is checked after five more persons, whatever the last check has found', async (t) => {
  t.notOk(isCheckDue(4, 0, 5))
  t.ok(isCheckDue(5, 0, 5))
  t.notOk(isCheckDue(9, 5, 5))
  t.ok(isCheckDue(10, 5, 5))
})
