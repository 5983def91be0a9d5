import t from 'tap'
import type { FrozenQuestion } from '../../../src/domain/questions/frozen.js'
import { isSnapshotDue } from '../../../src/domain/questions/statistics.js'
import {
  addResult,
  NO_QUESTION_SUMS,
  type PersonalResult,
  type QuestionReport,
  type QuestionSums,
  reportOf,
} from '../../../src/domain/tests/statistics.js'
import fc from '../../support/property.js'

const IDS = ['a', 'b', 'c', 'd']
const SINGLE: FrozenQuestion = {
  form: 'single',
  options: IDS.map((id) => ({ id, text: id, correct: id === 'a', feedback: null })),
  question: 'Was?',
  explanation: 'Das',
}

t.test('a cleared field is no answer', async (t) => {
  const result = { points: 0, total: 0, spentMs: 5_000 }
  for (const answer of [{ text: ' ' }, { gaps: { a: '', b: ' ' } }, { gaps: {} }, { option_ids: [] }, null]) {
    t.match(addResult(NO_QUESTION_SUMS, { ...result, answer }), { unanswered: 1, seconds: {} })
  }
  t.match(addResult(NO_QUESTION_SUMS, { ...result, answer: { gaps: { a: '', b: 'x' } } }), { unanswered: 0 })
})

const sumOf = (results: readonly PersonalResult[]): QuestionSums => results.reduce(addResult, NO_QUESTION_SUMS)

/**
 * Returns the result of a person who chose the option of `SINGLE` with this index, and who has `rest` points for the
 * other questions of the test. If `choice` is the number of options, the person chose none.
 */
const person = (choice: number, rest: number, spentMs = 10_000): PersonalResult => {
  const points = Number(choice === 0)
  return {
    points,
    total: points + rest,
    answer: choice === IDS.length ? null : { option_ids: [IDS[choice] as string] },
    spentMs,
  }
}

const anyPerson = fc
  .tuple(fc.nat(IDS.length), fc.integer({ min: 0, max: 39 }), fc.integer({ min: 0, max: 100_000 }))
  .map(([choice, rest, spent]) => person(choice, rest, spent))

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

/**
 * Returns Moodle's discrimination index: the covariance of an item and the rest of the test, divided by both standard
 * deviations.
 */
function moodleCorrelation(results: readonly PersonalResult[]): number | null {
  const items = results.map(({ points }) => points)
  const rests = results.map(({ points, total }) => total - points)
  const [meanItem, meanRest] = [mean(items), mean(rests)]
  const covariance = (one: readonly number[], meanOne: number, other: readonly number[], meanOther: number) =>
    one.reduce((sum, value, index) => sum + (value - meanOne) * ((other[index] ?? 0) - meanOther), 0) / (one.length - 1)
  const varianceOfItem = covariance(items, meanItem, items, meanItem)
  const varianceOfRest = covariance(rests, meanRest, rests, meanRest)
  if (varianceOfItem === 0 || varianceOfRest < 1e-9) return null
  return covariance(items, meanItem, rests, meanRest) / Math.sqrt(varianceOfItem * varianceOfRest)
}

t.test('a report equals a computation from the raw answers by the formulas of Moodle', async (t) => {
  fc.assert(
    fc.property(fc.array(anyPerson, { minLength: 5, maxLength: 120 }), (results) => {
      const report = reportOf(SINGLE, sumOf(results), 5)
      const counts = IDS.map((id) => results.filter(({ answer }) => JSON.stringify(answer)?.includes(`"${id}"`)).length)
      const near = (one: number | null, other: number | null) =>
        one === null || (other !== null && Math.abs(one - other) < 1e-9)
      const wrong = counts.slice(1).reduce((sum, count) => sum + count, 0)
      return (
        report.persons === results.length &&
        near(report.facility, mean(results.map(({ points }) => points))) &&
        near(report.correlation, moodleCorrelation(results)) &&
        report.options.every(({ count, share }, index) => {
          const expected = counts[index] ?? 0
          return (count === null || count === expected) && near(share, wrong === 0 ? null : expected / wrong)
        })
      )
    }),
  )
  const large = Array.from({ length: 200 }, (_, index) => person(index % 3 === 0 ? 0 : 1 + (index % 2), index % 17))
  const report = reportOf(SINGLE, sumOf(large), 5)
  t.ok(Math.abs((report.correlation ?? 9) - (moodleCorrelation(large) ?? 8)) < 1e-9)
  t.equal(report.facility, 67 / 200)
})

/**
 * Returns the group sizes that can be computed from a report: each shown cell, the sum of the hidden cells, the numbers
 * of right and other answers, and the sum of the hidden wrong choices.
 */
