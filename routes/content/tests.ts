import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  type EditedTest,
  findEditedTest,
  listEditedTests,
  listPublishedVersions,
} from '../../db/queries/tests/definitions.js'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { parseLanguage, parseOriginal } from '../../src/domain/content/editing/texts.js'
import { NotEditable, SOURCE_NOT_FOUND, TEST_NOT_FOUND, VersionOutdated } from '../../src/domain/content/refusals.js'
import { cutPage } from '../../src/domain/page.js'
import {
  type DefinitionInput,
  orderKeys,
  parseDefinition,
  type TestDefinition,
} from '../../src/domain/tests/definition.js'
import {
  BAD_TEST_SLUG,
  FaultyDefinition,
  OTHER_SOURCE,
  SOURCE_MISSING,
  TEST_ARCHIVED,
  TEST_VERSION_MISSING,
} from '../../src/domain/tests/editing-refusals.js'
import { parseTestSlug, toTestSlug } from '../../src/domain/tests/slug.js'
import { isInteger } from '../../src/domain/text/parameters.js'
import { TOO_LARGE } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { previewTest, publishTest } from '../../src/services/tests/publish.js'
import { archiveTest, parseDefinitionOf, saveDefinition } from '../../src/services/tests/save-definition.js'
import {
  ArchiveTestBody,
  DefinitionBody,
  EditedTestParams,
  EditedTestResponse,
  EditedTests,
  EditedTestsQuery,
  NOT_PUBLISHABLE,
  Publication,
  PublishQuery,
  TestPreview,
  TestVersions,
  TestVersionsQuery,
} from './test-schemas.js'

const BODY_BYTES = 2 ** 18
const READING = [AUTHORS_ONLY, NOT_AN_EDITOR, TEST_NOT_FOUND]
const NOT_EDITABLE = new NotEditable('tests/datenschutz.md')

