import { Type } from '@sinclair/typebox'
import { RULES } from '../../src/domain/questions/lint.js'
import { CHOICES, MAX_LISTED_CARDS, MAX_SECTIONS, RANGES, UNLIMITED } from '../../src/domain/tests/definition.js'
import { NotPublishable } from '../../src/domain/tests/editing-refusals.js'
import { flag, id, NEXT_OF_NEWEST_FIRST, newestFirst, page } from '../../src/http/query.js'
import { EDITED_GROUP, FINDING_CODE, GroupEdit, nullable, Timestamp } from '../../src/http/schemas.js'
import { shownQuestion } from '../tests/schemas.js'
import { OwnerSource } from './sheet-schemas.js'

function choice<Key extends keyof typeof CHOICES>(key: Key) {
  type Choice = (typeof CHOICES)[Key][number]
  const choices: readonly Choice[] = CHOICES[key]
  return Type.Unsafe<Choice>({ type: 'string', enum: [...choices], examples: [choices[0]] })
}

function number(key: keyof typeof RANGES, example: number) {
  const [minimum, maximum] = RANGES[key]
  return Type.Integer({ minimum, maximum, examples: [example] })
}

const Day = Type.String({
  description: 'A day (`YYYY-MM-DD`) in the time zone of the service.',
  examples: ['2026-12-31'],
})

const Section = {
  deck: Type.String({ description: 'Slug of a deck or a pool.', examples: ['datenschutz'] }),
  level: nullable(Type.String({ description: 'Null means all levels.', examples: ['pflicht'] })),
  cards: nullable(
    Type.Array(Type.String(), { maxItems: MAX_LISTED_CARDS, description: 'Ids of cards; null means all.' }),
  ),
  draw: nullable({ ...number('draw', 8), description: 'Number of questions per attempt; null means all.' }),
}

const DEFINITION = {
  name: Type.String({ examples: ['Datenschutz, Grundlagen'] }),
  description: Type.String({ examples: ['Für alle mit Zugang zu personenbezogenen Daten'] }),
  introduction: Type.String({ description: 'Markdown.' }),
  pass_percent: number('pass_percent', 80),
  multiple: choice('multiple'),
  attempts: nullable({ ...number('attempts', 3), description: 'Null means unlimited.' }),
  wait_minutes: number('wait_minutes', 0),
  time_limit_minutes: nullable({ ...number('time_limit_minutes', 20), description: 'Null means none.' }),
  shuffle: Type.Boolean({ examples: [true] }),
  pages: choice('pages'),
  access: choice('access'),
  review: choice('review'),
  review_when: choice('review_when'),
  opens: nullable(Day),
  closes: nullable(Day),
  sections: Type.Array(Type.Object(Section, { title: 'TestSection' }), { minItems: 1, maxItems: MAX_SECTIONS }),
}

const SUMMARY = {
  slug: Type.String({ examples: ['datenschutz'] }),
  name: DEFINITION.name,
  description: DEFINITION.description,
  ...EDITED_GROUP,
  version: Type.Integer({ description: 'Number of the current definition; required for a save.', examples: [1] }),
  state: Type.Unsafe<'draft' | 'published' | 'archived'>({ type: 'string', enum: ['draft', 'published', 'archived'] }),
  published_version: nullable(Type.Integer({ examples: [1] })),
  published_at: nullable(Timestamp),
  published_by: nullable(Type.String({ description: 'Null for an import.' })),
  published_by_name: nullable(Type.String({ description: 'Display name.' })),
  has_changes: Type.Boolean({ description: 'Whether the definition differs from the published one.' }),
  open_questions: nullable(
    Type.Boolean({ description: 'Whether learners can look up published questions; null before the publication.' }),
  ),
  questions: Type.Integer({ description: 'Number of questions of the published version.', examples: [40] }),
  question_count: Type.Integer({ description: 'Number of questions in each attempt.', examples: [10] }),
  changed_here: Type.Boolean({ description: 'Whether it was edited since the last upload of the source.' }),
  file: nullable(Type.String({ description: 'Path relative to the content folder; null for a source.' })),
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: nullable(Timestamp),
  source_id: nullable(Type.Integer({ description: 'Id of the source; null for the content folder.', examples: [3] })),
  source: Type.Unsafe<{ id: number; kind: string; name: string } | null>({
    ...OwnerSource,
    type: ['object', 'null'],
    description: 'Null for the content folder, whose tests are read-only.',
  }),
}

export const EditedTestResponse = Type.Object({
  test: Type.Object({ ...SUMMARY, ...DEFINITION }, { title: 'EditedTest' }),
})

export const EditedTests = Type.Object({
  tests: Type.Array(Type.Object(SUMMARY, { title: 'EditedTestSummary' })),
  next_after: nullable(Type.Integer({ description: 'Null on the last page.' })),
})

