import t from 'tap'
import { costOf, reviewsAt, USUAL_COSTS } from '../../../web/src/pages/einstellungen/cost.js'
import { deviceName } from '../../../web/src/words/devices.js'
import { usualTime } from '../../../web/src/words/estimate.js'
import { aboutMinutes, count, countdown, countOf, minutes, percent } from '../../../web/src/words/numbers.js'
import fc from '../../support/property.js'

t.test('formats numbers in German', async (t) => {
  t.equal(count(1234567), '1.234.567')
  t.equal(countOf(1, 'Karte', 'Karten'), '1 Karte')
  t.equal(countOf(0, 'Karte', 'Karten'), '0 Karten')
  t.equal(percent(0.9), '90\u00a0%')
  t.equal(minutes(20_000), 'unter einer Minute')
  t.equal(minutes(60_000), '1 Minute')
  t.equal(minutes(12 * 60_000), '12 Minuten')
  t.equal(minutes(60 * 60_000), '1 Stunde')
  t.equal(minutes(125 * 60_000), '2 Stunden 5 Minuten')
  t.equal(countdown(0), '0:00')
  t.equal(countdown(42), '0:42')
  t.equal(countdown(299), '4:59')
  t.equal(countdown(3_605), '1:00:05')
  t.equal(aboutMinutes(20_000), 'unter einer Minute')
  t.equal(aboutMinutes(12 * 60_000), 'etwa 12 Minuten')
})

t.test('the usual time per card is the median of days with times', async (t) => {
  const day = (reviews: number, seconds: number) => ({ reviews, duration_ms: reviews * seconds * 1000 })
  t.equal(usualTime([]), 10_000)
  t.equal(usualTime([day(10, 0)]), 10_000)
  t.equal(usualTime([day(10, 4), day(1, 300), day(20, 6), day(0, 0)]), 6_000)
  t.equal(usualTime([day(10, 4), day(20, 6)]), 5_000)
})

t.test('a higher retention never costs less', async (t) => {
  const wish = fc.integer({ min: 80, max: 97 })
  fc.assert(
    fc.property(wish, wish, (a, b) => a >= b || reviewsAt(USUAL_COSTS, a / 100) < reviewsAt(USUAL_COSTS, b / 100)),
  )
  const own = [0.8, 0.9, 0.97].map((desired_retention, at) => ({ desired_retention, reviews_per_card: 10 * (at + 1) }))
  t.ok(Math.abs(reviewsAt(own, 0.85) - 15) < 1e-9)
  t.match(costOf(0.9, own), /10 vergessen.*übliche/)
  t.match(costOf(0.8, own), /20 vergessen.*50 % weniger/)
  t.match(costOf(0.97, own), /3 vergessen.*50 % mehr/)
})

t.test('describes devices in everyday words', async (t) => {
  const names = {
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox auf Windows',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36':
      'Chrome auf Linux',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1':
      'Safari auf iPhone',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0': 'Edge auf Windows',
    'curl/8.5.0': 'curl',
    'etwas/1.0': 'Unbekanntes Gerät',
  }
  for (const [userAgent, name] of Object.entries(names)) t.equal(deviceName(userAgent), name)
  t.equal(deviceName(null), 'Unbekanntes Gerät')
})