function revealedSizes(report: QuestionReport): number[] {
  const cells = [...report.options.map(({ count }) => count), report.unanswered]
  const shown = cells.filter((count) => count !== null)
  const hidden = report.persons - shown.reduce((sum, count) => sum + count, 0)
  const told = shown.length === cells.length ? shown : [...shown, hidden]
  if (report.facility === null) return told
  const right = Math.round(report.facility * report.persons)
  // The share of an option among the wrong choices reveals the number of wrong choices.
  const shares = report.options.filter(({ share, count }) => share !== null && share > 0 && count !== null)
  const [first] = shares
  if (first === undefined) return [...told, right, report.persons - right]
  const wrong = Math.round((first.count as number) / (first.share as number))
  const shownWrong = report.options.reduce((sum, { count, share }) => sum + (share === null ? 0 : (count ?? 0)), 0)
  const hiddenWrong = wrong - shownWrong
  return [...told, right, report.persons - right, ...(hiddenWrong > 0 ? [hiddenWrong] : [])]
}

t.test('no number of a report, and no difference of two reports, is about fewer than five persons', async (t) => {
  const min = 5
  fc.assert(
    fc.property(fc.array(anyPerson, { minLength: 1, maxLength: 60 }), (results) => {
      let sums = NO_QUESTION_SUMS
      let persons = 0
      return results.every((result) => {
        sums = addResult(sums, result)
        if (!isSnapshotDue(sums.item.persons, persons, min)) return true
        const isApart = sums.item.persons - persons >= min
        persons = sums.item.persons
        return isApart && revealedSizes(reportOf(SINGLE, sums, min)).every((count) => count >= min)
      })
    }),
  )
  t.pass()
})

t.test('small cells and their complements are hidden', async (t) => {
  const repeat = (choice: number, count: number) =>
    Array.from({ length: count }, (_, index) => person(choice, index % 7))
  const shown = (...counts: number[]) => {
    const report = reportOf(SINGLE, sumOf(counts.flatMap((count, choice) => repeat(choice, count))), 5)
    return [...report.options.map(({ count }) => count), report.unanswered, report.facility]
  }
  t.strictSame(shown(20, 8, 7, 6, 9), [20, 8, 7, 6, 9, 20 / 50])
  t.strictSame(shown(20, 8, 7, 2, 0), [20, 8, null, null, null, 20 / 37], 'the next smallest cell hides the small one')
  t.strictSame(shown(38, 2, 0, 0, 0), [null, null, null, null, null, null], 'nearly all are right')
})

t.test('for typed and multiple answers, small numbers of wrong and missing answers are hidden', async (t) => {
  const text: FrozenQuestion = { form: 'text', accepted: ['a'], question: 'Was?', explanation: 'Das' }
  const typed = (points: number, count: number, answer: PersonalResult['answer']): PersonalResult[] =>
    Array.from({ length: count }, () => ({ points, total: points, answer, spentMs: 10_000 }))
  const shown = (full: number, wrong: number, none: number) => {
    const results = [...typed(1, full, { text: 'a' }), ...typed(0, wrong, { text: 'b' }), ...typed(0, none, null)]
    const { facility, unanswered } = reportOf(text, sumOf(results), 5)
    return [facility, unanswered]
  }
  t.strictSame(shown(12, 6, 6), [0.5, 6])
  t.strictSame(shown(12, 2, 6), [12 / 20, null])
  const multiple = { ...SINGLE, form: 'multiple' as const }
  const chosen = (points: number, count: number, option_ids: string[]) => typed(points, count, { option_ids })
  const few = sumOf([...chosen(1, 12, ['a']), ...chosen(0, 2, ['a', 'b']), ...chosen(0, 6, ['b'])])
  t.match(reportOf(multiple, few, 5), { facility: 12 / 20, options: [{ count: null }, { count: null }] })
})

t.test('flags name the problems that an author should check', async (t) => {
  const repeat = (choice: number, count: number, spent = 10_000) =>
    Array.from({ length: count }, (_, index) => person(choice, index % 7, spent))
  const flags = (results: PersonalResult[]) => reportOf(SINGLE, sumOf(results), 5).flags
  t.strictSame(flags([...repeat(0, 8), ...repeat(1, 12), ...repeat(2, 9)]), ['never_chosen', 'more_than_key'])
  t.strictSame(flags([...repeat(0, 10, 1_000), ...repeat(1, 6, 2_000)]), ['hasty'])
  t.strictSame(flags([...repeat(0, 2), ...repeat(1, 3), ...repeat(2, 2)]), [], 'a hidden option has no flag')
  const bad = [...Array.from({ length: 20 }, () => person(0, 3)), ...Array.from({ length: 20 }, () => person(1, 30))]
  t.ok(flags([...bad, person(0, 5)]).includes('negative_correlation'))
})

t.test('the median covers the times of the persons who answered', async (t) => {
  const times = [4, 5, 7, 30, 9_999].map((seconds) => person(0, 1, seconds * 1_000))
  t.equal(reportOf(SINGLE, sumOf([...times, person(4, 1, 0)]), 5).median_seconds, 7)
  t.equal(reportOf(SINGLE, sumOf([...times, person(1, 1, 8_000)]), 5).median_seconds, 7.5)
  t.equal(
    reportOf(SINGLE, sumOf([...times.slice(1), person(4, 1, 0)]), 5).median_seconds,
    null,
    'no median of only four times',
  )
})
