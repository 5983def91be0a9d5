import t from 'tap'
import { deadlineOf, endOfDay, isOver, secondsLeft } from '../../../src/domain/tests/deadline.js'
import { calendarIn } from '../../../src/domain/time/calendar.js'
import fc from '../../support/property.js'

const berlin = calendarIn('Europe/Berlin')
const at = (text: string) => new Date(text)

t.test('a day ends at midnight of its time zone, even when the clocks change', async (t) => {
  for (const [zone, day, end] of [
    ['Europe/Berlin', '2026-12-31', '2026-12-31T23:00:00Z'],
    ['Europe/Berlin', '2026-03-28', '2026-03-28T23:00:00Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-29T22:00:00Z'],
    ['Europe/Berlin', '2026-10-24', '2026-10-24T22:00:00Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-25T23:00:00Z'],
    ['Pacific/Auckland', '2026-09-26', '2026-09-26T12:00:00Z'],
    ['Pacific/Auckland', '2026-09-27', '2026-09-27T11:00:00Z'],
    ['America/New_York', '2026-11-01', '2026-11-02T05:00:00Z'],
    ['Pacific/Kiritimati', '2026-06-01', '2026-06-01T10:00:00Z'],
    ['Pacific/Pago_Pago', '2026-06-01', '2026-06-02T11:00:00Z'],
    // The clock goes from 24:00 to 1:00, so the next day begins at 1:00.
    ['Africa/Cairo', '2026-04-23', '2026-04-23T22:00:00Z'],
    ['UTC', '2028-02-28', '2028-02-29T00:00:00Z'],
  ] as const) {
    t.strictSame(endOfDay(day, calendarIn(zone)), at(end), `${day} in ${zone}`)
  }
})

t.test('the end of a day is the first second of the next one', async (t) => {
  const zones = fc.constantFrom(
    'Europe/Berlin',
    'America/St_Johns',
    'Asia/Kathmandu',
    'Pacific/Apia',
    'Australia/Lord_Howe',
  )
  const days = fc
    .date({ min: at('2020-01-01'), max: at('2035-01-01'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10))
  fc.assert(
    fc.property(zones, days, (zone, day) => {
      const dayOf = calendarIn(zone)
      const end = endOfDay(day, dayOf)
      return dayOf(end) > day && dayOf(new Date(end.getTime() - 1_000)) <= day
    }),
  )
  t.pass()
})

t.test('an attempt ends at its limit or on the last day, with the extra time', async (t) => {
  const start = at('2026-12-31T22:30:00Z')
  const limits = (time_limit_minutes: number | null, closes: string | null) => ({ time_limit_minutes, closes })
  for (const [limit, extra, end] of [
    [limits(null, null), 0, null],
    [limits(null, null), 50, null],
    [limits(20, null), 0, '2026-12-31T22:50:00Z'],
    [limits(20, null), 25, '2026-12-31T22:55:00Z'],
    [limits(20, '2026-12-31'), 25, '2026-12-31T22:55:00Z'],
    [limits(60, '2026-12-31'), 0, '2026-12-31T23:00:00Z'],
    [limits(60, '2026-12-31'), 50, '2026-12-31T23:30:00Z'],
    [limits(null, '2026-12-31'), 50, '2026-12-31T23:00:00Z'],
  ] as const) {
    t.strictSame(deadlineOf(start, limit, extra, berlin), end === null ? null : at(end), JSON.stringify([limit, extra]))
  }
  t.strictSame(
    deadlineOf(at('2026-10-25T00:30:00Z'), limits(60, null), 0, berlin),
    at('2026-10-25T01:30:00Z'),
    'an hour keeps its length while the clock is set back',
  )
})

t.test('an answer counts for ten seconds after the deadline', async (t) => {
  const deadline = at('2026-12-31T23:00:00Z')
  t.notOk(isOver(deadline, at('2026-12-31T23:00:10.000Z')))
  t.ok(isOver(deadline, at('2026-12-31T23:00:10.001Z')))
  t.notOk(isOver(null, at('2099-12-31T23:00:10.001Z')))
  t.equal(secondsLeft(deadline, at('2026-12-31T22:59:00.001Z')), 59)
  t.equal(secondsLeft(deadline, at('2026-12-31T23:00:05Z')), 0)
  t.equal(secondsLeft(null, deadline), null)
})
