import t from 'tap'
import { withoutRated } from '../../../web/src/session/without-rated.js'
import type { Decision } from '../../../web/src/storage/entry.js'

const rated = (card_id: number, rating: Decision, isNew: boolean, deck = 'git') => ({
  card_id,
  rating,
  from: { deck, isNew },
})

t.test('subtracts each rated card once from the number that it came from', async (t) => {
  const ratings = [rated(1, 'medium', false), rated(2, 'easy', true), rated(3, 'tomorrow', true, 'sql')]
  t.strictSame(withoutRated({ due: 5, new: 20 }, ratings), { due: 4, new: 18 })
  t.strictSame(withoutRated({ due: 5, new: 20 }, ratings, 'sql'), { due: 5, new: 19 })
  t.strictSame(withoutRated({ due: 5, new: 20 }, []), { due: 5, new: 20 })
  t.strictSame(withoutRated({ due: 0, new: 0 }, ratings), { due: 0, new: 0 })
})

t.test('a card is due until its last rating is not „Nochmal“', async (t) => {
  const again = [rated(1, 'again', true), rated(2, 'again', false)]
  t.strictSame(withoutRated({ due: 5, new: 20 }, again), { due: 6, new: 19 })
  t.strictSame(withoutRated({ due: 5, new: 20 }, [...again, rated(1, 'medium', false)]), { due: 5, new: 19 })
})

t.test('ignores ratings outside of a study session', async (t) => {
  t.strictSame(withoutRated({ due: 5, new: 20 }, [{ card_id: 1, rating: 'again' }]), { due: 5, new: 20 })
})
