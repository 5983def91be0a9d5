import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { adoptDeck, adoptSheet, findDeckOwner, findSheetOwner } from '../../../db/queries/content/adopt.js'
import { findSource } from '../../../db/queries/content/sources.js'
import { findGroups } from '../../../db/queries/content/translations.js'
import { tryLock } from '../../../db/queries/try-lock.js'
import type { Database } from '../../../db/types.js'
import {
  CHEATSHEET_NOT_FOUND,
  DECK_NOT_FOUND,
  IMPORT_RUNS,
  NOT_WRITTEN,
  OWNED_BY_SOURCE,
  SOURCE_NOT_FOUND,
} from '../../domain/content/refusals.js'
import { openChange } from './editing/change.js'

export type Adopted = { deck: string } | { sheet: string }

/**
 * Moves a deck or sheet that belongs to no source into a source that is written in the browser, with its identities,
 * progress and history. Its original and all variants move with it, because a group belongs to one source. Later imports
 * of the content folder skip their files.
 * @throws SOURCE_NOT_FOUND, DECK_NOT_FOUND, CHEATSHEET_NOT_FOUND if the source, deck or sheet does not exist
 * @throws NOT_WRITTEN if the source is an upload, because the next upload would archive the deck or sheet
 * @throws OWNED_BY_SOURCE if the deck or sheet already belongs to a source
 * @throws IMPORT_RUNS if an import or another change of a source is running
 */
export async function adopt(db: Kysely<Database>, actor: Actor, sourceId: number, item: Adopted): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!(await tryLock(transaction, 'import'))) throw IMPORT_RUNS
    const source = await findSource(transaction, sourceId)
    if (source === undefined) throw SOURCE_NOT_FOUND
    if (source.kind !== 'written') throw NOT_WRITTEN
    const isDeck = 'deck' in item
    const slug = isDeck ? item.deck : item.sheet
    const found = await (isDeck ? findDeckOwner(transaction, slug) : findSheetOwner(transaction, slug))
    if (found === undefined) throw isDeck ? DECK_NOT_FOUND : CHEATSHEET_NOT_FOUND
    if (found.source_id !== null) throw OWNED_BY_SOURCE
    for (const { id, slug: own } of await findGroups(transaction, isDeck ? 'deck' : 'sheet', [slug])) {
      if (isDeck) await adoptDeck(transaction, { deckId: id, slug: own, sourceId })
      else await adoptSheet(transaction, { sheetId: id, slug: own, sourceId })
    }
    await openChange(transaction, { userId: actor.actor_id, how: 'adopt', sourceId, summary: item })
    const deed = { action: 'source.adopt', target_id: sourceId, target: source.name, details: item } as const
    await insertAuditEntry(transaction, actor, deed)
  })
}
