import t from 'tap'
import { validUntil } from '../../../src/domain/assignments/schedule.js'
import { addDays } from '../../../src/domain/time/calendar.js'
import fc, { runs } from '../../support/property.js'

const yearly = { every_months: 12, window_end: '03-31', opens_days_before: 30 }

t.test('a completion is valid until the next period ends', async (t) => {
  const until = (done_on: string, recurrence = yearly) => validUntil(recurrence, { due_on: '2026-03-31', done_on })
  t.equal(until('2026-03-15'), '2027-03-31')
  t.equal(until('2026-05-15'), '2027-03-31', 'late')
  t.equal(until('2027-03-31'), '2027-03-31', 'on the last day of the next period')
  t.equal(until('2027-04-01'), '2028-03-31', 'after the next period')
  t.equal(until('2030-01-01', { ...yearly, every_months: 24 }), '2030-03-31')
  t.equal(until('2030-04-01', { ...yearly, every_months: 24 }), '2032-03-31')
})

t.test('property: is never before the completion', async () => {
  const recurrence = fc.record({
    every_months: fc.constantFrom(1, 2, 3, 6, 12, 24, 36),
    window_end: fc.constantFrom(undefined, '01-01', '02-28', '03-31', '12-31'),
    opens_days_before: fc.nat(14),
  })
  const due = fc.nat(1500).map((days) => addDays('2026-01-01', days))
  fc.assert(
    fc.property(recurrence, due, fc.integer({ min: -400, max: 2000 }), (one, due_on, late) => {
      const done_on = addDays(due_on, late)
      const until = validUntil({ ...one, window_end: one.window_end }, { due_on, done_on })
      return until !== null && until >= done_on
    }),
    { numRuns: runs(1_000) },
  )
})
