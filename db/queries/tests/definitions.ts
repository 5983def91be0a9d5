import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { Editable } from '../../../src/domain/content/editing/rights.js'
import type { StoredKind } from '../../../src/domain/content/upload/incoming.js'
import type { TestDefinition } from '../../../src/domain/tests/definition.js'
import type { StoredTest } from '../../../src/domain/tests/import-plan.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { isOutdated } from '../content/checked-translations.js'
import { type EditedVariant, originalOf, variantsOf } from '../content/translations.js'
import { readInBatches } from '../read-in-batches.js'
import { questionCountsBySection } from './live-tests.js'

export interface EditedTest {
  id: number
  slug: string
  definition: TestDefinition
  edit_version: number
  published_version: number | null
  published_at: Date | null
  published_by: string | null
  /** Display name of `published_by`; null if there is no such account */
  published_by_name: string | null
  /** Whether the definition differs from the published definition; false if the test has never been published */
  has_changes: boolean
  open_questions: boolean | null
  /** Definition of the published version */
  published: TestDefinition | null
  /** Number of questions of the published version by index of the section */
  offered: Record<string, number> | null
  edited: boolean
  lang: string
  /** Slug of the original; null unless the test is a variant */
  translation_of: string | null
  variants: EditedVariant[]
  /** Whether the original has changed since this variant was checked */
  translation_outdated: boolean
  file: string | null
  created_at: Date
  updated_at: Date
  archived_at: Date | null
  source: { id: number; kind: StoredKind; name: string } | null
}

function selectTests(db: Kysely<Database>) {
  return db
    .selectFrom('tests')
    .leftJoin('content_sources', 'content_sources.id', 'tests.source_id')
    .leftJoin('test_versions', (join) =>
      join
        .onRef('test_versions.test_id', '=', 'tests.id')
        .onRef('test_versions.version', '=', 'tests.published_version'),
    )
    .leftJoin('users', 'username', 'published_by')
    .select([
      ...([
        'tests.id',
        'slug',
        'tests.definition',
        'edit_version',
        'published_version',
        'edited',
        'file',
        'lang',
      ] as const),
      ...(['published_at', 'published_by', 'display_name as published_by_name', 'open_questions'] as const),
      ...(['tests.created_at', 'tests.updated_at'] as const),
      'test_versions.definition as published',
      ...(['tests.archived_at', 'source_id', 'kind as source_kind', 'content_sources.name as source_name'] as const),
    ])
    .select(sql<boolean>`coalesce(tests.definition <> test_versions.definition, false)`.as('has_changes'))
    .select([originalOf('test').as('translation_of'), variantsOf('test').as('variants')])
    .select(isOutdated('test').as('translation_outdated'))
    .select(questionCountsBySection())
}

type TestRow = Omit<EditedTest, 'source'> & {
  source_id: number | null
  source_kind: StoredKind | null
  source_name: string | null
}

function toTest({ source_id, source_kind, source_name, ...test }: TestRow): EditedTest {
  const source = source_id === null || source_kind === null ? null : { id: source_id, kind: source_kind }
  return { ...test, source: source && { ...source, name: source_name ?? '' } }
}

const BY_NAME = sql`(tests.definition ->> 'name') collate "und-x-icu", tests.id`

/**
 * Includes archived tests.
 * @param after id of the last test of the previous page
 */
export async function listEditedTests(
  db: Kysely<Database>,
  { editable, sourceId }: { editable: Editable; sourceId: number | undefined },
  after: number | undefined,
  limit: number,
): Promise<EditedTest[]> {
  let tests = selectTests(db)
  if (editable !== 'all') tests = tests.where('source_id', '=', ({ fn, val }) => fn.any(val([...editable])))
  if (sourceId !== undefined) tests = tests.where('source_id', '=', sourceId)
  if (after !== undefined) tests = tests.where(isAfter(sql`select ${BY_NAME} from tests where tests.id = ${after}`))
  return readInBatches<EditedTest>(async (last, most) => {
    const rest =
      last === undefined ? tests : tests.where(isAfter(sql`${last.definition.name}::text, ${last.id}::integer`))
    return (await rest.orderBy(BY_NAME).limit(most).execute()).map(toTest)
  }, limit)
}

/** @param key expressions for the name and the id, or a subquery that selects them */
function isAfter(key: RawBuilder<unknown>) {
  return sql<boolean>`(${BY_NAME}) > (${key})`
}

export async function findEditedTest(db: Kysely<Database>, slug: string): Promise<EditedTest | undefined> {
  if (!isStorable(slug)) return undefined
  const row = await selectTests(db).where('slug', '=', slug).executeTakeFirst()
  return row && toTest(row)
}

/**
 * Locks a test until the end of the transaction. Later statements of the transaction see the changes for which the lock
 * has waited.
 * @returns whether the test exists
 */
export async function lockTest(transaction: Transaction<Database>, slug: string): Promise<boolean> {
  if (!isStorable(slug)) return false
  const row = await transaction.selectFrom('tests').select('id').where('slug', '=', slug).forUpdate().executeTakeFirst()
  return row !== undefined
}

export interface NewTest {
  slug: string
  definition: TestDefinition
  /** Null, like `source_key`, for a test of the content folder */
  source_id: number | null
  source_key: string | null
  file: string | null
}

