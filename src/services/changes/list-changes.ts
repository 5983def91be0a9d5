import type { Kysely } from 'kysely'
import { type ChangedIds, readChangeWindow } from '../../../db/queries/changes.js'
import type { Database } from '../../../db/types.js'
import { readCursor, writeCursor } from '../../domain/changes/cursor.js'
import { CHANGES_GONE } from '../../domain/changes/refusals.js'
import { cutPage } from '../../domain/page.js'

export interface ChangesQuery {
  since: Date
  /** `next_after` of the previous page */
  after: number | undefined
  limit: number
}

export interface Deleted {
  id: number
  deleted: true
}

export interface ChangedPage<T> {
  entries: (T | Deleted)[]
  next_after: number | null
  next_changed_since: Date
}

/** The lowest integer of 32 bits */
const BEFORE_ALL = -(2 ** 31)

/**
 * Returns a page of changed entries in the order of their ids. See `docs/decisions/0063-changed-since.md` for the proof
 * that a caller who continues with `next_changed_since` of the last page misses no change.
 * @param listIds returns ids of changed entries, also of deleted ones, in ascending order
 * @param find returns those of the entries that exist
 * @throws CHANGES_GONE if the log may lack changes since the instant
 */
export async function listChanges<T extends { id: number }>(
  db: Kysely<Database>,
  { since, after, limit }: ChangesQuery,
  { listIds, find }: { listIds: (changed: ChangedIds) => Promise<number[]>; find: (ids: number[]) => Promise<T[]> },
): Promise<ChangedPage<T>> {
  const { now, is_gone, ...window } = await readChangeWindow(db, since)
  if (is_gone) throw CHANGES_GONE
  const { id, horizon } = after === undefined ? { id: BEFORE_ALL, ...window } : readCursor(after, now)
  const { page, next } = cutPage(await listIds({ since, after: id, limit: limit + 1 }), limit, (last) => last)
  const found = new Map((await find(page)).map((entry) => [entry.id, entry]))
  return {
    entries: page.map((changed) => found.get(changed) ?? { id: changed, deleted: true as const }),
    next_after: next === null ? null : writeCursor({ id: next, horizon }),
    next_changed_since: horizon,
  }
}
