import { mock } from 'node:test'
import t from 'tap'
import { isLate, recordResponse } from '../../../web/src/api/late-response.js'

const never = () => new Promise<never>(() => {})

/** Calls `work` with timers that fire only in `mock.timers.tick`. */
async function withoutClock(work: () => Promise<void>): Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    await work()
  } finally {
    mock.timers.reset()
  }
}

t.test('after a quick response, later requests wait the full time', async (t) => {
  await withoutClock(async () => {
    t.equal(await isLate(Promise.resolve().then(recordResponse)), false)
    mock.timers.tick(500)
    const asked = isLate(never())
    mock.timers.tick(499)
    t.equal(await Promise.race([asked, Promise.resolve('waits')]), 'waits')
    mock.timers.tick(1)
    t.equal(await asked, true)
  })
})

t.test('after a late request the next one counts as late at once, until a response arrives', async (t) => {
  await withoutClock(async () => {
    recordResponse()
    const late = isLate(never())
    mock.timers.tick(500)
    t.equal(await late, true)
    t.equal(await isLate(never()), true)
    recordResponse()
    t.equal(await isLate(Promise.resolve()), false)
  })
})
