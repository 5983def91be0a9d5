/** Maximum number of rows per statement, because the driver converts all rows of a statement without yielding */
const ROWS_AT_ONCE = 100

/**
 * Reads rows in batches.
 * @param read returns at most `limit` rows that follow the row `last`; undefined means the first rows
 * @param most maximum number of rows; default: no limit
 */
export async function readInBatches<T>(
  read: (last: T | undefined, limit: number) => Promise<T[]>,
  most = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const rows: T[] = []
  for (;;) {
    const limit = Math.min(ROWS_AT_ONCE, most - rows.length)
    const batch = await read(rows.at(-1), limit)
    rows.push(...batch)
    if (batch.length < limit || rows.length >= most) return rows
  }
}
