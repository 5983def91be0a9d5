import { hash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CALENDAR_NOT_FOUND } from '../../src/domain/calendar/refusals.js'
import type { Language } from '../../src/domain/text/language.js'
import { matchesEtag } from '../../src/http/matches-etag.js'
import { publicAddressOf } from '../../src/http/public-address.js'
import { responses, Unchanged } from '../../src/http/schemas.js'
import { readCalendar } from '../../src/services/calendar/calendar.js'
import { CalendarFile, CalendarParams } from './schemas.js'

/** Limit of requests per IP address; calendar services fetch the calendars of many users from a few IP addresses. */
const PER_TEN_SECONDS = 200

const FILE_NAMES: Readonly<Record<Language, string>> = { de: 'aufgaben', en: 'tasks' }

/** Serves the calendar of a user's tasks to every client that knows the secret address of the calendar. */
const feed: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/:token.ics',
    {
      schema: {
        operationId: 'getCalendar',
        summary: "Titles and due days of a person's open tasks as iCalendar",
        description: `The token is the credential. Tasks that ended since the last planning may still be included. The name of
the calendar is in the language of the person, as in mails.`,
        tags: ['calendar'],
        security: [],
        produces: ['text/calendar'],
        params: CalendarParams,
        response: responses(CalendarFile, [CALENDAR_NOT_FOUND], { 304: Unchanged }),
      },
      onRequest: app.limitRequests('calendar', PER_TEN_SECONDS),
    },
    async (request, reply) => {
      const host = publicAddressOf(request, '', app.config).hostname
      const { defaultLanguage } = app.config
      const { token } = request.params
      const { file, language } = await readCalendar(app.db, token, { host, today: app.clock.today(), defaultLanguage })
      const etag = `"${hash('sha256', file, 'base64url')}"`
      reply.headers({ etag, 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex' })
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send(null)
      return reply
        .type('text/calendar; charset=utf-8')
        .headers({
          'content-disposition': `inline; filename="${FILE_NAMES[language]}.ics"`,
          'content-language': language,
        })
        .send(file) as never
    },
  )
}

export default feed
