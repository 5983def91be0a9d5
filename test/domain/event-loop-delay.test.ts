import t from 'tap'
import { EventLoopDelay } from '../../src/domain/event-loop-delay.js'

t.test('two late samples in a row show a delay, a single long task does not', async (t) => {
  const delay = new EventLoopDelay(500, 0)
  for (const [now, isTooLong] of [
    [500, false],
    [3_000, false],
    [3_500, false],
    [4_501, false],
    [5_502, true],
    [6_503, true],
    [7_503, false],
  ] as const) {
    delay.sample(now)
    t.equal(delay.isTooLong(), isTooLong, `${now} ms`)
  }
})
