import t from 'tap'
import { addDays, addMonths, calendarIn, daysBetween, isDay, startOfDay } from '../../src/domain/time/calendar.js'

t.test('the day depends on the time zone', async (t) => {
  const instant = new Date('2026-11-21T23:30:00Z')
  for (const [zone, day] of [
    ['UTC', '2026-11-21'],
    ['Europe/Berlin', '2026-11-22'],
    ['Pacific/Kiritimati', '2026-11-22'],
    ['America/Los_Angeles', '2026-11-21'],
  ] as const) {
    t.equal(calendarIn(zone)(instant), day, zone)
  }
})

t.test('the day changes at local midnight, also at clock changes', async (t) => {
  const berlin = calendarIn('Europe/Berlin')
  for (const [before, after] of [
    ['2026-03-28T22:59:59Z', '2026-03-28T23:00:00Z'],
    ['2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z'],
    ['2026-10-25T22:59:59Z', '2026-10-25T23:00:00Z'],
  ] as const) {
    t.not(berlin(new Date(before)), berlin(new Date(after)))
  }
  t.throws(() => calendarIn('Mars/Olympus'), RangeError)
})

t.test("the machine's time zone does not shift days", async (t) => {
  const { TZ } = process.env
  t.teardown(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  for (const zone of ['UTC', 'Pacific/Kiritimati', 'Europe/Berlin', 'America/Los_Angeles']) {
    process.env.TZ = zone
    t.equal(addDays('2026-03-28', 1), '2026-03-29', zone)
    t.equal(addDays('2026-03-29', 1), '2026-03-30', zone)
    t.equal(addMonths('2026-10-31', 1), '2026-11-30', zone)
    t.equal(daysBetween('2026-10-24', '2026-10-26'), 2, zone)
    t.ok(isDay('2026-10-25'), zone)
    t.equal(startOfDay('2026-10-25', 'Europe/Berlin').instant.toISOString(), '2026-10-24T22:00:00.000Z', zone)
  }
})
