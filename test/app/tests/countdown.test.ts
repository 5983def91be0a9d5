import t from 'tap'
import { Countdown, spokenBetween } from '../../../web/src/pages/tests/attempt/countdown.js'

const DAY_MS = 86_400_000

t.test("counts down with the page's clock from the time that the service reported", async (t) => {
  const countdown = new Countdown(60, { elapsed: 1_000, wall: 0 })
  t.equal(countdown.secondsAt({ elapsed: 1_999, wall: 999 }), 60)
  t.equal(countdown.secondsAt({ elapsed: 11_000, wall: 10_000 }), 50)
  t.equal(countdown.secondsAt({ elapsed: 99_000, wall: 98_000 }), 0, 'never negative')
  countdown.sync(300, { elapsed: 99_000, wall: 98_000 })
  t.equal(countdown.secondsAt({ elapsed: 100_000, wall: 99_000 }), 299)
})

t.test('requests the time again after a sleep or a clock change, but not because the clock is wrong', async (t) => {
  const countdown = new Countdown(600, { elapsed: 0, wall: DAY_MS })
  t.notOk(countdown.isDoubtful({ elapsed: 30_000, wall: DAY_MS + 30_000 }), 'a day ahead')
  t.ok(countdown.isDoubtful({ elapsed: 30_000, wall: DAY_MS + 90_000 }), 'slept for a minute')
  t.ok(countdown.isDoubtful({ elapsed: 30_000, wall: 30_000 }), 'set back by a day')
  countdown.sync(500, { elapsed: 30_000, wall: 30_000 })
  t.notOk(countdown.isDoubtful({ elapsed: 31_000, wall: 31_000 }))
})

t.test('is announced only at five minutes and at one minute', async (t) => {
  const spoken: [number, string][] = []
  for (let seconds = 1_200; seconds > 0; seconds--) {
    const words = spokenBetween(seconds, seconds - 1)
    if (words !== undefined) spoken.push([seconds - 1, words])
  }
  t.strictSame(spoken, [
    [300, 'Noch 5 Minuten.'],
    [60, 'Noch 1 Minute.'],
  ])
  t.equal(spokenBetween(301, 58), 'Noch 1 Minute.', 'after a pause, only the latest announcement')
  t.equal(spokenBetween(60, 60), undefined)
})
