import t from 'tap'
import { cutPage } from '../../src/domain/page.js'

t.test('a page ends at its limit and names its last row only if another one follows', async (t) => {
  const rows = [7, 5, 2].map((id) => ({ id }))
  const cut = (limit: number) => cutPage(rows, limit, ({ id }) => id)
  t.strictSame(cut(2), { page: [{ id: 7 }, { id: 5 }], next: 5 })
  t.strictSame(cut(3), { page: rows, next: null })
  t.strictSame(cutPage([], 3, String), { page: [], next: null })
})
