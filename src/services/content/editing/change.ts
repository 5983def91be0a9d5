import type { Transaction } from 'kysely'
import type { ChangeKind } from '../../../../db/column-types.js'
import { type ChangedItem, insertChange, insertChangeItems } from '../../../../db/queries/content/editing/changes.js'
import type { Database } from '../../../../db/types.js'

export interface ChangeOrigin {
  /** User who made or suggested the change; null on the command line */
  userId: number | null
  /** Editor who accepts a text that `userId` suggested */
  editorId?: number | null
  how: ChangeKind
  /** Id of the source; null for the content folder and for an undo whose source was deleted */
  sourceId: number | null
  summary?: object
  undoes?: number
}

/**
 * Inserts a change. In the history, all texts that the transaction replaces afterwards refer to this change. Must be
 * called only if content changes, because an edit without effect must not appear in the history.
 * @param items states of the changed items of an edit made by hand, unless `recordItems` records them later
 * @returns the id of the change
 */
export async function openChange(
  transaction: Transaction<Database>,
  origin: ChangeOrigin,
  items: readonly ChangedItem[] = [],
): Promise<number> {
  const { userId, editorId = null, how, sourceId, summary, undoes = null } = origin
  const change = {
    user_id: userId,
    editor_id: editorId,
    how,
    source_id: sourceId,
    summary: summary === undefined ? null : JSON.stringify(summary),
    undoes,
  }
  return insertChange(transaction, change, items)
}

export async function recordItems(
  transaction: Transaction<Database>,
  changeId: number,
  items: readonly ChangedItem[],
): Promise<void> {
  if (items.length > 0) await insertChangeItems(transaction, changeId, items)
}
