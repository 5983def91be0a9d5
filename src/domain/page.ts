/**
 * Cuts a page from at most `limit` + 1 rows; the extra row shows that another page follows.
 * @returns `page`, and `next`: the key of the last row of the page, or null if no further page follows
 * @example cutPage([{ id: 3 }, { id: 2 }, { id: 1 }], 2, ({ id }) => id) // { page: [{ id: 3 }, { id: 2 }], next: 2 }
 */
export function cutPage<T, K>(rows: readonly T[], limit: number, keyOf: (row: T) => K): { page: T[]; next: K | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next: last !== undefined && rows.length > limit ? keyOf(last) : null }
}
