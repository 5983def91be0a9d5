import type { Kysely, Transaction } from 'kysely'
import { lockCardWriters } from '../../../db/queries/content/editing/cards.js'
import { lockSourceAgainstDeletion } from '../../../db/queries/content/editing/sheets.js'
import {
  type EditedTest,
  findEditedTest,
  insertTest,
  listTestKeys,
  lockTest,
  setArchived,
  updateDefinition,
} from '../../../db/queries/tests/definitions.js'
import type { Database } from '../../../db/types.js'
import { NOT_AN_EDITOR } from '../../domain/accounts/refusals.js'
import { type Editable, mayEdit } from '../../domain/content/editing/rights.js'
import { FreeSlugs } from '../../domain/content/format/slug.js'
import {
  NotEditable,
  requireVersion,
  SOURCE_NOT_FOUND,
  TEST_NOT_FOUND,
  VersionOutdated,
} from '../../domain/content/refusals.js'
import { DEFAULT_LANGUAGE } from '../../domain/content/translations.js'
import { type DefinitionInput, findOwnSetting, type TestDefinition } from '../../domain/tests/definition.js'
import {
  FaultyDefinition,
  OTHER_SOURCE,
  SOURCE_MISSING,
  TEST_VERSION_MISSING,
} from '../../domain/tests/editing-refusals.js'
import { isSameDefinition } from '../../domain/tests/import-plan.js'
import { findLiveVariants, placeInGroup, requireLiveOriginal } from '../content/editing/groups.js'
import { updateVariants } from './publish.js'

export interface DefinitionSave {
  slug: string
  definition: TestDefinition
  /** Id of the source; required for a new test */
  sourceId: number | undefined
  /** Version on which the definition is based; required for a stored test */
  version: number | undefined
  /** Language of the texts; absent to keep it, or for German */
  lang?: string
  /** Slug of the original, null for none; absent to keep it */
  translation_of?: string | null
}

/**
 * Parses the definition in a request. A variant takes what the request leaves out from its original.
 * @param parse throws FaultyDefinition
 * @throws FaultyDefinition if a variant has settings or sections other than those of its original
 * @throws VersionOutdated if the test has changed since `version`
 */
export async function parseDefinitionOf(
  db: Kysely<Database>,
  { slug, translation_of, sourceId, version }: Omit<DefinitionSave, 'definition'>,
  input: DefinitionInput,
  parse: (input: DefinitionInput) => TestDefinition,
): Promise<TestDefinition> {
  const stored = await findEditedTest(db, slug)
  // Settings that the original has changed since would look like those of the variant.
  if (stored !== undefined && version !== undefined) requireVersion(version, stored.edit_version)
  const named = translation_of === undefined ? (stored?.translation_of ?? null) : translation_of
  if (named === null) return parse(input)
  const original = named === slug ? undefined : await findEditedTest(db, named)
  // `saveDefinition` refuses an original that is missing or belongs to another source.
  const isUsable = original !== undefined && (original.source?.id ?? null) === (stored?.source?.id ?? sourceId ?? null)
  if (!isUsable) return parse({ ...input, sections: [{ deck: named }] })
  const { name: _, description: _description, introduction: _introduction, ...shared } = original.definition
  const definition = parse({ ...shared, ...input })
  const own = findOwnSetting(definition, original.definition)
  if (own !== undefined) {
    throw new FaultyDefinition(`„${own}“ gilt vom Original „${named}“ und lässt sich hier nicht ändern`, own)
  }
  return definition
}

/**
 * Creates a test, or replaces its definition, language and original. Saving the same changes nothing. The variants of the
 * test take over its settings and sections.
 * @param editable sources that the caller may edit. Checked only for a stored test, because a concurrent request may
 * have created it after the check of the route. For a new test, the route must have checked `sourceId`.
 * @throws SOURCE_MISSING, SOURCE_NOT_FOUND if the test is new and `sourceId` is missing or does not exist
 * @throws NotEditable if the test belongs to no source
 * @throws NOT_AN_EDITOR if the caller may not edit the source of the test
 * @throws OTHER_SOURCE if the test belongs to a source other than `sourceId`
 * @throws TEST_VERSION_MISSING if the test is stored and `version` is missing
 * @throws VersionOutdated if the test has changed since `version`, or was created by a concurrent request
 * @throws NotInGroup if the test cannot have this original or language
 */
