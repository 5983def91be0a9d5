import assert from 'node:assert/strict'
import t from 'tap'
import { addDays, calendarIn } from '../../src/domain/time/calendar.js'
import { clockFrom } from '../../src/domain/time/clock.js'
import fc from '../support/property.js'

t.test('without a day it is the clock of the machine', async (t) => {
  const real = () => new Date('2026-11-25T12:00:00Z')
  t.equal(clockFrom(undefined, 'Europe/Berlin', real), real)
})

t.test('starts on the given day at the same time of day and continues, even past midnight', async (t) => {
  let real = new Date('2026-11-25T22:30:00Z')
  const clock = clockFrom('2027-01-01', 'Europe/Berlin', () => real)
  t.equal(clock().toISOString(), '2027-01-01T22:30:00.000Z')
  real = new Date('2026-11-25T23:30:00Z')
  t.equal(clock().toISOString(), '2027-01-01T23:30:00.000Z')
  t.equal(calendarIn('Europe/Berlin')(clock()), '2027-01-02')
})

t.test('property: it starts on the day in each time zone, within an hour of the time of day', async () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland')
  const instants = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  const days = fc.integer({ min: 0, max: 5_000 }).map((count) => addDays('2021-01-01', count))
  const minutes = (instant: Date) => instant.getUTCHours() * 60 + instant.getUTCMinutes()
  fc.assert(
    fc.property(zones, instants, days, (zone, real, day) => {
      const simulated = clockFrom(day, zone, () => real)()
      assert.equal(calendarIn(zone)(simulated), day)
      const apart = Math.abs(minutes(simulated) - minutes(real))
      assert.ok(Math.min(apart, 24 * 60 - apart) <= 60)
    }),
  )
})
