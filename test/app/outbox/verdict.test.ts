import t from 'tap'
import {
  delayAfter,
  judgeBatch,
  judgeRating,
  judgeUndo,
  messageOf,
  type Outcome,
  parseRetryAfter,
  responsesOf,
} from '../../../web/src/outbox/verdict.js'
import { estimateOffset } from '../../../web/src/platform/clock-offset.js'
import { own } from './outcomes.js'

const REVIEW = { review_id: 7, card_id: 1, progress: null, counts: { due: 0, new: 0 }, applied: true }

/** A response of a gateway or captive portal */
const foreign = (status: number, body: unknown): Outcome => ({ kind: 'received', status, isOwn: false, body })
const said = { message: 'So nicht' }

t.test('a stored review or a final refusal completes a rating', async (t) => {
  t.match(judgeRating(own(200, REVIEW)), { kind: 'done', response: { status: 200, body: REVIEW } })
  t.match(judgeRating(own(404, said, 'card_not_found')), { kind: 'done', response: { status: 404 } })
  t.match(judgeRating(own(409, said, 'other_review')), { kind: 'done' })
  t.match(judgeUndo(own(200, { card_id: 1, next_undo: null })), { kind: 'done' })
  t.match(judgeUndo(own(409, said, 'not_the_last')), { kind: 'done' })
})

t.test('an entry waits if a proxy responded instead of the service', async (t) => {
  for (const judge of [judgeRating, judgeUndo, (outcome: Outcome) => judgeBatch(outcome, 1)]) {
    for (const body of [undefined, null, [], 'ok', { portal: 'wlan' }, REVIEW, { results: [{}] }, said]) {
      for (const status of [200, 201, 204, 302, 400, 401, 403, 404, 405, 409, 413, 422]) {
        t.same(judge(foreign(status, body)), { kind: 'wait', obstacle: 'foreign' }, `${status} ${JSON.stringify(body)}`)
      }
    }
  }
})

t.test('a success of the service waits unless it is a review', async (t) => {
  for (const body of [undefined, {}, { ok: true }, { ...REVIEW, review_id: '7' }, { ...REVIEW, applied: undefined }]) {
    t.same(judgeRating(own(200, body)), { kind: 'wait', obstacle: 'foreign' })
  }
})

t.test('an entry waits after a refusal that its route does not document', async (t) => {
  t.same(judgeRating(own(404, said, 'unknown_endpoint')), { kind: 'wait', obstacle: 'service' })
  t.same(judgeRating(own(409, said, 'import_runs')), { kind: 'wait', obstacle: 'service' })
})

t.test('judges each rating of a batch separately', async (t) => {
  const results = [
    { status: 200, review: REVIEW },
    { status: 404, code: 'card_not_found', error: 'Karte nicht gefunden' },
    { status: 404, error: 'no Route matched' },
    { status: 200, review: { portal: 'wlan' } },
    { status: 400, code: 'invalid_input', error: 'So nicht' },
    null,
  ]
  t.match(judgeBatch(own(200, { results }), 6), { kind: 'done' })
  t.same(judgeBatch(own(200, { results }), 5), { kind: 'wait', obstacle: 'foreign' }, 'another number')
  t.match(
    judgeBatch(own(404, said, 'unknown_endpoint'), 6),
    { kind: 'done' },
    'without batches, ratings are sent one by one',
  )
  t.strictSame(
    responsesOf({ results }).map((response) => judgeRating(response).kind),
    ['done', 'done', 'wait', 'wait', 'refused', 'wait'],
  )
})

t.test('explains why a rating waits', async (t) => {
  t.same(judgeRating({ kind: 'lost' }), { kind: 'wait', obstacle: 'network' })
  for (const [status, obstacle] of [
    [401, 'login'],
    [403, 'forbidden'],
    [408, 'network'],
    [429, 'busy'],
    [500, 'service'],
    [503, 'service'],
  ] as const) {
    t.same(judgeRating(own(status, said, 'x')), { kind: 'wait', obstacle }, `${status}`)
  }
  for (const status of [400, 405, 413, 422]) {
    t.match(judgeRating(own(status, said, 'x')), { kind: 'refused', response: { status, body: said } }, `${status}`)
  }
  t.match(messageOf({}), /nicht angenommen/)
  t.match(judgeRating({ kind: 'received', status: 503, isOwn: false, body: {}, retryAfter: 7_000 }), {
    retryAfter: 7_000,
  })
})

t.test('delays grow to a minute, or longer if the service requests it', async (t) => {
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

t.test("learns the service's clock from its responses", async (t) => {
  const date = 'Sat, 21 Nov 2026 12:00:00 GMT'
  const service = Date.parse(date) + 500
  t.equal(estimateOffset(0, date, service - 100, service + 100), 0)
  t.equal(estimateOffset(0, date, service - 3_000, service + 1_000), 0, 'a difference within the tolerance')
  const slow = service - 3_600_000
  t.equal(estimateOffset(0, date, slow - 50, slow + 50), 3_600_000, 'an hour behind')
  t.equal(estimateOffset(3_600_000, date, slow + 900, slow + 1_000), 3_600_000, 'seconds do not matter')
  t.equal(estimateOffset(3_600_000, date, service, service), 0, 'the clock was corrected')
  for (const header of [null, 'gestern']) t.equal(estimateOffset(5, header, 0, 0), 5)
  t.equal(estimateOffset(5, date, 100, 50), 5, 'the clock jumped during the request')
})
