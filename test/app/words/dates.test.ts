import t from 'tap'
import { absoluteDay, daysBetween, momentText, relativeDay, shortDay } from '../../../web/src/words/dates.js'
import fc from '../../support/property.js'

const TODAY = '2026-11-21'

t.test('describes days relative to today', async (t) => {
  for (const [day, long, short] of [
    ['2026-11-21', 'heute', 'heute'],
    ['2026-11-22', 'morgen', 'morgen'],
    ['2026-11-23', 'übermorgen', '2 T.'],
    ['2026-11-24', 'in 3 Tagen', '3 T.'],
    ['2026-12-04', 'in 13 Tagen', '13 T.'],
    ['2026-12-05', 'in 2 Wochen', '2 Wo.'],
    ['2027-01-19', 'in 8 Wochen', '8 Wo.'],
    ['2027-01-20', 'in 2 Monaten', '2 Mon.'],
    ['2028-11-19', 'in 24 Monaten', '24 Mon.'],
    ['2028-11-20', 'in 2 Jahren', '2 J.'],
    ['2036-11-21', 'in 10 Jahren', '10 J.'],
    ['2026-11-20', 'gestern', 'gestern'],
    ['2026-11-19', 'vorgestern', 'vor 2 T.'],
    ['2026-11-07', 'vor 2 Wochen', 'vor 2 Wo.'],
  ] as const) {
    t.equal(relativeDay(day, TODAY), long, day)
    t.equal(shortDay(day, TODAY), short.replace(/ (?=\S+\.$)/, '\u00a0'), day)
  }
  t.equal(absoluteDay('2026-11-28'), 'Samstag, 28. November 2026')
})

t.test('a later day is never described as nearer', async (t) => {
  const order = (text: string) => {
    const [, count, unit] = /(\d+) (\S+)/.exec(text) ?? []
    const lengths: Record<string, number> = { Tagen: 1, Wochen: 7, Monaten: 30.44, Jahren: 365.25 }
    return unit === undefined
      ? ['heute', 'morgen', 'übermorgen'].indexOf(text)
      : Number(count) * (lengths[unit] as number)
  }
  const dayAfter = (days: number) => new Date(Date.UTC(2026, 10, 21 + days)).toISOString().slice(0, 10)
  fc.assert(
    fc.property(fc.nat(36_500), fc.nat(36_500), (a, b) => {
      const [near, far] = [Math.min(a, b), Math.max(a, b)].map((days) => order(relativeDay(dayAfter(days), TODAY)))
      return daysBetween(TODAY, dayAfter(a)) === a && (near as number) <= (far as number)
    }),
  )
  t.equal(daysBetween('2026-03-28', '2026-03-30'), 2, 'also when the clocks change')
})

t.test('describes recent times by clock and older ones by date', async (t) => {
  const now = new Date(2026, 10, 21, 15, 30)
  t.equal(momentText(new Date(2026, 10, 21, 8, 5), now), '08:05')
  t.equal(momentText(new Date(2026, 10, 20, 23, 59), now), 'gestern, 23:59')
  t.equal(momentText(new Date(2026, 10, 1, 12, 0), now), '1. November, 12:00')
  t.equal(momentText(new Date(2025, 11, 24, 18, 0), now), '24. Dezember 2025, 18:00')
})
