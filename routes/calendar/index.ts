import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteCalendarToken, findCalendarToken } from '../../db/queries/calendar/calendars.js'
import { publicAddressOf } from '../../src/http/public-address.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { Done, responses } from '../../src/http/schemas.js'
import { makeCalendar } from '../../src/services/calendar/calendar.js'
import { CalendarAddress, CalendarState } from './schemas.js'

const calendar: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Kalender-Endpunkt'))

  app.get(
    '/token',
    {
      schema: {
        operationId: 'getCalendarToken',
        summary: "The time at which the caller's calendar got its address",
        tags: ['calendar'],
        response: responses(CalendarState),
      },
    },
    async ({ user }) => ({ calendar: (await findCalendarToken(app.db, user.id)) ?? null }),
  )

  app.post(
    '/token',
    {
      schema: {
        operationId: 'createCalendarToken',
        summary: "Create a secret address for the caller's calendar, in place of an earlier one",
        description: 'The response is the only one that contains the address.',
        tags: ['calendar'],
        response: responses(CalendarAddress),
      },
    },
    async (request) => {
      const token = await makeCalendar(app.db, request.user.id)
      return { url: publicAddressOf(request, `api/calendar/${token}.ics`, app.config).href }
    },
  )

  app.delete(
    '/token',
    {
      schema: {
        operationId: 'deleteCalendarToken',
        summary: "Delete the address of the caller's calendar, if there is one",
        tags: ['calendar'],
        response: responses(Done),
      },
    },
    async ({ user }) => {
      await deleteCalendarToken(app.db, user.id)
      return { ok: true as const }
    },
  )
}

export default calendar
