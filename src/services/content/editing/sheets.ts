import type { Kysely, Transaction } from 'kysely'
import type { ChangeKind, ItemState } from '../../../../db/column-types.js'
import { isDuplicateClientId } from '../../../../db/errors.js'
import { lockCardWriters } from '../../../../db/queries/content/editing/cards.js'
import {
  type EditedSheet,
  findEditedSheet,
  findSheetByClientId,
  findSheetSlugs,
  insertEditedSheet,
  lockSheet,
  lockSourceAgainstDeletion,
  markSheetEdited,
  type NewSheet,
  updateEditedSheet,
} from '../../../../db/queries/content/editing/sheets.js'
import { findVersion, type SheetTexts } from '../../../../db/queries/content/editing/versions.js'
import type { Database } from '../../../../db/types.js'
import { type Editor, mayEdit } from '../../../domain/content/editing/rights.js'
import { FreeSlugs, RESERVED_SHEETS, slugFrom } from '../../../domain/content/format/slug.js'
import {
  CHEATSHEET_NOT_FOUND,
  CLIENT_ID_TAKEN,
  NotEditable,
  requireVersion,
  SOURCE_NOT_FOUND,
  VERSION_NOT_FOUND,
} from '../../../domain/content/refusals.js'
import { retryOnConflict } from '../import-lock.js'
import { openChange, recordItems } from './change.js'
import { findLiveVariants, placeInGroup, requireLiveOriginal } from './groups.js'

/**
 * Creates a sheet with a slug derived from the title. A repeated call with the same client id returns the existing
 * sheet in its current state.
 * @throws SOURCE_NOT_FOUND if the source does not exist
 * @throws CLIENT_ID_TAKEN if the client id belongs to a sheet that the editor may not edit
 * @throws CONTENT_CHANGES if three attempts fail because of concurrent changes
 * @throws NotInGroup if the sheet cannot be a variant of `translation_of`
 */
export async function createSheet(
  db: Kysely<Database>,
  editor: Editor,
  { translation_of, ...sheet }: Omit<NewSheet, 'slug'> & { translation_of: string | null },
): Promise<EditedSheet> {
  const known = await findCreated(db, editor, sheet.client_id)
  if (known !== undefined) return known
  try {
    return await retryOnConflict(db, async (transaction) => {
      if (translation_of !== null) await lockCardWriters(transaction)
      if (!(await lockSourceAgainstDeletion(transaction, sheet.source_id))) throw SOURCE_NOT_FOUND.at('source_id')
      const slug = await findFreeSlug(transaction, sheet.title)
      const sheetId = await insertEditedSheet(transaction, { ...sheet, slug })
      if (translation_of !== null) {
        await placeInGroup(transaction, 'sheet', { id: sheetId, slug, lang: sheet.lang, translation_of })
      }
      await noteChange(transaction, { userId: editor.id, how: 'create', sourceId: sheet.source_id }, sheetId, null, {
        archived: false,
        draft: sheet.draft,
        version: 1,
      })
      return readSheet(transaction, slug)
    })
  } catch (error) {
    if (!isDuplicateClientId(error)) throw error
    return (await findCreated(db, editor, sheet.client_id)) ?? Promise.reject(error)
  }
}

async function findCreated(
  db: Kysely<Database>,
  { editable }: Editor,
  clientId: string,
): Promise<EditedSheet | undefined> {
  const sheet = await findSheetByClientId(db, clientId)
  if (sheet !== undefined && !mayEdit(editable, sheet.source?.id ?? null)) throw CLIENT_ID_TAKEN
  return sheet
}

async function findFreeSlug(transaction: Transaction<Database>, title: string): Promise<string> {
  const wanted = slugFrom(title)
  return new FreeSlugs(await findSheetSlugs(transaction, wanted), RESERVED_SHEETS, 'spickzettel').take(wanted)
}

export type SheetChange = Partial<SheetTexts & Pick<ItemState, 'archived' | 'draft'>> & SheetGroup

interface SheetGroup {
  lang?: string
  translation_of?: string | null
}

/**
 * Changes a sheet. A different text creates a new version; a change without effect is not recorded, nor is a change of
 * the language or the original, which are no texts. An archived original archives its variants; restoring it does not
 * restore them, because they may have been archived before.
 * @param version the version that the change is based on; undefined only if no text changes
 * @throws CHEATSHEET_NOT_FOUND if the sheet does not exist
 * @throws NotEditable if the sheet belongs to no source
 * @throws VersionOutdated if a text of the sheet has changed since `version`
 * @throws NotInGroup if the sheet cannot have this original or language
 * @throws ORIGINAL_ARCHIVED if a variant is to be restored whose original is archived
 */
