import { type Insertable, sql, type Transaction } from 'kysely'
import type { ContentChangesTable, Database, ItemState } from '../../../types.js'

/**
 * Inserts a change and makes it the change of the transaction: triggers write its id beside the texts that later
 * statements of the transaction supersede.
 */
export async function insertChange(
  transaction: Transaction<Database>,
  change: Insertable<ContentChangesTable>,
): Promise<number> {
  const { id } = await transaction
    .with('change', (db) => db.insertInto('content_changes').values(change).returning('id'))
    .selectFrom('change')
    .select(({ ref }) => [
      'id',
      sql<string>`set_config('training.change_id', ${ref('id')}::text, true)`.as('change_setting'),
    ])
    .executeTakeFirstOrThrow()
  return id
}

/** An item of a change with its state before (null if created) and after it. */
export type ChangedItem = ({ card_id: number } | { cheatsheet_id: number }) & {
  before: ItemState | null
  after: ItemState
}

export async function insertChangeItems(
  transaction: Transaction<Database>,
  changeId: number,
  items: readonly ChangedItem[],
): Promise<void> {
  await transaction
    .insertInto('content_change_items')
    .values(
      items.map(({ before, after, ...item }) => ({
        change_id: changeId,
        ...item,
        before: before === null ? null : JSON.stringify(before),
        after: JSON.stringify(after),
      })),
    )
    .execute()
}
