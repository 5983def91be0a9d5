import t from 'tap'
import { after } from '../../../web/src/api/after.js'

const list = { data: ['a'], error: null, isPending: false, refetch: () => {} }
const asked = { isFetched: false, failureCount: 0 }
const answered = { isFetched: true, failureCount: 0 }

t.test('an answer waits until the others have one, too', async (t) => {
  t.match(after(list, answered, asked), { data: undefined, isPending: true })
  t.match(after(list, answered, answered), { data: ['a'], isPending: false })
  t.match(after({ ...list, data: undefined, isPending: true }, answered), { data: undefined, isPending: true })
})

t.test('but not for one that fails, and not while it is asked for anew', async (t) => {
  t.match(after(list, { isFetched: false, failureCount: 1 }), { data: ['a'], isPending: false })
  // As the library says of one that has failed for good, while it is asked for anew.
  const askedAnew = { isFetched: true, failureCount: 0, isPending: true }
  t.match(after(list, askedAnew), { data: ['a'], isPending: false })
})

t.test('a failure is not kept back', async (t) => {
  const error = new Error('refused')
  t.equal(after({ ...list, data: undefined, error }, asked).error, error)
})
