import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { findDeckBySlug } from '../../db/queries/content/decks.js'
import { EXPORT_FILES, EXPORT_FORMATS } from '../../src/domain/content/export-formats.js'
import { BadRequest, DECK_NOT_FOUND, NO_ROOM } from '../../src/domain/refusals.js'
import { parseChoice, parseFlag } from '../../src/domain/text/parameters.js'
import type { Moment } from '../../src/domain/time/calendar.js'
import { oneAtATime } from '../../src/http/one-at-a-time.js'
import { answers } from '../../src/http/schemas.js'
import { untilGone } from '../../src/http/until-gone.js'
import { openExport } from '../../src/services/content/exports/write-export.js'
import { ExportFile, ExportQuery } from './schemas.js'

export interface ExportOptions {
  /** A folder on a disk, for uploads and exports while they are read and written. */
  tmpDir: string
  moment: () => Moment
  timeZone: string
}

/** Cards as a file: for Anki, for a spreadsheet, or as the folder from which this service imports them. */
const exportRoutes: FastifyPluginAsyncTypebox<ExportOptions> = async (app, { tmpDir, moment, timeZone }) => {
  const begin = oneAtATime()

  app.get(
    '/export',
    {
      schema: {
        operationId: 'exportContent',
        summary: 'Cards as a package for Anki, as a table or as a folder of Markdown',
        description: `\`apkg\`: every Anki from 2.1.15 on; what comes again is updated, not doubled. With \`progress=true\` the
caller's own progress is inside, which Anki takes for cards that are new there. \`csv\`: one row a card, for Excel and the
like. \`markdown\`: a zip of the content folder's format; without \`deck\` the cheat sheets, too. The file is complete before
its first byte is sent. One at a time for each user: 429 while another one is being made or sent.`,
        tags: ['content'],
        produces: ['application/octet-stream', 'text/csv', 'application/zip'],
        querystring: ExportQuery,
        response: answers(ExportFile, [DECK_NOT_FOUND, NO_ROOM]),
      },
    },
    async (request, reply) => {
      const { deck: slug, ...query } = request.query
      const format = parseChoice(query.format, 'format', EXPORT_FORMATS)
      if (format === undefined) {
        throw new BadRequest(`Der Parameter "format" fehlt: eines von ${EXPORT_FORMATS.join(', ')}`)
      }
      const hasProgress = parseFlag(query.progress, 'progress')
      if (hasProgress && format !== 'apkg') throw new BadRequest('Der Parameter "progress" gilt nur für format=apkg')
      begin(request.user.id, reply)
      const deck = slug === undefined || slug === '' ? undefined : await findDeckBySlug(app.db, slug)
      if (deck === undefined && slug !== undefined && slug !== '') throw DECK_NOT_FOUND
      const { at, today } = moment()
      const userId = hasProgress ? request.user.id : undefined
      const order = { format, deckId: deck?.id, userId, timeZone, now: at }
      const { stream, size } = await openExport(app.db, order, tmpDir, untilGone(reply))
      const { type, nameOf } = EXPORT_FILES[format]
      reply
        .type(type)
        .header('content-disposition', `attachment; filename="${nameOf(today)}"`)
        .header('content-length', size)
        // nginx would otherwise take in all of it for a slow reader.
        .header('x-accel-buffering', 'no')
      return reply.send(stream as unknown as Static<typeof ExportFile>)
    },
  )
}

export default exportRoutes