/** @returns id of the new test; undefined if the slug, or the key in its source, is taken */
export async function insertTest(
  transaction: Transaction<Database>,
  { definition, ...test }: NewTest,
): Promise<number | undefined> {
  const row = await transaction
    .insertInto('tests')
    .values({ ...test, definition: JSON.stringify(definition) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function updateDefinition(
  transaction: Transaction<Database>,
  id: number,
  definition: TestDefinition,
  { edited }: { edited: boolean },
): Promise<void> {
  await transaction
    .updateTable('tests')
    .set(({ eb }) => ({
      definition: JSON.stringify(definition),
      edit_version: eb('edit_version', '+', 1),
      updated_at: sql<Date>`now()`,
      edited,
    }))
    .where('id', '=', id)
    .execute()
}

/** A test with the definition of its original. */
export interface VariantRow {
  id: number
  slug: string
  definition: TestDefinition
  edited: boolean
  original: TestDefinition
}

/** Returns the variants of the tests with these slugs, with the definitions of their originals. */
export async function listVariantRows(db: Kysely<Database>, originals: readonly string[]): Promise<VariantRow[]> {
  return db
    .selectFrom('tests as original')
    .innerJoin('tests', (join) => join.on(sql<boolean>`coalesce(tests.translation_of, tests.id) = original.id`))
    .select(['tests.id', 'tests.slug', 'tests.definition', 'tests.edited', 'original.definition as original'])
    .where('original.slug', '=', ({ fn, val }) => fn.any(val([...originals])))
    .whereRef('tests.id', '<>', 'original.id')
    .orderBy('tests.id')
    .execute()
}

export async function listTestKeys(db: Kysely<Database>, sourceId: number): Promise<string[]> {
  const rows = await db.selectFrom('tests').select('source_key').where('source_id', '=', sourceId).execute()
  return rows.map(({ source_key }) => source_key ?? '')
}

/** @param edited new value of the column `edited`; unchanged by default */
export async function setArchived(
  transaction: Transaction<Database>,
  ids: readonly number[],
  archived: boolean,
  edited?: boolean,
): Promise<void> {
  await transaction
    .updateTable('tests')
    .set({
      archived_at: archived ? sql<Date>`coalesce(archived_at, now())` : null,
      ...(edited !== undefined && { edited }),
    })
    .where('id', '=', ({ fn, val }) => fn.any(val([...ids])))
    .execute()
}

export async function findStoredTests(db: Kysely<Database>): Promise<StoredTest[]> {
  return db
    .selectFrom('tests')
    .leftJoin('content_sources', 'content_sources.id', 'tests.source_id')
    .select(['tests.id', 'slug', 'definition', 'published_version', 'edited', 'file', 'source_id', 'source_key'])
    .select((eb) => [
      'content_sources.name as owner',
      eb('tests.archived_at', 'is', null).$castTo<boolean>().as('is_live'),
    ])
    .orderBy('tests.id')
    .execute()
}

export interface ImportedDefinition {
  definition: TestDefinition
  /** Path relative to the content folder; null for a source */
  file: string | null
  /** Whether the definition differs from the stored definition */
  isOther: boolean
  edited: boolean
}

/**
 * Writes the definition from an import and restores the test if it is archived. Increments `edit_version` only if the
 * definition differs.
 */
export async function updateImportedTest(
  transaction: Transaction<Database>,
  id: number,
  { definition, file, isOther, edited }: ImportedDefinition,
): Promise<void> {
  await transaction
    .updateTable('tests')
    .set(({ eb, lit }) => ({
      definition: JSON.stringify(definition),
      edit_version: eb('edit_version', '+', lit(isOther ? 1 : 0)),
      updated_at: sql<Date>`now()`,
      archived_at: null,
      edited,
      file,
    }))
    .where('id', '=', id)
    .execute()
}

export interface PublishedVersion {
  version: number
  published_at: Date
  published_by: string | null
  name: string
  open_questions: boolean
  questions: number
  /** Number of attempts, without those of editors */
  attempts: number
  open_attempts: number
}

/** @param before only versions with a lower number */
export async function listPublishedVersions(
  db: Kysely<Database>,
  slug: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<PublishedVersion[]> {
  return db
    .selectFrom('test_versions')
    .innerJoin('tests', 'tests.id', 'test_id')
    .select(['version', 'published_at', 'published_by', 'open_questions'])
    .select((eb) => [
      sql<string>`test_versions.definition ->> 'name'`.as('name'),
      eb
        .selectFrom('test_questions')
        .whereRef('test_questions.test_id', '=', 'test_versions.test_id')
        .whereRef('test_questions.version', '=', 'test_versions.version')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('questions'),
      ...(['attempts', 'open_attempts'] as const).map((name) =>
        eb
          .selectFrom('attempts')
          .whereRef('attempts.test_id', '=', 'test_versions.test_id')
          .whereRef('attempts.version', '=', 'test_versions.version')
          .where('counted', '=', true)
          .$if(name === 'open_attempts', (open) => open.where('ended_at', 'is', null))
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as(name),
      ),
    ])
    .where('slug', '=', slug)
    .$if(before !== undefined, (query) => query.where('version', '<', before ?? 0))
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
}
