import t from 'tap'
import {
  type CellCounts,
  type CountTable,
  mayPublish,
  publishableCells,
} from '../../../src/domain/questions/publication.js'
import { findSmallGroup, subtractPairs } from '../../support/differencing.js'
import { runs } from '../../support/property.js'
import { drawIndex, mulberry32 } from '../../support/random.js'
import { SEED } from '../../support/seed.js'

const MIN = 5

/** Returns the counts that a first report shows; null where hidden. */
function firstOf(counts: readonly number[], isWhole = true): (number | null)[] {
  const cells = Object.fromEntries(counts.map((count, index) => [`cell ${index}`, count]))
  const persons = counts.reduce((sum, count) => sum + count, 0)
  const names = publishableCells({ persons, cells, isWhole }, [], MIN)
  return counts.map((count, index) => (names.includes(`cell ${index}`) ? count : null))
}

t.test('a first report hides small cells and the cells that would reveal them', async (t) => {
  const cases: [number[], (number | null)[]][] = [
    [
      [20, 10],
      [20, 10],
    ],
    [
      [20, 8, 3],
      [20, null, null],
    ],
    [
      [20, 8, 4, 4],
      [20, 8, null, null],
    ],
    [
      [20, 8, 0],
      [20, 8, null],
    ],
    [
      [28, 2],
      [null, null],
    ],
    [
      [30, 0],
      [null, null],
    ],
    [
      [2, 2],
      [null, null],
    ],
    [
      [5, 5],
      [5, 5],
    ],
    [
      [9, 1, 0, 0],
      [null, null, null, null],
    ],
    [[], []],
  ]
  for (const [counts, shown] of cases) t.strictSame(firstOf(counts), shown, counts.join())
})

t.test('persons in no cell are hidden like a cell that is never published', async (t) => {
  const shown = (persons: number, cells: Record<string, number>) =>
    publishableCells({ persons, cells, isWhole: false }, [], MIN).sort()
  t.strictSame(shown(20, { a: 8, b: 7 }), ['a', 'b'])
  t.strictSame(shown(17, { a: 8, b: 7 }), ['a'], 'two persons in no cell')
  t.strictSame(shown(15, { a: 8, b: 7 }), ['a'], 'all persons are in a cell')
})

const whole = (cells: Record<string, number>): CountTable => ({
  cells,
  isWhole: true,
  persons: Object.values(cells).reduce((sum, count) => sum + count, 0),
})

t.test('a count is renewed when five more persons are in the cell and five more are not', async (t) => {
  const published: CellCounts[] = [{ persons: 10, cells: { right: 5, wrong: 5 } }]
  const renewed = (right: number, wrong: number) => publishableCells(whole({ right, wrong }), published, MIN).length
  t.equal(renewed(5, 10), 0, 'all five are wrong')
  t.equal(renewed(9, 10), 0)
  t.equal(renewed(10, 9), 0)
  t.equal(renewed(10, 10), 2)
  t.equal(renewed(30, 9), 0, 'nearly all are right')
})

t.test('a count is renewed alone while another keeps its value', async (t) => {
  const published: CellCounts[] = [{ persons: 10, cells: { right: 5, beta: 5 } }]
  t.strictSame(publishableCells(whole({ right: 10, beta: 5, gamma: 5 }), published, MIN).sort(), ['gamma', 'right'])
})

t.test('counts of different reports do not combine to a small group', async (t) => {
  const first = { persons: 10, cells: { a: 5 } }
  // 15 persons without the 8 who chose b and the 5 who had chosen a are two persons, although both counts are large.
  t.equal(mayPublish(whole({ a: 6, b: 8, c: 1 }), ['b'], [first], MIN), false)
  t.equal(
    findSmallGroup(
      [...'aaaaabbbbb', ...'abbbc'],
      ['a', 'b', 'c'],
      kept([first, { persons: 15, cells: { b: 8 } }]),
      MIN,
    ),
    2,
  )
  t.equal(mayPublish(whole({ a: 7, b: 8, c: 3 }), ['b'], [first], MIN), true)
})

const kept = (reports: readonly CellCounts[]) => reports.map(({ persons, cells }) => ({ persons, counts: cells }))

interface Played {
  cells: string[]
  persons: string[]
  reports: CellCounts[]
}

/** Lets persons answer, whose preferences may change, and keeps the report after every fifth or later person. */
function play(seed: number, choose: typeof publishableCells): Played {
  const random = mulberry32(seed)
  const cells = [...'abcde'].slice(0, 2 + Math.floor(random() * 4))
  const isWhole = random() < 0.6
  const isChanging = random() < 0.3
  const draw = () => cells.map(() => random() ** 3)
  let weights = draw()
  const persons: string[] = []
  const reports: CellCounts[] = []
  let checked = 0
  const size = 20 + Math.floor(random() * 60)
  while (persons.length < size) {
    if (isChanging && persons.length % 15 === 0) weights = draw()
    persons.push(cells[drawIndex(random, weights)] as string)
    if (persons.length - checked < MIN || random() < 0.2) continue
    checked = persons.length
    const listed = isWhole ? cells : cells.slice(0, -1)
    const counts = listed.map((cell) => [cell, persons.filter((one) => one === cell).length] as const)
    const table = { persons: checked, cells: Object.fromEntries(counts), isWhole }
    const names = choose(table, reports, MIN)
    if (names.length > 0) {
      reports.push({ persons: checked, cells: Object.fromEntries(counts.filter(([cell]) => names.includes(cell))) })
    }
  }
  return { cells, persons, reports }
}

t.test('property: no combination of reports is about one to four persons', async (t) => {
  let reports = 0
  let partial = 0
  for (let seed = 0; seed < runs(400); seed++) {
    const played = play(SEED + seed, publishableCells)
    reports += played.reports.length
    partial += played.reports.filter(({ cells }) => Object.keys(cells).length < played.cells.length - 1).length
    const small = findSmallGroup(played.persons, played.cells, kept(played.reports), MIN)
    const pairs = subtractPairs(kept(played.reports), MIN)
    if (small !== undefined || pairs.length > 0) t.fail(`seed ${SEED + seed}: ${small} persons`, { pairs, ...played })
  }
  t.ok(reports > 800 && partial > 100, `${reports} reports, ${partial} of them without all counts`)
})

t.test('a rule that compares only the same count of two reports would reveal small groups', async (t) => {
  const onlyPairs: typeof publishableCells = ({ persons, cells }, published, minPersons) =>
    Object.keys(cells).filter((name) => {
      const table = { persons, cells: { [name]: cells[name] ?? 0 }, isWhole: false }
      const own = published.filter((report) => name in report.cells)
      return mayPublish(table, [name], own, minPersons)
    })
  const played = Array.from({ length: runs(400) }, (_, seed) => play(SEED + seed, onlyPairs))
  t.strictSame(
    played.flatMap(({ reports }) => subtractPairs(kept(reports), MIN)),
    [],
  )
  const small = played.filter(({ persons, cells, reports }) => findSmallGroup(persons, cells, kept(reports), MIN))
  t.ok(small.length > 20, `${small.length} of ${played.length}`)
})
