import t from 'tap'
import { isLate, recordResponse } from '../../../web/src/api/late-response.js'

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

t.test('after a quick response, later requests wait the full time', async (t) => {
  const asked = after(10).then(recordResponse)
  t.equal(await isLate(asked), false)
  await after(600)
  t.equal(await isLate(after(50)), false)
})

t.test('after a late request the next one counts as late at once, until a response arrives', async (t) => {
  recordResponse()
  t.equal(await isLate(after(700)), true)
  t.equal(await isLate(after(50)), true)
  recordResponse()
  t.equal(await isLate(after(50)), false)
})