export function changeSheet(
  db: Kysely<Database>,
  userId: number,
  slug: string,
  { lang, translation_of, ...change }: SheetChange,
  version: number | undefined,
): Promise<EditedSheet> {
  return db.transaction().execute(async (transaction) => {
    if ([change.archived, lang, translation_of].some((value) => value !== undefined)) await lockCardWriters(transaction)
    const sheet = await takeSheet(transaction, slug, version)
    const group = { lang: lang ?? sheet.lang, translation_of: sheet.translation_of }
    if (translation_of !== undefined) group.translation_of = translation_of
    if (change.archived === false && sheet.archived) {
      await requireLiveOriginal(transaction, 'sheet', group.translation_of)
    }
    const isElsewhere = group.lang !== sheet.lang || group.translation_of !== sheet.translation_of
    const edited = sheet.edited || (isElsewhere && sheet.source?.kind !== 'written')
    if (isElsewhere) await placeInGroup(transaction, 'sheet', { id: sheet.id, slug: sheet.slug, ...group })
    if (edited !== sheet.edited) await markSheetEdited(transaction, sheet.id)
    await writeSheet(transaction, userId, 'edit', { ...sheet, edited }, change)
    const variants = change.archived === true ? await findLiveVariants(transaction, 'sheet', sheet.slug) : []
    for (const variant of variants) {
      const found = await takeSheet(transaction, variant.slug, undefined)
      await writeSheet(transaction, userId, 'edit', found, { archived: true })
    }
    return readSheet(transaction, sheet.slug)
  })
}

/**
 * Restores a former text as a new version.
 * @param version the version to restore
 * @param basedOn the version that the caller has seen; undefined skips the check
 * @throws CHEATSHEET_NOT_FOUND, VERSION_NOT_FOUND if the sheet or the version does not exist
 * @throws NotEditable if the sheet belongs to no source
 * @throws VersionOutdated if a text of the sheet has changed since `basedOn`
 */
export function restoreSheet(
  db: Kysely<Database>,
  userId: number,
  slug: string,
  version: number,
  basedOn: number | undefined,
): Promise<EditedSheet> {
  return db.transaction().execute(async (transaction) => {
    const sheet = await takeSheet(transaction, slug, basedOn)
    if (version === sheet.version) return sheet
    const texts = await findVersion(transaction, 'cheatsheets', sheet.id, version)
    if (texts === undefined) throw VERSION_NOT_FOUND
    return writeSheet(transaction, userId, 'restore', sheet, texts)
  })
}

async function takeSheet(
  transaction: Transaction<Database>,
  slug: string,
  version: number | undefined,
): Promise<EditedSheet> {
  if (!(await lockSheet(transaction, slug))) throw CHEATSHEET_NOT_FOUND
  const sheet = await readSheet(transaction, slug)
  if (sheet.source === null) throw new NotEditable(null)
  requireVersion(version, sheet.version)
  return sheet
}

async function writeSheet(
  transaction: Transaction<Database>,
  userId: number,
  how: ChangeKind,
  sheet: EditedSheet,
  change: Omit<SheetChange, keyof SheetGroup>,
): Promise<EditedSheet> {
  const { title, category, content_md, archived, draft } = { ...sheet, ...change }
  const isOther = title !== sheet.title || category !== sheet.category || content_md !== sheet.content_md
  if (!isOther && archived === sheet.archived && draft === sheet.draft) return sheet
  const { source } = sheet
  const edited = sheet.edited || (isOther && source?.kind !== 'written')
  const origin = { userId, how, sourceId: source?.id ?? null }
  const after = { archived, draft, version: sheet.version + (isOther ? 1 : 0) }
  await noteChange(transaction, origin, sheet.id, sheet, after)
  await updateEditedSheet(transaction, sheet.id, { title, category, content_md, archived, draft, edited })
  return readSheet(transaction, sheet.slug)
}

type State = Omit<ItemState, 'deck_id'>

/**
 * Records a change of a sheet. Must be called before the text is written, so that the former text refers to the change.
 */
async function noteChange(
  transaction: Transaction<Database>,
  origin: { userId: number; how: ChangeKind; sourceId: number | null },
  sheetId: number,
  before: State | null,
  after: State,
): Promise<void> {
  const changeId = await openChange(transaction, origin)
  const item = { cheatsheet_id: sheetId, before: before && toState(before), after: toState(after) }
  await recordItems(transaction, changeId, [item])
}

function toState({ archived, draft, version }: State): ItemState {
  return { deck_id: null, archived, draft, version }
}

async function readSheet(db: Kysely<Database>, slug: string): Promise<EditedSheet> {
  const sheet = await findEditedSheet(db, slug)
  if (sheet === undefined) throw CHEATSHEET_NOT_FOUND
  return sheet
}
