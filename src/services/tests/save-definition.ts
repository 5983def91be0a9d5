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
import type { TestDefinition } from '../../domain/tests/definition.js'
import { OTHER_SOURCE, SOURCE_MISSING, TEST_VERSION_MISSING } from '../../domain/tests/editing-refusals.js'
import { isSameDefinition } from '../../domain/tests/import-plan.js'

export interface DefinitionSave {
  slug: string
  definition: TestDefinition
  /** Id of the source; required for a new test */
  sourceId: number | undefined
  /** Version on which the definition is based; required for a stored test */
  version: number | undefined
}

/**
 * Creates a test, or replaces its definition. Saving the same definition changes nothing.
 * @param editable sources that the caller may edit. Checked only for a stored test, because a concurrent request may
 * have created it after the check of the route. For a new test, the route must have checked `sourceId`.
 * @throws SOURCE_MISSING, SOURCE_NOT_FOUND if the test is new and `sourceId` is missing or does not exist
 * @throws NotEditable if the test belongs to no source
 * @throws NOT_AN_EDITOR if the caller may not edit the source of the test
 * @throws OTHER_SOURCE if the test belongs to a source other than `sourceId`
 * @throws TEST_VERSION_MISSING if the test is stored and `version` is missing
 * @throws VersionOutdated if the test has changed since `version`, or was created by a concurrent request
 */
export function saveDefinition(
  db: Kysely<Database>,
  { slug, definition, sourceId, version }: DefinitionSave,
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
      if ((await insertTest(transaction, test)) === undefined) throw new VersionOutdated(1)
      return readTest(transaction, slug)
    }
    const test = await takeTest(transaction, slug, editable)
    if (sourceId !== undefined && sourceId !== test.source?.id) throw OTHER_SOURCE
    if (version === undefined) throw TEST_VERSION_MISSING
    requireVersion(version, test.edit_version)
    if (isSameDefinition(test.definition, definition)) return test
    await updateDefinition(transaction, test.id, definition, { edited: isEditedNow(test) })
    return readTest(transaction, slug)
  })
}

/**
 * Archives a test, which hides it from learners, or restores it.
 * @throws TEST_NOT_FOUND if the test does not exist
 * @throws NotEditable if the test belongs to no source
 * @throws NOT_AN_EDITOR if the caller may not edit its source
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
    await setArchived(transaction, [test.id], archived, isEditedNow(test))
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
