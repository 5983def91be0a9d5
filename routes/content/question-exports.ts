import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { AUTHORS_ONLY, NOT_AN_EDITOR } from '../../src/domain/accounts/refusals.js'
import { SOURCE_NOT_FOUND, TEST_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { InvalidParameter } from '../../src/domain/refusal.js'
import { toTestSlug } from '../../src/domain/tests/slug.js'
import { parseChoice } from '../../src/domain/text/parameters.js'
import { parameter } from '../../src/http/query.js'
import { responses } from '../../src/http/schemas.js'
import {
  exportSourceQuestions,
  exportTest,
  QUESTION_FORMATS,
  type QuestionExportFormat,
} from '../../src/services/tests/export-questions.js'
import { ExportFile } from './schemas.js'
import { EditedTestParams, NOT_PUBLISHABLE } from './test-schemas.js'

const ExportedAs = Type.Object({
  format: parameter(
    {
      type: 'string',
      enum: QUESTION_FORMATS,
      description: 'Moodle XML, or a table for spreadsheets; required.',
      examples: ['moodle'],
    },
    parseFormat,
  ),
})
const SourceParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })
const PRODUCES = ['application/xml', 'text/csv']

const FILES: Readonly<Record<QuestionExportFormat, { type: string; extension: string }>> = {
  moodle: { type: 'application/xml; charset=utf-8', extension: 'xml' },
  csv: { type: 'text/csv; charset=utf-8', extension: 'csv' },
}

/**
 * Routes that export questions for other programs. They are for editors only, because the files contain the correct
 * answers.
 */
const questionExports: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/tests/:slug/export',
    {
      onRequest: app.requireEditor('test'),
      config: { isExpensive: true },
      schema: {
        operationId: 'exportTest',
        summary: 'The questions of a test for Moodle or a spreadsheet',
        description: 'The questions that a publication would copy now.',
        tags: ['content'],
        produces: PRODUCES,
        params: EditedTestParams,
        querystring: ExportedAs,
        response: responses(ExportFile, [AUTHORS_ONLY, NOT_AN_EDITOR, TEST_NOT_FOUND, NOT_PUBLISHABLE]),
      },
    },
    async ({ params, query }, reply) => {
      const { format } = query
      return send(reply, await exportTest(app.db, toTestSlug(params.slug), format), format)
    },
  )

  app.get(
    '/sources/:id/questions',
    {
      onRequest: app.requireEditor('source'),
      config: { isExpensive: true },
      schema: {
        operationId: 'exportQuestions',
        summary: 'The questions of a source for Moodle or a spreadsheet',
        description: 'The questions of all decks and pools that are not archived, without drafts.',
        tags: ['content'],
        produces: PRODUCES,
        params: SourceParams,
        querystring: ExportedAs,
        response: responses(ExportFile, [AUTHORS_ONLY, NOT_AN_EDITOR, SOURCE_NOT_FOUND]),
      },
    },
    async ({ params, query }, reply) => {
      const { format } = query
      return send(reply, await exportSourceQuestions(app.db, Number(params.id), format), format)
    },
  )

  function send(reply: FastifyReply, file: Buffer, format: QuestionExportFormat): never {
    const { type, extension } = FILES[format]
    const name = `svc_training_fragen_${app.clock.today()}.${extension}`
    return reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(file) as never
  }
}

function parseFormat(text: string | undefined, name: string): QuestionExportFormat {
  const format = parseChoice(text, name, QUESTION_FORMATS)
  if (format === undefined) {
    throw new InvalidParameter(name, `fehlt: eines von ${QUESTION_FORMATS.join(', ')}`)
  }
  return format
}

export default questionExports
