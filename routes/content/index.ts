import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { countContent, findLastImport, listArchivedDecks } from '../../db/queries/content/state.js'
import { ADMINS_ONLY, HttpError } from '../../src/domain/refusals.js'
import { parseFlag } from '../../src/domain/text/parameters.js'
import { answers } from '../../src/http/schemas.js'
import { checkFolder } from '../../src/services/content/check-content.js'
import { ImportQuery, ImportRefused, MEDIA_FULL, UNREADABLE } from '../admin/schemas.js'
import exportRoutes, { type ExportOptions } from './export.js'
import imports from './imports.js'
import media from './media.js'
import reports from './reports.js'
import { CheckAnswer, ContentState } from './schemas.js'
import sources from './sources.js'

interface ContentOptions extends ExportOptions {
  /** The folder that the import reads. */
  contentDir: string
  /** What an upload may take, and what all pictures together. */
  importMaxBytes: number
  mediaMaxBytes: number
}

/** What decks and sheets are made of. Most of it is for administrators; what is not stands outside their scope. */
const content: FastifyPluginAsyncTypebox<ContentOptions> = async (app, options) => {
  const { contentDir, importMaxBytes, mediaMaxBytes, tmpDir, moment, timeZone } = options
  app.setFallback(new HttpError(404, 'Unbekannter Inhalts-Endpunkt'))
  await app.register(media, { prefix: '/media' })
  await app.register(exportRoutes, { tmpDir, moment, timeZone })

  await app.register(async (admins) => {
    admins.addHook('preHandler', admins.requireAdmin)
    await admins.register(folder, { contentDir, mediaMaxBytes })
    await admins.register(imports, { tmpDir, importMaxBytes, mediaMaxBytes })
    await admins.register(sources, { prefix: '/sources' })
    await admins.register(reports, { prefix: '/reports', contentDir })
  })
}

/** The content folder and its import. */
const folder: FastifyPluginAsyncTypebox<Pick<ContentOptions, 'contentDir' | 'mediaMaxBytes'>> = async (
  app,
  { contentDir, mediaMaxBytes },
) => {
  app.post(
    '/check',
    {
      schema: {
        operationId: 'checkContent',
        summary: 'What an import of the content folder would change; nothing is written',
        tags: ['content'],
        querystring: ImportQuery,
        response: answers(CheckAnswer, [ADMINS_ONLY, UNREADABLE, MEDIA_FULL], { 400: ImportRefused }),
      },
    },
    async (request) => {
      const force = parseFlag(request.query.force, 'force')
      const { refusal, ...preview } = await checkFolder(app.db, contentDir, mediaMaxBytes)
      return { ...preview, needs_force: refusal !== undefined && !force }
    },
  )

  app.get(
    '/state',
    {
      schema: {
        operationId: 'getContentState',
        summary: 'How the last import ended, and what there is now',
        tags: ['content'],
        response: answers(ContentState, [ADMINS_ONLY]),
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
