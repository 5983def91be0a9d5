import t from 'tap'
import { readInBatches } from '../../db/queries/read-in-batches.js'

const MOST_AT_ONCE = 100

t.test('reads all rows in batches, up to the limit', async (t) => {
  for (const stored of [0, 1, 99, 100, 101, 200, 270]) {
    for (const most of [undefined, 1, 100, 101, 230, 1_001]) {
      const read = async (last: number | undefined, limit: number) => {
        t.ok(limit > 0 && limit <= MOST_AT_ONCE)
        const first = last === undefined ? 0 : last + 1
        return Array.from({ length: Math.min(limit, stored - first) }, (_, index) => first + index)
      }
      const expected = Array.from({ length: Math.min(stored, most ?? stored) }, (_, index) => index)
      t.strictSame(await readInBatches(read, most), expected)
    }
  }
})
