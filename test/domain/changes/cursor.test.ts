import t from 'tap'
import { readCursor, writeCursor } from '../../../src/domain/changes/cursor.js'
import fc, { runs } from '../../support/property.js'

const DAY_MS = 24 * 60 * 60 * 1000

t.test('a cursor returns its id and a horizon that is earlier by less than two seconds', async () => {
  const id = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
  const now = fc.date({ min: new Date('2026-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  // Negative after the clock was set back
  const age = fc.integer({ min: -40 * DAY_MS, max: 48 * DAY_MS })
  fc.assert(
    fc.property(id, now, age, (id, now, age) => {
      const horizon = new Date(now.getTime() - age)
      const cursor = writeCursor({ id, horizon })
      const read = readCursor(cursor, now)
      const lost = horizon.getTime() - read.horizon.getTime()
      return Number.isSafeInteger(cursor) && read.id === id && lost >= 0 && lost < 2_000
    }),
    { numRuns: runs(1_000) },
  )
})

t.test('cursors have the order of their ids', async (t) => {
  const at = (id: number, day: string) => writeCursor({ id, horizon: new Date(day) })
  t.ok(at(7, '2026-11-29') < at(8, '2026-01-01'))
})
