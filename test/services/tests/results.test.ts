import t from 'tap'
import { isReviewOpen } from '../../../src/domain/tests/review.js'
import { reviewStateOf } from '../../../src/services/tests/results.js'
import { DEFINITION } from '../../support/taken-tests.js'

const definition = { ...DEFINITION, attempts: 3, closes: '2026-11-30', review_when: 'passed_or_last' as const }

function attempt(ended_at: Date | null) {
  const facts = { id: 1, slug: 'test', test_id: 1, version: 1, user_id: 1, number: 1, deadline_at: null }
  const times = {
    started_at: new Date(0),
    ended_at,
    ended_by: null,
    answers_deleted_at: null,
    last_saved_at: new Date(0),
  }
  return { ...facts, ...times, client_id: 'client-1', counted: true, passed: false, score_percent: 10, definition }
}

t.test('without a pass the review opens after the last attempt, or once no further one can be started', async (t) => {
  const isOpen = (ended: (Date | null)[], today: string) => {
    const all = ended.map(attempt)
    return isReviewOpen(reviewStateOf({ definition }, all, definition, today))
  }
  const end = new Date(1)
  t.equal(isOpen([end], '2026-11-30'), false)
  t.equal(isOpen([end, end, end], '2026-11-30'), true)
  t.equal(isOpen([end], '2026-12-01'), true)
  t.equal(isOpen([end, null], '2026-12-01'), false)
})

t.test(
  'a review that opens after closing waits for the last day of the published version, if that is later',
  async (t) => {
    const own = { ...definition, review_when: 'closed' as const }
    const isOpen = (closes: string | null, today: string) => {
      const all = [{ ...attempt(new Date(1)), definition: own }]
      return isReviewOpen(reviewStateOf({ definition: own }, all, { attempts: 3, closes }, today))
    }
    t.equal(isOpen('2026-11-30', '2026-11-30'), false)
    t.equal(isOpen('2026-11-30', '2026-12-01'), true)
    t.equal(isOpen('2026-12-31', '2026-12-31'), false, 'extended')
    t.equal(isOpen('2026-12-31', '2027-01-01'), true)
    t.equal(isOpen('2026-11-01', '2026-11-30'), false, 'shortened')
    t.equal(isOpen(null, '2026-12-01'), true, 'no last day any more')
  },
)
