import t from 'tap'
import type { FrozenQuestion } from '../../../src/domain/questions/frozen.js'
import { isCheckDue } from '../../../src/domain/questions/statistics.js'
import {
  addResult,
  NO_QUESTION_SUMS,
  type PersonalResult,
  type QuestionReport,
  type QuestionSums,
  renewReport,
  type Shown,
} from '../../../src/domain/tests/statistics.js'
import { findSmallGroup, subtractPairs } from '../../support/differencing.js'
import fc, { runs } from '../../support/property.js'
import { drawIndex, mulberry32 } from '../../support/random.js'
import { SEED } from '../../support/seed.js'

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

const NOW = new Date('2026-11-25T10:00:00Z')
const NOTHING: Shown = { report: null, published: [] }

/** Returns the first report of a question. */
const reportOf = (question: FrozenQuestion, sums: QuestionSums, minPersons: number): QuestionReport =>
  renewReport(question, sums, NOTHING, { minPersons, now: NOW }).report

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

const MIN = 5
const MULTIPLE: FrozenQuestion = {
  ...SINGLE,
  form: 'multiple',
  options: IDS.map((id) => ({ id, text: id, correct: id < 'c', feedback: null })),
}
const TEXT: FrozenQuestion = { form: 'text', accepted: ['a'], question: 'Was?', explanation: 'Das' }

/** Returns the result of a person who ticked these options of `MULTIPLE`, or typed this text. All or nothing. */
const answering = (given: string | string[]): PersonalResult => {
  const isRight = typeof given === 'string' ? given === 'a' : given.join('') === 'ab'
  const isEmpty = given.length === 0
  const answer = typeof given === 'string' ? { text: given } : { option_ids: given }
  return { points: Number(isRight), total: Number(isRight), answer: isEmpty ? null : answer, spentMs: 10_000 }
}

/** Cells of which each person is in one, and what a report tells about them */
interface View {
  cells: string[]
  cellOf: (result: PersonalResult) => string
  read: (report: QuestionReport) => { cell: string; count: number | null; as_of: string | null }[]
}

const chosenBy = ({ answer }: PersonalResult): string[] =>
  answer !== null && 'option_ids' in answer ? answer.option_ids : []

const SINGLE_VIEW: View = {
  cells: [...IDS, 'none'],
  cellOf: (result) => chosenBy(result)[0] ?? 'none',
  read: (report) => [
    ...report.options.map(({ id, count, as_of }) => ({ cell: id, count, as_of })),
    { cell: 'none', count: report.unanswered, as_of: report.unanswered_as_of },
    { cell: 'a', count: fullOf(report), as_of: report.as_of },
  ],
}

const fullOf = ({ facility, persons }: QuestionReport) => (facility === null ? null : Math.round(facility * persons))

const TEXT_VIEW: View = {
  cells: ['full', 'none', 'rest'],
  cellOf: ({ points, answer }) => (points === 1 ? 'full' : answer === null ? 'none' : 'rest'),
  read: (report) => [
    { cell: 'full', count: fullOf(report), as_of: report.as_of },
    { cell: 'none', count: report.unanswered, as_of: report.unanswered_as_of },
  ],
}

/** A view of an option of `MULTIPLE`; the cell `option` contains the persons without all points who chose it. */
const optionView = (id: string): View => ({
  cells: ['full', 'option', 'none', 'rest'],
  cellOf: (result) => {
    const cell = TEXT_VIEW.cellOf(result)
    return cell === 'rest' && chosenBy(result).includes(id) ? 'option' : cell
  },
  read: (report) => {
    const { count = null, as_of = null } = report.options.find((option) => option.id === id) ?? {}
    // A count of a right option includes the persons with all points.
    const full = id < 'c' ? fullOf(report) : 0
    return [
      ...TEXT_VIEW.read(report),
      { cell: 'option', count: count === null || full === null ? null : count - full, as_of },
    ]
  },
})

const timeOf = (persons: number) => new Date(NOW.getTime() + persons * 60_000)
const personsAt = (time: string) => (Date.parse(time) - NOW.getTime()) / 60_000

/** Returns the report that an author sees after each person. */
function watch(question: FrozenQuestion, results: readonly PersonalResult[]): (QuestionReport | null)[] {
  let sums = NO_QUESTION_SUMS
  let shown = NOTHING
  let checked = 0
  return results.map((result) => {
    sums = addResult(sums, result)
    const { persons } = sums.item
    if (isCheckDue(persons, checked, MIN)) {
      checked = persons
      const { report, counts } = renewReport(question, sums, shown, { minPersons: MIN, now: timeOf(persons) })
      shown = { report, published: counts === null ? shown.published : [...shown.published, counts] }
    }
    return shown.report
  })
}

/** Returns what the author can compute about fewer than five persons. */
function findLeaks(
  view: View,
  results: readonly PersonalResult[],
  reports: readonly (QuestionReport | null)[],
): unknown[] {
  const byTime = new Map<string, Record<string, number>>()
  for (const report of reports) {
    for (const { cell, count, as_of } of report === null ? [] : view.read(report)) {
      if (count !== null && as_of !== null) byTime.set(as_of, { ...byTime.get(as_of), [cell]: count })
    }
  }
  const kept = [...byTime].map(([time, counts]) => ({ persons: personsAt(time), counts }))
  kept.sort((a, b) => a.persons - b.persons)
  const small = findSmallGroup(results.map(view.cellOf), view.cells, kept, MIN)
  return [...subtractPairs(kept, MIN), ...(small === undefined ? [] : [`${small} persons`])]
}

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)

