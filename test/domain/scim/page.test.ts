import t from 'tap'
import { limitMembers } from '../../../src/domain/scim/page.js'

t.test('pages of groups with many members are shorter, so that a response stays small', async (t) => {
  const cut = (...sizes: number[]) => limitMembers(sizes.map((size) => ({ size }))).map(({ size }) => size)
  t.strictSame(cut(), [])
  t.strictSame(cut(20_001, 1), [20_001], 'a large group comes alone')
  t.strictSame(cut(5_000, 15_000, 0), [5_000, 15_000, 0])
  t.strictSame(cut(5_000, 15_001, 1), [5_000], 'the next page begins with the group that did not fit')
})
