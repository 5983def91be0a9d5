import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { type AccountWithState, findCredentials } from '../../../db/queries/accounts/users.js'
import { deleteEditor, hasWriter, insertEditor, lockEditors } from '../../../db/queries/content/editors.js'
import { findSource, type Source } from '../../../db/queries/content/sources.js'
import type { Database } from '../../../db/types.js'
import { USER_NOT_FOUND } from '../../domain/accounts/refusals.js'
import { LAST_EDITOR, NOT_AN_AUTHOR, SOURCE_NOT_FOUND } from '../../domain/content/refusals.js'

/**
 * Makes a user an editor of the source, with an audit entry.
 * @throws SOURCE_NOT_FOUND if the source does not exist
 * @throws USER_NOT_FOUND if no user has the name
 * @throws NOT_AN_AUTHOR if the user may not write content
 */
export function addEditor(db: Kysely<Database>, actor: Actor, sourceId: number, username: string): Promise<void> {
  return changeEditors(db, sourceId, username, async (transaction, source, user) => {
    if (!user.is_author && !user.is_admin) throw NOT_AN_AUTHOR
    if (!(await insertEditor(transaction, sourceId, user.id))) return
    const details = { username: user.username }
    const deed = { action: 'editor.add', target_id: sourceId, target: source.name, details } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}

/**
 * Removes an editor of the source, with an audit entry.
 * @param mayBeLast whether the source may be left without an editor; true for administrators
 * @throws SOURCE_NOT_FOUND if the source does not exist
 * @throws USER_NOT_FOUND if no user has the name
 * @throws LAST_EDITOR if no editor who may write would remain and `mayBeLast` is false
 */
export function removeEditor(
  db: Kysely<Database>,
  actor: Actor,
  sourceId: number,
  username: string,
  mayBeLast: boolean,
): Promise<void> {
  return changeEditors(db, sourceId, username, async (transaction, source, user) => {
    if (!(await deleteEditor(transaction, sourceId, user.id))) return
    if (!mayBeLast && !(await hasWriter(transaction, sourceId))) throw LAST_EDITOR
    const details = { username: user.username }
    const deed = { action: 'editor.remove', target_id: sourceId, target: source.name, details } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}

type Change = (transaction: Transaction<Database>, source: Source, user: AccountWithState) => Promise<void>

async function changeEditors(db: Kysely<Database>, sourceId: number, username: string, change: Change): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // The lock serialises concurrent removals, so that two editors cannot remove each other and leave no editor.
    const source = (await lockEditors(transaction, sourceId)) ? await findSource(transaction, sourceId) : undefined
    if (source === undefined) throw SOURCE_NOT_FOUND
    const user = await findCredentials(transaction, username)
    if (user === undefined) throw USER_NOT_FOUND
    await change(transaction, source, user)
  })
}
