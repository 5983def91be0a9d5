import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../../types.js'

export interface SourceEditor {
  id: number
  username: string
  display_name: string
}

/** Includes editors who have lost the right to edit the source. */
export async function listEditors(db: Kysely<Database>, sourceId: number): Promise<SourceEditor[]> {
  return db
    .selectFrom('source_editors')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['users.id', 'username', 'display_name'])
    .where('source_id', '=', sourceId)
    .orderBy('username')
    .execute()
}

/** Returns false if the user already is an editor. */
export async function insertEditor(db: Kysely<Database>, sourceId: number, userId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('source_editors')
    .values({ source_id: sourceId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export async function deleteEditor(db: Kysely<Database>, sourceId: number, userId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('source_editors')
    .where('source_id', '=', sourceId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns whether at least one editor of the source is an author or an administrator, and so may edit it. */
export async function hasWriter(db: Kysely<Database>, sourceId: number): Promise<boolean> {
  const first = await db
    .selectFrom('source_editors')
    .innerJoin('users', 'users.id', 'user_id')
    .select('user_id')
    .where('source_id', '=', sourceId)
    .where((eb) => eb.or([eb('is_author', '=', true), eb('is_admin', '=', true)]))
    .limit(1)
    .executeTakeFirst()
  return first !== undefined
}

/** Locks the row of a source until the transaction ends, so that changes of its editors wait for each other. */
export async function lockEditors(transaction: Transaction<Database>, sourceId: number): Promise<boolean> {
  const row = await transaction
    .selectFrom('content_sources')
    .select('id')
    .where('id', '=', sourceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}