/** Sequences of answers by their kind; a number is the index of an option, as in `person`. */
const SHAPES: Record<string, number[]> = {
  'five right, then only wrong': [...times(5, 0), ...times(15, 1)],
  'five right, five wrong, five wrong': [...times(5, 0), ...times(5, 1), ...times(5, 1), ...times(20, 0)],
  'all alike': times(60, 0),
  'one other among many': [...times(30, 0), 1, ...times(30, 0)],
  'in turn': times(40, [0, 1, 2, 3, 4]).flat(),
  'right and wrong in turn': times(40, [0, 1]).flat(),
  'blocks of five': times(4, [...times(5, 0), ...times(5, 1), ...times(5, 2), ...times(5, 4)]).flat(),
  'blocks of seven': times(4, [...times(7, 2), ...times(7, 0), ...times(7, 4)]).flat(),
}

t.test(
  'an author who keeps the report after each person cannot compute how one to four persons answered',
  async (t) => {
    const ticked = [['a', 'b'], ['c'], ['a'], ['b', 'd'], []]
    for (const [name, choices] of Object.entries(SHAPES)) {
      const single = choices.map((choice) => person(choice, 3))
      t.strictSame(findLeaks(SINGLE_VIEW, single, watch(SINGLE, single)), [], `${name}: single`)
      const typed = choices.map((choice) => answering(['a', 'b', 'c', 'd', ''][choice] ?? ''))
      t.strictSame(findLeaks(TEXT_VIEW, typed, watch(TEXT, typed)), [], `${name}: text`)
      const multiple = choices.map((choice) => answering(ticked[choice] ?? []))
      const reports = watch(MULTIPLE, multiple)
      for (const id of IDS) t.strictSame(findLeaks(optionView(id), multiple, reports), [], `${name}: multiple, ${id}`)
    }
    const random = mulberry32(SEED)
    for (let run = 0; run < runs(60); run++) {
      const weights = times(5, 0).map(() => random() ** 3)
      const draw = () => drawIndex(random, weights)
      const size = 20 + Math.floor(random() * 80)
      const single = Array.from({ length: size }, () => person(draw(), draw(), 1_000 * (1 + draw())))
      t.strictSame(findLeaks(SINGLE_VIEW, single, watch(SINGLE, single)), [], `run ${run}: single`)
      const multiple = Array.from({ length: size }, () =>
        answering([...new Set([draw(), draw()])].sort().flatMap((at) => IDS[at] ?? [])),
      )
      const reports = watch(MULTIPLE, multiple)
      for (const id of IDS)
        t.strictSame(findLeaks(optionView(id), multiple, reports), [], `run ${run}: multiple, ${id}`)
    }
  },
)

t.test('totals are renewed only together with all counts, and a count keeps its time', async (t) => {
  const results = [
    ...times(5, 0),
    ...times(5, 1),
    ...times(5, 0),
    ...times(5, 2),
    ...times(5, 1),
    ...times(5, 0),
    ...times(10, 2),
  ]
  const reports = watch(
    SINGLE,
    results.map((choice) => person(choice, 3)),
  )
  const at = (persons: number) => {
    const report = reports[persons - 1]
    const counts = report?.options.map(({ count, as_of }) => (as_of === null ? null : [count, personsAt(as_of)]))
    return [report?.persons, report?.facility, counts]
  }
  t.strictSame(at(5), [5, null, [null, null, null, null]])
  t.strictSame(at(10), [10, 0.5, [[5, 10], [5, 10], null, null]])
  t.strictSame(at(15), at(10), 'all five new persons are right')
  t.strictSame(at(20), [10, 0.5, [[10, 20], [5, 10], [5, 20], null]], 'the second count has not grown')
  t.strictSame(at(19), at(15), 'not before the fifth person')
  t.strictSame(at(34), at(20), 'no single count before the persons have doubled again')
  t.strictSame(at(35), [35, 15 / 35, [[15, 35], [10, 35], [10, 35], null]])
})

t.test('flags and shares follow from the published counts', async (t) => {
  const shown = (...counts: number[]) => {
    const { options, flags } = reportOf(
      SINGLE,
      sumOf(counts.flatMap((count, choice) => times(count, person(choice, 3)))),
      MIN,
    )
    return [options.map(({ share }) => share), flags]
  }
  t.strictSame(shown(20, 15, 5, 0, 0), [[null, 0.75, 0.25, null], ['never_chosen']])
  t.strictSame(shown(20, 15, 6, 0, 3), [[null, null, null, null], []], 'the hidden persons may have chosen an option')
  t.strictSame(shown(20, 15, 2, 3, 6), [[null, 0.75, null, null], []], 'the hidden persons are wrong')
  t.strictSame(shown(3, 20, 2, 0, 0), [[null, null, null, null], ['more_than_key']])
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
  const typed = (points: number, count: number, answer: PersonalResult['answer']): PersonalResult[] =>
    Array.from({ length: count }, () => ({ points, total: points, answer, spentMs: 10_000 }))
  const shown = (full: number, wrong: number, none: number) => {
    const results = [...typed(1, full, { text: 'a' }), ...typed(0, wrong, { text: 'b' }), ...typed(0, none, null)]
    const { facility, unanswered } = reportOf(TEXT, sumOf(results), 5)
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
