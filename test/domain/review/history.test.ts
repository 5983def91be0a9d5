import assert from 'node:assert/strict'
import t from 'tap'
import {
  effectiveHistories,
  findHoldoutStart,
  type HistoryEntry,
  listItems,
  parseEntry,
  reviewsBefore,
  toTrainingCsv,
} from '../../../src/domain/review/history.js'
import { RATINGS, type Rating } from '../../../src/domain/review/review.js'
import fc, { runs } from '../../support/property.js'

interface Live {
  last: number | null
  reviews: { id: number; rating: Rating; day: number }[]
  /** Reviews that can be undone; empty after a reset or a change by a script */
  undoable: { id: number; before: Live }[]
}

const NEW: Live = { last: null, reviews: [], undoable: [] }
const step = fc.record({
  kind: fc.constantFrom('review', 'review', 'review', 'review', 'late', 'undo', 'reset', 'script', 'move'),
  card: fc.nat(3),
  to: fc.nat(3),
  rating: fc.constantFrom(...RATINGS),
  wait: fc.nat(3),
})

t.test('property: undone, late and reset reviews are not in the training set', async () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cards: Live[] = [NEW, NEW, NEW, NEW]
      // Review histories that ended when a script replaced the row; the expected result still contains them.
      const ended: Live['reviews'][] = []
      const entries: HistoryEntry[] = []
      let [id, day] = [0, 20_000]
      for (const { kind, card, to, rating, wait } of steps) {
        const live = cards[card] as Live
        const entry = {
          id: ++id,
          kind: 'review' as const,
          undoes: null,
          rating,
          day,
          isLate: false,
          previous: live.last,
          hadMemory: live.reviews.length > 0,
        }
        if (kind === 'review') {
          day += wait
          entries.push({ ...entry, day })
          const reviews = [...live.reviews, { id, rating, day }]
          cards[card] = { last: id, reviews, undoable: [...live.undoable, { id, before: live }] }
        } else if (kind === 'late') {
          entries.push({ ...entry, isLate: true, day: day - 1 })
        } else if (kind === 'undo') {
          const undone = live.undoable.at(-1)
          if (undone === undefined) continue
          entries.push({ ...entry, kind, undoes: undone.id })
          cards[card] = undone.before
        } else if (kind === 'reset') {
          if (live.last === null) continue
          entries.push({ ...entry, kind, rating: null })
          cards[card] = NEW
        } else if (kind === 'script') {
          // A script replaces the row with a row without memory state.
          if (live.reviews.length > 0) ended.push(live.reviews)
          cards[card] = NEW
        } else if ((cards[to] as Live).last === null) {
          cards[card] = cards[to] as Live
          cards[to] = live
        }
      }
      const expected = [...ended, ...cards.map(({ reviews }) => reviews)].filter(({ length }) => length > 0)
      const order = (histories: Live['reviews'][]) =>
        [...histories].sort((one, two) => Number(one[0]?.id) - Number(two[0]?.id))
      assert.deepEqual(order(effectiveHistories(entries)), order(expected))
    }),
    { numRuns: runs(300) },
  )
})

t.test('a history whose first review is unknown is left out, also after an undo', async (t) => {
  const lines = [
    '7,r,,2,20000,0,3,1',
    '8,r,,2,20004,0,7,1',
    '9,u,8,2,20004,0,8,1',
    '10,r,,1,20004,0,7,1',
    '11,r,,3,20005,0,,0',
  ]
  t.strictSame(effectiveHistories(lines.map(parseEntry)), [[{ id: 11, rating: 'easy', day: 20_005 }]])
})

t.test('the training data are recalls of an earlier day, as rows that the library reads', async (t) => {
  const review = (id: number, day: number, rating: Rating = 'medium') => ({ id, day, rating })
  const histories = [
    [review(1, 10, 'again'), review(2, 10), review(5, 12), review(8, 20, 'easy')],
    [review(3, 11), review(7, 14, 'hard')],
  ]
  t.strictSame(listItems(histories), [5, 7, 8])
  t.equal(findHoldoutStart([5, 7, 8, 9]), 9, 'the last quarter')
  t.strictSame(reviewsBefore(histories, 3), [[review(1, 10, 'again'), review(2, 10)]])
  t.equal(
    toTrainingCsv(histories),
    `card_id,review_time,review_rating,review_state,review_duration
1,864000000,1,0,0
1,864001000,3,2,0
1,1036800000,3,2,0
1,1728000000,4,2,0
2,950400000,3,0,0
2,1209600000,2,2,0
`,
  )
})
