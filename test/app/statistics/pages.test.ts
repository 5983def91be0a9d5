import t from 'tap'
import { judgeRetention } from '../../../web/src/pages/statistik/judge-retention.js'
import { findUndoable, groupByDay } from '../../../web/src/pages/verlauf/group-by-day.js'

t.test('compares the reached retention with the desired one', async (t) => {
  const judge = (rate: number | null, reviews = 100, wish: number | undefined = 0.9) =>
    judgeRetention({ reviews, rate }, wish).replaceAll('\u00a0', ' ')
  t.equal(judge(null, 0), 'In dieser Zeit hast du noch keine Karte wiedergesehen.')
  t.equal(judge(0.91), 'Du hast 91 % gewusst, gewünscht sind 90 %. Das passt.')
  t.match(judge(0.85), /etwas weniger/)
  t.match(judge(0.97), /mehr als nötig/)
  t.match(judge(0.5, 10), /noch wenige Bewertungen/)
  t.equal(judgeRetention({ reviews: 100, rate: 0.9 }, undefined).replaceAll('\u00a0', ' '), 'Du hast 90 % gewusst.')
})

const entry = (id: number, values: object = {}) => ({
  id,
  kind: 'review' as const,
  studied_on: '2026-11-21',
  is_undone: false,
  applied: true,
  ...values,
})

t.test('only the latest valid review can be undone, on its day', async (t) => {
  const today = '2026-11-21'
  t.equal(findUndoable([entry(9, { kind: 'undo' }), entry(8, { is_undone: true }), entry(7), entry(6)], today), 7)
  t.equal(findUndoable([entry(8, { applied: false }), entry(7)], today), 7)
  t.equal(findUndoable([entry(7, { studied_on: '2026-11-20' }), entry(6)], today), undefined)
  t.equal(findUndoable([entry(7)], ''), undefined, 'while the current day is unknown')
  t.equal(findUndoable([], today), undefined)
})

t.test('groups entries by day in their order', async (t) => {
  const days = groupByDay([entry(4), entry(3, { studied_on: '2026-11-20' }), entry(2)])
  t.strictSame(
    days.map(({ day, entries }) => [day, entries.map(({ id }) => id)]),
    [
      ['2026-11-21', [4, 2]],
      ['2026-11-20', [3]],
    ],
  )
})
