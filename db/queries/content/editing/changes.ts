import { type Insertable, type RawBuilder, sql, type Transaction } from 'kysely'
import type { ItemState } from '../../../column-types.js'
import type { Database } from '../../../types.js'

// Raw SQL: one statement inserts a change with its items from JSON and sets the configuration that triggers read.

export type ChangedItem = ({ card_id: number } | { cheatsheet_id: number }) & {
  before: ItemState | null
  after: ItemState
}

/**
 * Inserts a change with its items, makes it the change of the transaction and returns its id: triggers store this id
 * with the texts that later statements of the transaction supersede.
 */
export async function insertChange(
  transaction: Transaction<Database>,
  change: Insertable<Database['content_changes']>,
  items: readonly ChangedItem[],
): Promise<number> {
  const { rows } = await sql<{ id: number; change_setting: string }>`
    with change as (
      insert into content_changes (user_id, editor_id, how, source_id, summary, undoes)
      values (${change.user_id}, ${change.editor_id}, ${change.how}, ${change.source_id}, ${change.summary}::jsonb,
        ${change.undoes})
      returning id
    ),
    noted as (
      insert into content_change_items (change_id, card_id, cheatsheet_id, before, after)
      select change.id, item.* from change, ${recordsOf(items)}
    )
    select id, set_config('training.change_id', id::text, true) as change_setting from change`.execute(transaction)
  return (rows[0] as { id: number }).id
}

export async function insertChangeItems(
  transaction: Transaction<Database>,
  changeId: number,
  items: readonly ChangedItem[],
): Promise<void> {
  await sql`
    insert into content_change_items (change_id, card_id, cheatsheet_id, before, after)
    select ${changeId}, item.* from ${recordsOf(items)}`.execute(transaction)
}

export async function describeChange(
  transaction: Transaction<Database>,
  changeId: number,
  summary: object,
): Promise<void> {
  await transaction
    .updateTable('content_changes')
    .set({ summary: JSON.stringify(summary) })
    .where('id', '=', changeId)
    .execute()
}

/** Passes the items as one JSON parameter, because a statement can have at most 65,535 parameters. */
function recordsOf(items: readonly ChangedItem[]): RawBuilder<unknown> {
  const columns = sql`card_id integer, cheatsheet_id integer, before jsonb, after jsonb`
  return sql`jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item (${columns})`
}
