import type { Kysely } from 'kysely'
import { type ChangedIds, type ListedTable, listDeleted, readChangeWindow } from '../../../db/queries/changes.js'
import type { Database } from '../../../db/types.js'
import { readCursor, writeCursor } from '../../domain/changes/cursor.js'
import { CHANGES_GONE } from '../../domain/changes/refusals.js'
import { cutPage } from '../../domain/page.js'

export interface ChangesQuery {
  /** Id of the caller */
  userId: number
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

export interface ChangesReader<T> {
  /** Returns ids of changed entries in ascending order, with those of deleted ones if the caller is told of them */
  listIds(changed: ChangedIds): Promise<number[]>
  /** Returns those of the entries that exist, match the filter and are visible to the caller */
  find(ids: number[]): Promise<T[]>
  /** Table of the entries; undefined if the caller is not told of deleted ones */
  table: ListedTable | undefined
}

/**
 * Returns a page of changed entries in the order of their ids. See `docs/decisions/0063-changed-since.md` for the proof
 * that a caller who continues with `next_changed_since` of the last page misses no change.
 * @param prepare called after the horizon was read; reads the rights of the caller and what all entries share
 * @throws CHANGES_GONE if the log may lack changes since the instant, or the caller has got other rights since then
 */
export async function listChanges<T extends { id: number }>(
  db: Kysely<Database>,
  { userId, since, after, limit }: ChangesQuery,
  prepare: () => Promise<ChangesReader<T>>,
): Promise<ChangedPage<T>> {
  const { now, is_gone, ...window } = await readChangeWindow(db, { since, userId })
  if (is_gone) throw CHANGES_GONE
  const { id: start, horizon } = after === undefined ? { id: BEFORE_ALL, ...window } : readCursor(after, now)
  const { listIds, find, table } = await prepare()
  const { page, next } = cutPage(await listIds({ since, after: start, limit: limit + 1 }), limit, (last) => last)
  const found = new Map((await find(page)).map((entry) => [entry.id, entry]))
  const absent = page.filter((id) => !found.has(id))
  const deleted = new Set(table === undefined ? [] : await listDeleted(db, table, absent))
  const entries: (T | Deleted)[] = []
  for (const id of page) {
    const entry = found.get(id)
    if (entry !== undefined) entries.push(entry)
    else if (deleted.has(id)) entries.push({ id, deleted: true })
  }
  return {
    entries,
    next_after: next === null ? null : writeCursor({ id: next, horizon }),
    next_changed_since: horizon,
  }
}
