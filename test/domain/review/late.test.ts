import assert from 'node:assert/strict'
import t from 'tap'
import { isLate, timesOf } from '../../../src/domain/review/review.js'
import { calendarIn, parseInstant } from '../../../src/domain/time/calendar.js'
import fc from '../../support/property.js'

const dayOf = calendarIn('Europe/Berlin')
const HOUR = 60 * 60 * 1000
const NOW = new Date('2026-11-21T08:00:00Z')
const clockAt = (now: Date) => ({ moment: (at = now) => ({ at, today: dayOf(at) }) })
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR)

t.test('the instant of a review lies within the last 14 days, whatever the client says', async () => {
  const given = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(given, (instant) => {
      const { now, reviewed } = timesOf(clockAt(NOW), instant)
      assert.ok(now.at.getTime() === NOW.getTime() && now.today === '2026-11-21')
      assert.ok(reviewed.at <= NOW && reviewed.at >= hoursAgo(14 * 24))
      assert.equal(reviewed.today, dayOf(reviewed.at))
      if (instant <= NOW && instant >= hoursAgo(14 * 24)) assert.equal(reviewed.at.getTime(), instant.getTime())
    }),
  )
  const { now, reviewed } = timesOf(clockAt(NOW), null)
  t.equal(reviewed, now)
  t.match(timesOf(clockAt(NOW), new Date('2026-11-20T23:30:00Z')).reviewed, { today: '2026-11-21' })
  t.match(timesOf(clockAt(NOW), new Date('2026-11-20T22:30:00Z')).reviewed, { today: '2026-11-20' })
})

t.test('a review is late if the card was reviewed or reset after it', async (t) => {
  const isLateAt = (given: Date | null, latest: Date | null) => isLate(timesOf(clockAt(NOW), given), latest)
  t.equal(isLateAt(hoursAgo(5), null), false, 'the card has no review yet')
  t.equal(isLateAt(hoursAgo(5), hoursAgo(6)), false)
  t.equal(isLateAt(hoursAgo(5), hoursAgo(5)), false, 'reviews of the same instant count in the order of arrival')
  t.equal(isLateAt(hoursAgo(5), hoursAgo(4)), true)
  t.equal(isLateAt(null, hoursAgo(0)), false)
  t.equal(isLateAt(hoursAgo(400), hoursAgo(14 * 24)), false, 'both times are limited to the same instant')
  // The clock was set back by an hour after the latest review.
  t.equal(isLateAt(null, hoursAgo(-1)), false, 'a review without a time counts')
  t.equal(isLateAt(hoursAgo(1), hoursAgo(-1)), false, 'a review of today counts')
  t.equal(isLateAt(hoursAgo(24), hoursAgo(-1)), true)
  t.equal(isLateAt(hoursAgo(-30), hoursAgo(-1)), false, 'a client whose clock is fast counts as now')
})

t.test('parses instants of RFC 3339', async (t) => {
  for (const [text, expected] of [
    ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21 08:00:00.25+01:00', '2026-11-21T07:00:00.250Z'],
    ['2026-11-21t08:00:00.123456789z', '2026-11-21T08:00:00.123Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000Z'],
    ['2016-12-31T23:59:60.5+00:00', '2016-12-31T23:59:59.500Z'],
    ['2026-11-21T08:00:00+01', '2026-11-21T07:00:00.000Z'],
    ['2026-11-21T08:00:00-0130', '2026-11-21T09:30:00.000Z'],
  ] as const) {
    t.equal(parseInstant(text)?.toISOString(), expected, text)
  }
  t.equal(parseInstant('gestern'), undefined)
})