const tests: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/',
    {
      onRequest: app.requireAuthor,
      config: { isExpensive: true },
      schema: {
        operationId: 'listEditedTests',
        summary: 'The tests that the caller may edit, by name, including archived ones',
        description: 'Administrators also see the tests of the content folder.',
        tags: ['content'],
        querystring: EditedTestsQuery,
        response: responses(EditedTests, [AUTHORS_ONLY]),
      },
    },
    async ({ query, editable }) => {
      const { limit, after, source: sourceId } = query
      if (!isInteger(sourceId ?? 0)) return { tests: [], next_after: null }
      const found = await listEditedTests(app.db, { editable, sourceId }, after, limit + 1)
      const { page, next } = cutPage(found, limit, ({ id }) => id)
      return { tests: page.map(summarise), next_after: next }
    },
  )

  app.get(
    '/:slug',
    {
      onRequest: app.requireEditor('test'),
      schema: {
        operationId: 'getEditedTest',
        summary: 'The definition of a test',
        tags: ['content'],
        params: EditedTestParams,
        response: responses(EditedTestResponse, READING),
      },
    },
    async ({ params }) => {
      const test = await findEditedTest(app.db, toTestSlug(params.slug))
      if (test === undefined) throw TEST_NOT_FOUND
      return { test: present(test) }
    },
  )

  app.put(
    '/:slug',
    {
      onRequest: app.requireEditorOrNew('test'),
      preHandler: app.requireEditorOf('source', 'source_id', (body: { source_id?: unknown }) => body.source_id),
      bodyLimit: BODY_BYTES,
      schema: {
        operationId: 'saveTest',
        summary: 'Create a test or replace its definition',
        description:
          'Absent keys get their default; absent `lang` and `translation_of` stay. A variant takes all keys except ' +
          '`name`, `description` and `introduction` from its original and accepts no other values. ' +
          'Learners see the last published version until the next publication. ' +
          'The slugs `attempts` and `practice` become `attempts-2` and `practice-2`.',
        tags: ['content'],
        params: EditedTestParams,
        body: DefinitionBody,
        response: responses(EditedTestResponse, [
          ...[
            AUTHORS_ONLY,
            NOT_AN_EDITOR,
            SOURCE_NOT_FOUND.at('source_id'),
            NOT_EDITABLE,
            new VersionOutdated(2),
            TOO_LARGE,
            OTHER_SOURCE,
          ],
          ...[
            BAD_TEST_SLUG,
            SOURCE_MISSING,
            TEST_VERSION_MISSING,
            new FaultyDefinition('„opens“ muss ein Tag sein', 'opens'),
          ],
        ]),
      },
    },
    async ({ params, body, editable }) => {
      const slug = parseTestSlug(params.slug)
      const { source_id, version, lang, translation_of, ...input } = body
      const group = {
        ...(lang !== undefined && { lang: parseLanguage(lang) }),
        ...(translation_of !== undefined && { translation_of: parseOriginal(translation_of) }),
      }
      const save = { slug, sourceId: source_id, version, ...group }
      const definition = await parseDefinitionOf(app.db, save, input, parseBody)
      return { test: present(await saveDefinition(app.db, { ...save, definition }, editable)) }
    },
  )

  app.patch(
    '/:slug',
    {
      onRequest: app.requireEditor('test'),
      schema: {
        operationId: 'archiveTest',
        summary: 'Archive a test, which hides it from learners, or restore it',
        tags: ['content'],
        params: EditedTestParams,
        body: ArchiveTestBody,
        response: responses(EditedTestResponse, [...READING, NOT_EDITABLE]),
      },
    },
    async ({ params, body, editable }) => ({
      test: present(await archiveTest(app.db, toTestSlug(params.slug), body.archived, editable)),
    }),
  )

  app.post(
    '/:slug/publish',
    {
      onRequest: app.requireEditor('test'),
      schema: {
        operationId: 'publishTest',
        summary: 'Publish the test as it is now',
        description:
          'Copies the questions into a version that never changes; learners get it from the next attempt on. ' +
          'If the latest version has the same definition and questions, no version is added.',
        tags: ['content'],
        params: EditedTestParams,
        querystring: PublishQuery,
        response: responses(Publication, [...[...READING, NOT_EDITABLE, TEST_ARCHIVED], NOT_PUBLISHABLE]),
      },
    },
    async ({ params, query, user }) => {
      const { check: isCheck } = query
      const { draws, drawn, ...rest } = await publishTest(app.db, user.username, toTestSlug(params.slug), isCheck)
      return { ...rest, draws: String(draws), question_count: drawn }
    },
  )

  app.get(
    '/:slug/versions',
    {
      onRequest: app.requireEditor('test'),
      schema: {
        operationId: 'listTestVersions',
        summary: 'The published versions of a test, with the number of attempts at each',
        description: 'A published version is kept, even if no attempt has used it.',
        tags: ['content'],
        params: EditedTestParams,
        querystring: TestVersionsQuery,
        response: responses(TestVersions, READING),
      },
    },
    async ({ params, query }) => {
      const { limit, after: before = query.before } = query
      const versions = await listPublishedVersions(app.db, toTestSlug(params.slug), { before, limit })
      const last = versions.at(-1)?.version ?? 1
      const next = last > 1 ? last : null
      return { versions, next_after: next, next_before: next }
    },
  )

  app.get(
    '/:slug/preview',
    {
      onRequest: app.requireEditor('test'),
      config: { isExpensive: true },
      schema: {
        operationId: 'previewTest',
        summary: 'The questions of an attempt as a learner would see them, from the test as it is now',
        description: 'Nothing is stored, so the next request may draw other questions.',
        tags: ['content'],
        params: EditedTestParams,
        response: responses(TestPreview, [...READING, NOT_PUBLISHABLE]),
      },
    },
    async ({ params }) => ({ preview: await previewTest(app.db, toTestSlug(params.slug)) }),
  )
}

function parseBody(input: DefinitionInput): TestDefinition {
  const faults: FaultyDefinition[] = []
  const definition = parseDefinition(input, (key, message, section) => {
    const fault =
      section === undefined
        ? new FaultyDefinition(message, key)
        : new FaultyDefinition(`Abschnitt ${section + 1}: ${message}`, `sections/${section}/${key}`)
    faults.push(fault)
  })
  if (definition === undefined) throw faults[0]
  return definition
}

function summarise({ definition, edit_version, offered, edited, published, id: _id, ...test }: EditedTest) {
  const counts = Object.entries(offered ?? {})
  const { name, description } = definition
  return {
    ...test,
    name,
    description,
    version: edit_version,
    changed_here: edited,
    state: stateOf(test),
    source_id: test.source?.id ?? null,
    questions: counts.reduce((sum, [, count]) => sum + count, 0),
    question_count: counts.reduce((sum, [section, count]) => {
      return sum + (published?.sections[Number(section)]?.draw ?? count)
    }, 0),
  }
}

function stateOf({ archived_at, published_version }: Pick<EditedTest, 'archived_at' | 'published_version'>) {
  if (archived_at !== null) return 'archived' as const
  return published_version === null ? ('draft' as const) : ('published' as const)
}

function present(test: EditedTest) {
  return { ...summarise(test), ...orderKeys(test.definition) }
}

export default tests
