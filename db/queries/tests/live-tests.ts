import { type Kysely, sql } from 'kysely'
import type { TestDefinition } from '../../../src/domain/tests/definition.js'
import { isStorable } from '../../../src/domain/text/text.js'
import type { Database } from '../../types.js'
import { type ListedVariant, originalOf, variantsOf } from '../content/translations.js'
import { IS_LIVE_TEST } from '../content/visibility.js'

/** The published version of a test that is visible to learners. */
export interface LiveTest {
  id: number
  /** Id of the original; the id of the test unless it is a variant */
  group_id: number
  slug: string
  version: number
  definition: TestDefinition
  open_questions: boolean
  lang: string
  /** Slug of the original; null unless the test is a variant */
  translation_of: string | null
  /** Variants that are visible to learners */
  variants: ListedVariant[]
  /** Number of questions by index of the section */
  offered: Map<number, number>
}

export async function listLiveTests(db: Kysely<Database>): Promise<LiveTest[]> {
  const rows = await selectLiveTests(db).execute()
  return rows.map(toLiveTest)
}

export async function findLiveTest(db: Kysely<Database>, slug: string): Promise<LiveTest | undefined> {
  if (!isStorable(slug)) return undefined
  const row = await selectLiveTests(db).where('tests.slug', '=', slug.normalize('NFC')).executeTakeFirst()
  return row && toLiveTest(row)
}

/** Returns the definition of the published version, even if the test is archived; undefined if there is none. */
export async function findPublishedRules(
  db: Kysely<Database>,
  testId: number,
): Promise<Pick<TestDefinition, 'attempts' | 'closes'> | undefined> {
  const row = await db
    .selectFrom('tests')
    .innerJoin('test_versions', (join) =>
      join
        .onRef('test_versions.test_id', '=', 'tests.id')
        .onRef('test_versions.version', '=', 'tests.published_version'),
    )
    .select('test_versions.definition')
    .where('tests.id', '=', testId)
    .executeTakeFirst()
  return row?.definition
}

/** The statement must join `test_versions`. */
export function questionCountsBySection() {
  return sql<Record<string, number> | null>`(
    select json_object_agg(section, questions) from (
      select section, count(*) as questions from test_questions
      where test_questions.test_id = test_versions.test_id and test_questions.version = test_versions.version
      group by section
    ) as sections)`.as('offered')
}

function selectLiveTests(db: Kysely<Database>) {
  return db
    .selectFrom('tests')
    .innerJoin('test_versions', (join) =>
      join
        .onRef('test_versions.test_id', '=', 'tests.id')
        .onRef('test_versions.version', '=', 'tests.published_version'),
    )
    .where(IS_LIVE_TEST)
    .select(['tests.id', 'tests.slug', 'test_versions.version', 'test_versions.definition', 'open_questions', 'lang'])
    .select([
      sql<number>`coalesce(tests.translation_of, tests.id)`.as('group_id'),
      originalOf('test', { isVisible: true }).as('translation_of'),
      variantsOf('test', { isLearner: true }).as('variants'),
    ])
    .select(questionCountsBySection())
    .orderBy('tests.slug')
}

function toLiveTest({
  offered,
  ...test
}: Omit<LiveTest, 'offered'> & { offered: Record<string, number> | null }): LiveTest {
  const entries = Object.entries(offered ?? {}).map(([section, count]) => [Number(section), count] as const)
  return { ...test, offered: new Map(entries) }
}

export async function listDrawable(
  db: Kysely<Database>,
  testId: number,
  version: number,
): Promise<{ id: number; section: number }[]> {
  return db
    .selectFrom('test_questions')
    .select(['id', 'section'])
    .where('test_id', '=', testId)
    .where('version', '=', version)
    .orderBy('section')
    .orderBy('position')
    .execute()
}

export async function findQuestions(db: Kysely<Database>, ids: readonly number[]) {
  const rows = await db
    .selectFrom('test_questions')
    .select(['id', 'content'])
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    .execute()
  return new Map(rows.map(({ id, content }) => [id, content]))
}

export interface TestTaker {
  extra_time_percent: number
  /** Whether the person may edit the test */
  is_editor: boolean
}

export async function findTestTaker(
  db: Kysely<Database>,
  userId: number,
  testId: number,
): Promise<TestTaker | undefined> {
  return db
    .selectFrom('users')
    .select('extra_time_percent')
    .select(({ eb, exists, selectFrom }) =>
      eb
        .or([
          eb('is_admin', '=', true),
          eb.and([
            eb('is_author', '=', true),
            exists(
              selectFrom('source_editors')
                .innerJoin('tests', 'tests.source_id', 'source_editors.source_id')
                .select('tests.id')
                .where('tests.id', '=', testId)
                .whereRef('source_editors.user_id', '=', 'users.id'),
            ),
          ]),
        ])
        .$castTo<boolean>()
        .as('is_editor'),
    )
    .where('id', '=', userId)
    .executeTakeFirst()
}
