import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type TSchema, Type } from '@sinclair/typebox'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { TEST_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { NO_PUBLISHED_VERSION } from '../../src/domain/tests/refusals.js'
import { toTestSlug } from '../../src/domain/tests/slug.js'
import { isInteger } from '../../src/domain/text/parameters.js'
import { id, page } from '../../src/http/query.js'
import { nullable, responses } from '../../src/http/schemas.js'
import { findTestStatistics } from '../../src/services/tests/statistics.js'
import { EditedTestParams } from './test-schemas.js'

/** Makes the schema of a figure nullable: the figure is null if it would reveal data about too few persons. */
const Hidden = <T extends TSchema>(schema: T) => nullable(schema)

const Time = (description: string) =>
  nullable(Type.String({ format: 'date-time', description, examples: ['2026-11-21T08:00:00.000Z'] }))

const StatisticsQuery = Type.Object({
  version: id('int64', 'Absent or empty means the published version.'),
  ...page({ maximum: 1_000, fallback: 200, cursor: 'int64' }),
})

const Report = Type.Object(
  {
    persons: Type.Integer({ examples: [35] }),
    as_of: Time('When all values except counts were renewed; null if it was not recorded.'),
    facility: Hidden(Type.Number({ description: 'Mean share of the points, 0 to 1.', examples: [0.75] })),
    options: Type.Array(
      Type.Object({
        text: Type.String({ description: 'Markdown.' }),
        correct: Type.Boolean(),
        count: Hidden(Type.Integer({ examples: [8] })),
        as_of: Time('When `count` was renewed; null without a count.'),
        share: Hidden(
          Type.Number({ description: 'Share of a wrong option among all wrong choices.', examples: [0.8] }),
        ),
      }),
    ),
    unanswered: Hidden(Type.Integer({ examples: [5] })),
    unanswered_as_of: Time('When `unanswered` was renewed; null without a count.'),
    correlation: Hidden(
      Type.Number({ description: 'Corrected item-total correlation, from 30 persons on.', examples: [0.42] }),
    ),
    median_seconds: Hidden(Type.Number({ examples: [21] })),
    flags: Type.Array(Type.String({ enum: ['never_chosen', 'more_than_key', 'negative_correlation', 'hasty'] })),
  },
  { title: 'QuestionReport' },
)

const Statistics = Type.Object(
  {
    version: Type.Integer({ examples: [1] }),
    min_persons: Type.Integer({
      description:
        'Minimum number of persons for a report; for each count, of further persons in and outside of it for an update.',
      examples: [5],
    }),
    questions: Type.Array(
      Type.Object(
        {
          section: Type.Integer(),
          position: Type.Integer(),
          card_id: nullable(Type.Integer({ description: 'Null if the card has been deleted.' })),
          form: Type.String({ enum: ['single', 'multiple', 'text', 'number', 'order', 'gaps'] }),
          question: Type.String({ description: 'Markdown.' }),
          report: Type.Unsafe<unknown>({
            ...Report,
            type: ['object', 'null'],
            description: 'Null with too few persons.',
          }),
        },
        { title: 'QuestionWithReport' },
      ),
    ),
    next_after: nullable(Type.Integer({ description: 'Null on the last page.' })),
  },
  { title: 'TestStatistics' },
)

/**
 * Routes for test statistics, for the editors of a test. The statistics cover first attempts only and contain no names.
 */
const testStatistics: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:slug/statistics',
    {
      onRequest: app.requireEditor('test'),
      config: { isExpensive: true },
      schema: {
        operationId: 'getTestStatistics',
        summary: 'Statistics of the questions of a version, from first attempts',
        description: `A count keeps its value and time until the difference to no earlier report reveals anything about
fewer than \`min_persons\` persons. The other values are renewed only together with all counts.`,
        tags: ['content'],
        params: EditedTestParams,
        querystring: StatisticsQuery,
        response: responses(Statistics, [
          AUTHORS_ONLY,
          NOT_AN_EDITOR,
          TEST_NOT_FOUND,
          NO_PUBLISHED_VERSION.at('version'),
        ]),
      },
    },
    async ({ params, query }) => {
      const { version, ...wanted } = query
      if (!isInteger(version ?? 0)) throw NO_PUBLISHED_VERSION.at('version')
      return findTestStatistics(app.db, { slug: toTestSlug(params.slug), version }, wanted, {
        minPersons: app.config.statisticsMinPersons,
        now: app.clock.now(),
      })
    },
  )
}

export default testStatistics