export function saveDefinition(
  db: Kysely<Database>,
  { slug, definition, sourceId, version, ...edit }: DefinitionSave,
  editable: Editable,
): Promise<EditedTest> {
  return db.transaction().execute(async (transaction) => {
    // Waits for a running upload, which would overwrite a test that is saved after the upload has computed its plan.
    await lockCardWriters(transaction)
    if (!(await lockTest(transaction, slug))) {
      if (sourceId === undefined) throw SOURCE_MISSING
      if (!(await lockSourceAgainstDeletion(transaction, sourceId))) throw SOURCE_NOT_FOUND.at('source_id')
      // An uploaded test with another slug may have this slug as its key.
      const keys = await listTestKeys(transaction, sourceId)
      const source_key = keys.includes(slug) ? new FreeSlugs(keys, [], slug).take(slug) : slug
      const test = { slug, definition, source_id: sourceId, source_key, file: null }
      // A concurrent request may have created the test.
      const id = await insertTest(transaction, test)
      if (id === undefined) throw new VersionOutdated(1)
      const { lang = DEFAULT_LANGUAGE, translation_of = null } = edit
      if (lang !== DEFAULT_LANGUAGE || translation_of !== null) {
        await placeInGroup(transaction, 'test', { id, slug, lang, translation_of })
      }
      // The original may have changed since the definition was parsed.
      if (translation_of !== null) await updateVariants(transaction, [translation_of])
      return readTest(transaction, slug)
    }
    const test = await takeTest(transaction, slug, editable)
    if (sourceId !== undefined && sourceId !== test.source?.id) throw OTHER_SOURCE
    if (version === undefined) throw TEST_VERSION_MISSING
    requireVersion(version, test.edit_version)
    const { lang, translation_of } = { lang: test.lang, translation_of: test.translation_of, ...edit }
    const isElsewhere = lang !== test.lang || translation_of !== test.translation_of
    if (!isElsewhere && isSameDefinition(test.definition, definition)) return test
    if (isElsewhere) await placeInGroup(transaction, 'test', { id: test.id, slug, lang, translation_of })
    await updateDefinition(transaction, test.id, definition, { edited: isEditedNow(test) })
    // The original may have changed since the definition was parsed.
    if (translation_of !== null) await updateVariants(transaction, [translation_of])
    await updateVariants(transaction, [slug])
    return readTest(transaction, slug)
  })
}

/**
 * Archives a test, which hides it from learners, or restores it. An archived original archives its variants; restoring it
 * does not restore them, because they may have been archived before.
 * @throws TEST_NOT_FOUND if the test does not exist
 * @throws NotEditable if the test belongs to no source
 * @throws NOT_AN_EDITOR if the caller may not edit its source
 * @throws ORIGINAL_ARCHIVED if a variant is to be restored whose original is archived
 */
export function archiveTest(
  db: Kysely<Database>,
  slug: string,
  archived: boolean,
  editable: Editable,
): Promise<EditedTest> {
  return db.transaction().execute(async (transaction) => {
    await lockCardWriters(transaction)
    if (!(await lockTest(transaction, slug))) throw TEST_NOT_FOUND
    const test = await takeTest(transaction, slug, editable)
    if (archived === (test.archived_at !== null)) return test
    if (!archived) await requireLiveOriginal(transaction, 'test', test.translation_of)
    const variants = archived ? await findLiveVariants(transaction, 'test', slug) : []
    await setArchived(transaction, [test.id, ...variants.map(({ id }) => id)], archived, isEditedNow(test))
    return readTest(transaction, slug)
  })
}

/**
 * Returns the value of `edited` after a change in the browser. A written source has no uploads, so its tests keep their
 * current value.
 */
function isEditedNow({ edited, source }: EditedTest): boolean {
  return edited || source?.kind !== 'written'
}

/** Returns the test, which the caller must have locked. */
async function takeTest(transaction: Transaction<Database>, slug: string, editable: Editable): Promise<EditedTest> {
  const test = await readTest(transaction, slug)
  if (test.source === null) throw new NotEditable(test.file)
  if (!mayEdit(editable, test.source.id)) throw NOT_AN_EDITOR
  return test
}

async function readTest(db: Kysely<Database>, slug: string): Promise<EditedTest> {
  const test = await findEditedTest(db, slug)
  if (test === undefined) throw TEST_NOT_FOUND
  return test
}
