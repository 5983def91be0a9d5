import t from 'tap'
import { learnOffset } from '../../../web/src/outbox/clock.js'
import { delayAfter, judge, parseRetryAfter } from '../../../web/src/outbox/verdict.js'

const answered = (status: number, body: unknown = { message: 'So nicht' }) => judge({ kind: 'answered', status, body })

t.test('what an answer means', async (t) => {
  for (const status of [200, 404, 409]) t.same(answered(status), { kind: 'done' }, `${status}`)
  t.same(judge({ kind: 'lost' }), { kind: 'wait', obstacle: 'network' })
  for (const [status, obstacle] of [
    [401, 'login'],
    [403, 'forbidden'],
    [408, 'network'],
    [429, 'busy'],
    [500, 'service'],
    [503, 'service'],
    [302, 'service'],
  ] as const) {
    t.same(answered(status), { kind: 'wait', obstacle }, `${status}`)
  }
  for (const status of [200, 400, 401, 404, 409]) {
    t.same(answered(status, null).kind, 'wait', `${status} without JSON is not the service's`)
  }
  for (const status of [400, 405, 413, 422]) {
    t.same(answered(status), { kind: 'refused', status, message: 'So nicht' }, `${status}`)
  }
  t.match(answered(400, {}), { message: /nicht angenommen/ })
  t.match(judge({ kind: 'answered', status: 503, body: {}, retryAfter: 7_000 }), { retryAfter: 7_000 })
})

t.test('pauses grow to a minute, and longer when the service asks for it', async (t) => {
  t.strictSame(
    [1, 2, 3, 6, 7, 50].map((failures) => delayAfter(failures, 0.5)),
    [1_000, 2_000, 4_000, 32_000, 60_000, 60_000],
  )
  t.equal(delayAfter(1, 0), 750)
  t.equal(delayAfter(1, 0.5, 90_000), 90_000)
  t.equal(delayAfter(7, 0.5, 1_000), 60_000)
  t.equal(delayAfter(1, 0.5, 1e12), 3_600_000)
  const now = Date.parse('2026-11-21T12:00:00Z')
  t.equal(parseRetryAfter('7', now), 7_000)
  t.equal(parseRetryAfter('Sat, 21 Nov 2026 12:01:00 GMT', now), 60_000)
  t.equal(parseRetryAfter('Sat, 21 Nov 2026 11:01:00 GMT', now), 0)
  for (const text of [null, '', 'bald']) t.equal(parseRetryAfter(text, now), undefined)
})

t.test('the clock of the service is learned from its answers', async (t) => {
  const date = 'Sat, 21 Nov 2026 12:00:00 GMT'
  const service = Date.parse(date) + 500
  t.equal(learnOffset(0, date, service - 100, service + 100), 0)
  t.equal(learnOffset(0, date, service - 3_000, service + 1_000), 0, 'within doubt')
  const slow = service - 3_600_000
  t.equal(learnOffset(0, date, slow - 50, slow + 50), 3_600_000, 'an hour behind')
  t.equal(learnOffset(3_600_000, date, slow + 900, slow + 1_000), 3_600_000, 'seconds do not matter')
  t.equal(learnOffset(3_600_000, date, service, service), 0, 'somebody has put it right')
  for (const header of [null, 'gestern']) t.equal(learnOffset(5, header, 0, 0), 5)
  t.equal(learnOffset(5, date, 100, 50), 5, 'it jumped meanwhile')
})
