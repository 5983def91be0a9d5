import t from 'tap'
import { stepOf } from '../../../web/src/charts/reader.js'
import { labelsAt, roundUp } from '../../../web/src/charts/scale.js'
import { groupByWeek, levelsOf, mondayOf, weekdayOf } from '../../../web/src/charts/weeks.js'
import fc from '../../support/property.js'

const day = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

t.test('weeks begin on Monday', async (t) => {
  t.equal(weekdayOf('2026-11-16'), 0)
  t.equal(weekdayOf('2026-11-22'), 6)
  t.equal(mondayOf('2026-03-29'), '2026-03-23', 'in a week with a clock change')
  fc.assert(fc.property(day, (some) => weekdayOf(mondayOf(some)) === 0 && mondayOf(some) <= some))
  const weeks = groupByWeek(['2026-11-14', '2026-11-15', '2026-11-16'].map((at) => ({ day: at })))
  t.strictSame(
    weeks.map(({ monday, days }) => [monday, days.length]),
    [
      ['2026-11-09', 2],
      ['2026-11-16', 1],
    ],
  )
})

t.test('an axis ends at a round, even number', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), (largest) => {
      const end = roundUp(largest)
      return end >= largest && end <= Math.max(2, 2 * largest) && Number.isInteger(end / 2)
    }),
  )
  t.strictSame([0, 1, 3, 5, 11, 41, 99, 101].map(roundUp), [2, 2, 4, 6, 20, 60, 100, 200])
})

t.test('labels keep their distance, and the important one is shown', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 60, max: 2_000 }), (count, width) => {
      const first = labelsAt(count, width, 60, 'first')
      const last = labelsAt(count, width, 60, 'last')
      const gaps = last.slice(1).map((at, index) => (at - (last[index] as number)) * (width / count))
      return first[0] === 0 && last.at(-1) === count - 1 && gaps.every((gap) => gap >= 60 - 1e-9)
    }),
  )
  t.strictSame(labelsAt(0, 100, 60, 'last'), [])
})

t.test('levels grow with the value; no value is 0', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 50 })), (values) => {
      const levels = levelsOf(values)
      return values.every((value, at) =>
        values.every((other, of) => value > other || (levels[at] as number) <= (levels[of] as number)),
      )
    }),
  )
  t.strictSame(levelsOf([0, 5]), [0, 1])
})

t.test('arrow keys stay within the values', async (t) => {
  const keys = fc.constantFrom('ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End')
  fc.assert(
    fc.property(keys, fc.nat({ max: 20 }), fc.constantFrom(1, 7), (key, at, stride) => {
      const next = stepOf(key, at, 20, stride)
      return next !== undefined && next >= 0 && next <= 20
    }),
  )
  t.equal(stepOf('ArrowLeft', 10, 20, 7), 3, 'a week back')
  t.equal(stepOf('ArrowDown', 10, 20, 7), 11, 'the next day')
  t.equal(stepOf('ArrowUp', 10, 20), 11, 'more')
  t.equal(stepOf('Tab', 10, 20), undefined)
})
