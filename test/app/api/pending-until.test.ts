import t from 'tap'
import { pendingUntil } from '../../../web/src/api/pending-until.js'

const list = { data: ['a'], error: null, isPending: false, refetch: () => {} }
const asked = { isFetched: false, failureCount: 0 }
const fetched = { isFetched: true, failureCount: 0 }

t.test('waits until the other queries have a response', async (t) => {
  t.match(pendingUntil(list, fetched, asked), { data: undefined, isPending: true })
  t.match(pendingUntil(list, fetched, fetched), { data: ['a'], isPending: false })
  t.match(pendingUntil({ ...list, data: undefined, isPending: true }, fetched), { data: undefined, isPending: true })
})

t.test('does not wait for a query that failed, even while it is retried', async (t) => {
  t.match(pendingUntil(list, { isFetched: false, failureCount: 1 }), { data: ['a'], isPending: false })
  // State of a failed query while it is fetched again
  const refetching = { isFetched: true, failureCount: 0, isPending: true }
  t.match(pendingUntil(list, refetching), { data: ['a'], isPending: false })
})

t.test('does not delay an error', async (t) => {
  const error = new Error('refused')
  t.equal(pendingUntil({ ...list, data: undefined, error }, asked).error, error)
})
