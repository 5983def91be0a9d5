import type { Kysely, Transaction } from 'kysely'
import { type Actor, type AuditAction, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { lockCardWriters } from '../../../db/queries/content/editing/cards.js'
import { insertEditor } from '../../../db/queries/content/editors.js'
import {
  deleteCards,
  deleteEmptyChanges,
  deleteItems,
  deleteSource,
  findSource,
  findSourceContent,
  insertSource,
  markSourceAsArchived,
  markSourceAsRestored,
  restoreCards,
  restoreDecksAndSheets,
  type Source,
  type SourceContent,
  updateSourceName,
} from '../../../db/queries/content/sources.js'
import { archiveCards, archiveDecks, archiveSheets } from '../../../db/queries/content/write.js'
import { tryLock } from '../../../db/queries/try-lock.js'
import type { Database } from '../../../db/types.js'
import { IMPORT_RUNS, SOURCE_NOT_FOUND } from '../../domain/content/refusals.js'
import { createOnce, type FormRequest } from '../create-once.js'
import { dropUnusedPictures } from './pictures.js'
import { inCardBatches } from './write.js'

/**
 * Creates a source that is written in the browser and makes the caller its editor, with an audit entry. A repeated
 * request creates none and returns the source in its current state.
 * @throws ClientIdUsed if the client id belongs to another source
 */
export async function createSource(
  db: Kysely<Database>,
  actor: Actor,
  name: string,
  request?: FormRequest,
): Promise<Source> {
  return db.transaction().execute(async (transaction) => {
    const id = await createOnce(transaction, request, {
      kind: 'source',
      input: { name },
      create: () => insert(transaction, actor, name),
      name: async (id) => (await findSource(transaction, id)) && { id },
    })
    const source = await findSource(transaction, id)
    if (source === undefined) throw SOURCE_NOT_FOUND
    return source
  })
}

async function insert(transaction: Transaction<Database>, actor: Actor, name: string): Promise<number> {
  const by = actor.actor_id === null ? null : actor.actor
  const file = { file_name: null, size_bytes: 0 }
  const id = await insertSource(transaction, { kind: 'written', name, created_by: by, updated_by: by, ...file })
  if (actor.actor_id !== null) await insertEditor(transaction, id, actor.actor_id)
  await insertAuditEntry(transaction, actor, { action: 'source.create', target_id: id, target: name })
  return id
}

/** Renames a source, with an audit entry if the name changes. @throws SOURCE_NOT_FOUND if the source does not exist */
export async function renameSource(db: Kysely<Database>, actor: Actor, id: number, name: string): Promise<Source> {
  return db.transaction().execute(async (transaction) => {
    const source = await findSource(transaction, id)
    if (source === undefined || !(await updateSourceName(transaction, id, name))) throw SOURCE_NOT_FOUND
    if (source.name !== name) {
      const details = { from: source.name }
      await insertAuditEntry(transaction, actor, { action: 'source.rename', target_id: id, target: name, details })
    }
    return { ...source, name }
  })
}

/**
 * Archives a source and its content. `restoreSource` restores the content with all progress; another upload restores
 * the content that the upload contains.
 * @throws SOURCE_NOT_FOUND if the source does not exist
 * @throws IMPORT_RUNS if an import or another change of a source is running
 */
export function archiveSource(db: Kysely<Database>, actor: Actor, id: number): Promise<void> {
  return changeSource(db, actor, id, 'source.archive', async (transaction, { decks, cards, cheatsheets }) => {
    await inCardBatches(transaction, cards, (batch) => archiveCards(transaction, batch))
    await archiveDecks(transaction, decks)
    await archiveSheets(transaction, cheatsheets)
    await markSourceAsArchived(transaction, id)
  })
}

/**
 * Restores the content that was archived with the source or later, including drafts and pools.
 * @throws SOURCE_NOT_FOUND if the source does not exist
 * @throws IMPORT_RUNS if an import or another change of a source is running
 */
export function restoreSource(db: Kysely<Database>, actor: Actor, id: number): Promise<void> {
  return changeSource(db, actor, id, 'source.restore', async (transaction, content) => {
    await restoreDecksAndSheets(transaction, id, content)
    await inCardBatches(transaction, content.cards, (batch) => restoreCards(transaction, id, batch))
    await markSourceAsRestored(transaction, id)
  })
}

/**
 * Deletes a source and its content with all progress, and the pictures that no text shows any more.
 * @throws SOURCE_NOT_FOUND if the source does not exist
 * @throws IMPORT_RUNS if an import or another change of a source is running
 */
export function purgeSource(db: Kysely<Database>, actor: Actor, id: number): Promise<void> {
  return changeSource(db, actor, id, 'source.purge', async (transaction, content) => {
    await inCardBatches(transaction, content.cards, (batch) => deleteCards(transaction, batch))
    await deleteItems(transaction, content)
    await deleteEmptyChanges(transaction, id)
    await deleteSource(transaction, id)
    await dropUnusedPictures(transaction)
  })
}

/**
 * Deletes a source without its content. Its decks, sheets and tests stay unchanged until a file with the same slug in
 * the content folder describes them; cards with the same keys then keep all progress.
 * @throws SOURCE_NOT_FOUND if the source does not exist
 * @throws IMPORT_RUNS if an import or another change of a source is running
 */
export function releaseSource(db: Kysely<Database>, actor: Actor, id: number): Promise<void> {
  return changeSource(db, actor, id, 'source.release', (transaction) => deleteSource(transaction, id))
}

type Change = (transaction: Transaction<Database>, content: SourceContent) => Promise<void>

async function changeSource(
  db: Kysely<Database>,
  actor: Actor,
  id: number,
  action: AuditAction,
  change: Change,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!(await tryLock(transaction, 'import'))) throw IMPORT_RUNS
    const source = await findSource(transaction, id)
    if (source === undefined) throw SOURCE_NOT_FOUND
    // Waits for concurrent edits, so that a card that an editor is moving out of the source is not included.
    await lockCardWriters(transaction)
    const content = await findSourceContent(transaction, id)
    await change(transaction, content)
    const { decks, cards, cheatsheets, tests } = content
    const counts = { decks: decks.length, cards: cards.length, cheatsheets: cheatsheets.length, tests: tests.length }
    const details = { kind: source.kind, ...counts }
    await insertAuditEntry(transaction, actor, { action, target_id: id, target: source.name, details })
  })
}
