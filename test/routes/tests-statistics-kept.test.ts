import t from 'tap'
import type { FrozenQuestion } from '../../src/domain/questions/frozen.js'
import type { PersonalResult } from '../../src/domain/tests/statistics.js'
import { addToSums } from '../../src/services/tests/statistics.js'
import { findSmallGroup, type KeptReport, subtractPairs } from '../support/differencing.js'
import { createEditor, createSource } from '../support/editing.js'
import { drawIndex, mulberry32 } from '../support/random.js'
import { SEED } from '../support/seed.js'
import { startService } from '../support/service.js'
import { publishTest, singleChoice } from '../support/taken-tests.js'

const MIN = 5
const PERSONS = 60
const START = new Date('2026-11-25T10:00:00Z')
let now = START

const service = await startService(t, { now: () => now })
const { db } = service
const source = await createSource(db)
const editor = await createEditor(service, source)

/** Each person is in one of these cells of a question: of the right option, of a wrong one, or without an answer. */
const CELLS = ['Alpha', 'Beta', 'Gamma', 'Delta', 'none']

const times = (count: number, one: number[]) => Array.from({ length: count }, () => one).flat()
const random = mulberry32(SEED)
const drawn = (...weights: number[]) => Array.from({ length: PERSONS }, () => drawIndex(random, weights))

/** The answers of all persons to a question, in the order of joining, as indexes of `CELLS` */
const SHAPES: Record<string, number[]> = {
  'five right, then only wrong': [...times(5, [0]), ...times(55, [1])],
  'five right, ten wrong, then right': [...times(5, [0]), ...times(10, [1]), ...times(45, [0])],
  'all alike': times(60, [0]),
  'one other': [...times(20, [0]), 1, ...times(39, [0])],
  'in turn': times(12, [0, 1, 2, 3, 4]),
  'right and wrong in turn': times(30, [0, 1]),
  'blocks of five': times(3, [...times(5, [0]), ...times(5, [1]), ...times(5, [2]), ...times(5, [4])]),
  'mostly right': drawn(80, 10, 5, 3, 2),
  'mostly wrong': drawn(20, 40, 25, 10, 5),
  even: drawn(1, 1, 1, 1, 1),
}
const NAMES = Object.keys(SHAPES)

function resultOf(question: FrozenQuestion, cell: number): PersonalResult {
  const option = 'options' in question ? question.options.find(({ text }) => text === CELLS[cell]) : undefined
  const points = Number(cell === 0)
  const answer = option === undefined ? null : { option_ids: [option.id] }
  return { points, total: points, answer, spentMs: 10_000 }
}

interface Report {
  persons: number
  as_of?: string
  facility: number | null
  options: { text: string; count: number | null; as_of?: string }[]
  unanswered: number | null
  unanswered_as_of?: string
}

/** Returns the counts that the kept responses about a question contain, by the number of persons at their time. */
function keptReports(responses: readonly (Report | null)[]): KeptReport[] {
  const found = new Map<number, Record<string, number>>()
  for (const report of responses) {
    if (report === null) continue
    const note = (cell: string, count: number | null, as_of: string | undefined) => {
      if (count === null) return
      const persons = as_of === undefined ? report.persons : (Date.parse(as_of) - START.getTime()) / 60_000
      found.set(persons, { ...found.get(persons), [cell]: count })
    }
    for (const { text, count, as_of } of report.options) note(text, count, as_of)
    note('none', report.unanswered, report.unanswered_as_of)
    note('Alpha', report.facility === null ? null : Math.round(report.facility * report.persons), report.as_of)
  }
  return [...found].map(([persons, counts]) => ({ persons, counts })).sort((a, b) => a.persons - b.persons)
}

t.test(
  'an author who keeps the statistics after each person and combines them learns nothing about four persons',
  async (t) => {
    const test = await publishTest(db, {}, { cards: NAMES.map((name) => singleChoice(name)), sourceId: source })
    const responses = NAMES.map((): (Report | null)[] => [])
    for (let person = 0; person < PERSONS; person++) {
      now = new Date(START.getTime() + (person + 1) * 60_000)
      const results = test.questions.map(({ id, content }, index) => ({
        question_id: id,
        ...resultOf(content, SHAPES[NAMES[index] ?? '']?.[person] ?? 0),
      }))
      await db.transaction().execute((transaction) => addToSums(transaction, { test_id: test.id, version: 1 }, results))
      const { body } = await editor.get(`/api/content/tests/${test.slug}/statistics`)
      for (const [index, { report }] of body.questions.entries()) responses[index]?.push(report)
    }
    for (const [index, name] of NAMES.entries()) {
      const reports = keptReports(responses[index] ?? [])
      t.strictSame(subtractPairs(reports, MIN), [], name)
      const persons = (SHAPES[name] ?? []).map((cell) => CELLS[cell] ?? '')
      t.equal(findSmallGroup(persons, CELLS, reports, MIN), undefined, name)
    }
    const last = (name: string) => responses[NAMES.indexOf(name)]?.at(-1)
    t.match(last('all alike'), { persons: 60, facility: null, options: [{ count: null }, { count: null }] })
    t.match(last('right and wrong in turn'), { persons: 60, facility: 0.5, options: [{ count: 30 }, { count: 30 }] })
    t.match(last('five right, then only wrong'), { persons: 10, facility: 0.5 }, 'the right answers do not increase')
  },
)
