import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { countContent, findLastImport, listArchivedDecks } from '../../db/queries/content/state.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import { MediaFull, UnreadableContent } from '../../src/domain/content/refusals.js'
import { SHUTDOWN_REFUSALS, unknownEndpoint } from '../../src/http/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { checkFolder } from '../../src/services/content/folder/check.js'
import { ImportQuery, ImportRefused } from '../admin/schemas.js'
import bulk from './bulk.js'
import cardVersions from './card-versions.js'
import cards from './cards.js'
import changes from './changes.js'
import convert from './convert.js'
import decks from './decks.js'
import exportRoutes from './export.js'
import imports from './imports.js'
import media from './media.js'
import questionExports from './question-exports.js'
import reports from './reports.js'
import { CheckResponse, ContentState } from './schemas.js'
import sheets from './sheets.js'
import sourceEditors from './source-editors.js'
import sourceOwnership from './source-ownership.js'
import sources from './sources.js'
import testStatistics from './test-statistics.js'
import tests from './tests.js'
import translations from './translations.js'

const content: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Inhalts-Endpunkt'))
  app.addHook('onResponse', async ({ method }, { statusCode }) => {
    if (method !== 'GET' && statusCode === 200) app.scheduleIndexing()
  })
  await app.register(media, { prefix: '/media' })
  await app.register(sheets, { prefix: '/sheets' })
  await app.register(tests, { prefix: '/tests' })
  await app.register(testStatistics, { prefix: '/tests' })
  await app.register(translations)
  await app.register(questionExports)
  await app.register(convert)
  await app.register(sources, { prefix: '/sources' })
  await app.register(sourceEditors, { prefix: '/sources' })
  await app.register(reports, { prefix: '/reports' })
  await app.register(exportRoutes)
  await app.register(imports)
  await app.register(decks)
  await app.register(cards)
  await app.register(cardVersions)
  await app.register(bulk)
  await app.register(changes)

  await app.register(async (admins) => {
    admins.addHook('preHandler', admins.requireAdmin)
    await admins.register(folder)
    await admins.register(sourceOwnership, { prefix: '/sources' })
  })
}

const folder: FastifyPluginAsyncTypebox = async (app) => {
  const { contentDir, mediaMaxBytes } = app.config

  app.post(
    '/check',
    {
      schema: {
        operationId: 'checkContent',
        summary: 'Check what an import of the content folder would change, without writing',
        tags: ['content'],
        querystring: ImportQuery,
        response: responses(
          CheckResponse,
          [ADMINS_ONLY, new UnreadableContent('/srv/content', 'ENOENT'), new MediaFull(2_048), ...SHUTDOWN_REFUSALS],
          {
            400: ImportRefused,
          },
        ),
      },
    },
    async (request) => {
      const { force } = request.query
      const { refusal, ...preview } = await checkFolder(app.db, contentDir, mediaMaxBytes, app.stopping)
      return { ...preview, needs_force: refusal !== undefined && !force }
    },
  )

  app.get(
    '/state',
    {
      schema: {
        operationId: 'getContentState',
        summary: 'The result of the last import and the current counts',
        tags: ['content'],
        response: responses(ContentState, [ADMINS_ONLY]),
      },
    },
    async () => ({
      last_import: (await findLastImport(app.db)) ?? null,
      ...(await countContent(app.db)),
      archived_decks: await listArchivedDecks(app.db),
      content_dir: contentDir,
    }),
  )
}

export default content
