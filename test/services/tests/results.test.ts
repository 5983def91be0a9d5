import t from 'tap'
import { isReviewOpen } from '../../../src/domain/tests/review.js'
import { reviewStateOf } from '../../../src/services/tests/results.js'
import { DEFINITION } from '../../support/taken-tests.js'

const definition = { ...DEFINITION, attempts: 3, closes: '2026-11-30', review_when: 'passed_or_last' as const }

t.test(
  'without a pass the review opens after the last attempt, or when no further attempt can be started',
  async (t) => {
    const isOpen = (attempts: number, openId: number | null, today: string) => {
      return isReviewOpen(reviewStateOf(definition, { attempts, openId, hasPassed: false }, definition, today))
    }
    t.equal(isOpen(1, null, '2026-11-30'), false)
    t.equal(isOpen(3, null, '2026-11-30'), true)
    t.equal(isOpen(3, 7, '2026-11-30'), false)
    t.equal(isOpen(1, null, '2026-12-01'), true)
    t.equal(isOpen(2, 7, '2026-12-01'), false)
  },
)

t.test(
  'a review that opens after closing waits for the last day of the published version, if that is later',
  async (t) => {
    const own = { ...definition, review_when: 'closed' as const }
    const isOpen = (closes: string | null, today: string, attempts = 1) => {
      const mine = { attempts, openId: null, hasPassed: false }
      return isReviewOpen(reviewStateOf(own, mine, { attempts: 3, closes }, today))
    }
    t.equal(isOpen('2026-11-30', '2026-11-30'), false)
    t.equal(isOpen('2026-11-30', '2026-12-01'), true)
    t.equal(isOpen('2026-12-31', '2026-12-31'), false, 'extended')
    t.equal(isOpen('2026-12-31', '2027-01-01'), true)
    t.equal(isOpen('2026-11-01', '2026-11-30'), false, 'shortened')
    t.equal(isOpen(null, '2026-12-01'), false, 'no last day any more')
    t.equal(isOpen(null, '2026-12-01', 3), true, 'no last day any more, after the last attempt')
  },
)