export const EditedTestsQuery = Type.Object({
  source: id('int64', 'Id of a source; absent or empty means all that the caller edits.'),
  ...page({ maximum: 1_000, fallback: 200, cursor: 'int32' }),
})

export const EditedTestParams = Type.Object({ slug: Type.String({ examples: ['datenschutz'] }) })

const { name: _name, sections: _sections, attempts: _attempts, ...OPTIONAL } = DEFINITION

export const DefinitionBody = Type.Object({
  source_id: Type.Optional(Type.Integer({ description: 'Required for a new test.', examples: [3] })),
  version: Type.Optional(
    Type.Integer({ description: 'The version that the save is based on; required for a stored test.', examples: [1] }),
  ),
  ...GroupEdit,
  name: DEFINITION.name,
  attempts: Type.Optional(
    Type.Unsafe<number | string | null>({
      type: ['integer', 'string', 'null'],
      description: `A number, or \`${UNLIMITED}\` or null.`,
      examples: [3],
    }),
  ),
  ...Type.Partial(Type.Object(OPTIONAL)).properties,
  sections: Type.Optional(
    Type.Array(
      Type.Object({
        deck: Section.deck,
        ...Type.Partial(Type.Object({ level: Section.level, cards: Section.cards, draw: Section.draw })).properties,
      }),
      { minItems: 1, maxItems: MAX_SECTIONS, description: 'Required, except for a variant.' },
    ),
  ),
})

export const ArchiveTestBody = Type.Object({ archived: Type.Boolean({ examples: [true] }) })

export const TestVersionsQuery = Type.Object({
  ...newestFirst({ maximum: 100, fallback: 50, cursor: 'int32' }),
})

export const TestVersions = Type.Object({
  versions: Type.Array(
    Type.Object(
      {
        version: Type.Integer({ examples: [2] }),
        published_at: Timestamp,
        published_by: SUMMARY.published_by,
        name: Type.String({ description: 'Name of the test in this version.', examples: ['Datenschutz, Grundlagen'] }),
        open_questions: Type.Boolean({ description: 'Whether learners could look up at least one question.' }),
        questions: Type.Integer({ examples: [40] }),
        attempts: Type.Integer({ description: 'Number of attempts, without those of editors.', examples: [120] }),
        open_attempts: Type.Integer({ description: 'Number of `attempts` that have not ended.', examples: [3] }),
      },
      { title: 'PublishedTestVersion' },
    ),
    { description: 'The newest first.' },
  ),
  ...NEXT_OF_NEWEST_FIRST,
})

export const PublishQuery = Type.Object({ check: flag('Returns the result without publishing.') })

/** An example of the refusal of a test that cannot be published */
export const NOT_PUBLISHABLE = new NotPublishable([
  {
    message: 'Das Deck „datenschutz“ ist archiviert',
    cause: { kind: 'deck_archived', deck: 'datenschutz' },
    section: 0,
  },
])

export const Publication = Type.Object({
  version: Type.Integer({ description: 'The published version, or the one that a check would publish.' }),
  changed: Type.Boolean({ description: 'Whether it differs from the previous version.' }),
  open_questions: Type.Boolean({ description: 'Whether learners can look up answers of its questions.' }),
  questions: Type.Integer(),
  question_count: Type.Integer({ description: 'Number of questions in each attempt.' }),
  draws: Type.String({
    description: 'Number of possible sets of questions, in decimal digits.',
    examples: ['75287520'],
  }),
  guess_percent: Type.Number({
    description: 'Probability in per cent of passing at least one of the allowed attempts by guessing.',
    examples: [0.4158],
  }),
  findings: Type.Array(
    Type.Object({
      rule: Type.String({ enum: [...RULES] }),
      ...FINDING_CODE,
      message: Type.String(),
      card_id: nullable(Type.Integer()),
      question: Type.String(),
    }),
    { description: 'Weaknesses of questions, at most 500.' },
  ),
  findings_total: Type.Integer(),
})

export const TestPreview = Type.Object({
  preview: Type.Object(
    {
      slug: SUMMARY.slug,
      lang: EDITED_GROUP.lang,
      version: SUMMARY.version,
      name: DEFINITION.name,
      introduction: DEFINITION.introduction,
      pages: DEFINITION.pages,
      time_limit_minutes: DEFINITION.time_limit_minutes,
      questions: Type.Array(
        Type.Object(
          {
            ...shownQuestion,
            seq: Type.Integer({ description: 'Always 0.', examples: [0] }),
            answer: Type.Null({ description: 'Always null.' }),
          },
          { title: 'PreviewedQuestion' },
        ),
      ),
    },
    { title: 'TestPreview' },
  ),
})
