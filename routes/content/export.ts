import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { findDeckBySlug } from '../../db/queries/content/decks.js'
import { findSource } from '../../db/queries/content/sources.js'
import { findEditable } from '../../plugins/rights.js'
import { mayEdit } from '../../src/domain/content/editing/rights.js'
import { EXPORT_FILES, EXPORT_FORMATS } from '../../src/domain/content/export-formats.js'
import { DECK_NOT_FOUND, NO_ROOM, SOURCE_NOT_FOUND } from '../../src/domain/content/refusals.js'
import { InvalidInput, InvalidParameter } from '../../src/domain/refusal.js'
import { isInteger } from '../../src/domain/text/parameters.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { limitToOnePerUser } from '../../src/http/limit-to-one-per-user.js'
import { SHUTDOWN_REFUSALS } from '../../src/http/refusals.js'
import { responses, sentAs } from '../../src/http/schemas.js'
import { openExport } from '../../src/services/content/exports/write-export.js'
import { ExportFile, ExportQuery } from './schemas.js'

const exportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const serveAlone = limitToOnePerUser()

  app.get(
    '/export',
    {
      schema: {
        operationId: 'exportContent',
        summary: 'Export cards as an Anki package, a table or a folder of Markdown',
        description: `\`apkg\`: for Anki 2.1.15 and later, which updates known cards. \`progress=true\` adds the
caller's progress, which Anki uses for new cards. \`csv\`: one row per card, for spreadsheets. \`markdown\`: a zip in
the format of the content folder; without \`deck\` with the cheat sheets. \`source\` restricts the export to one source;
\`format\` is then \`markdown\` by default, which includes drafts and pools for editors of the source. The same content
gives the same bytes. The file is complete before the first byte is sent. A user may have one export at a time; a second
request gets 429.`,
        tags: ['content'],
        produces: ['application/octet-stream', 'text/csv', 'application/zip'],
        querystring: ExportQuery,
        response: responses(sentAs<Readable>(ExportFile), [
          DECK_NOT_FOUND.at('deck'),
          SOURCE_NOT_FOUND.at('source'),
          NO_ROOM,
          ...SHUTDOWN_REFUSALS,
        ]),
      },
    },
    async (request, reply) => {
      const { deck: slug, source: wantedSource, progress: hasProgress } = request.query
      // No source has the id 0. An id outside the range of the column finds none either.
      const sourceId = isInteger(wantedSource ?? 0) ? wantedSource : 0
      if (sourceId !== undefined && slug) throw new InvalidInput('Die Parameter „source“ und „deck“ schließen sich aus')
      const format = request.query.format ?? (sourceId === undefined ? undefined : 'markdown')
      if (format === undefined) {
        throw new InvalidParameter('format', `fehlt: eines von ${EXPORT_FORMATS.join(', ')}`)
      }
      if (hasProgress && format !== 'apkg') throw new InvalidParameter('progress', 'gilt nur für format=apkg')
      const body = await serveAlone(request.user.id, reply, async () => {
        const deck = slug === undefined || slug === '' ? undefined : await findDeckBySlug(app.db, slug)
        if (deck === undefined && slug !== undefined && slug !== '') throw DECK_NOT_FOUND.at('deck')
        const source = sourceId === undefined ? undefined : await findSource(app.db, sourceId)
        if (source === undefined && sourceId !== undefined) throw SOURCE_NOT_FOUND.at('source')
        const hasHidden = format === 'markdown' && source !== undefined && (await maySeeHidden(request, source.id))
        const { at, today } = app.clock.moment()
        const userId = hasProgress ? request.user.id : undefined
        const scope = { deckId: deck?.id, sourceId: source?.id, hasHidden }
        const order = { format, ...scope, userId, timeZone: app.clock.timeZone, now: at }
        const { stream, size } = await openExport(
          app.db,
          order,
          app.config.tmpDir,
          AbortSignal.any([app.stopping, abortOnClose(reply)]),
        )
        const { type, nameOf } = EXPORT_FILES[format]
        reply
          .type(type)
          .header('content-disposition', `attachment; filename="${nameOf(today)}"`)
          .header('content-length', size)
          // Stops nginx from buffering the whole response for a slow client.
          .header('x-accel-buffering', 'no')
        return stream
      })
      return reply.send(body)
    },
  )
}

async function maySeeHidden({ server, user, apiToken }: FastifyRequest, sourceId: number): Promise<boolean> {
  if (apiToken !== undefined && !apiToken.scopes.includes('content')) return false
  return mayEdit(await findEditable(server.db, user), sourceId)
}

export default exportRoutes
