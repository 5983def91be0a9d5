import { Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../src/http/schemas.js'

export const CalendarParams = Type.Object({
  token: Type.String({
    description: '43 characters, from the address that `POST /api/calendar/token` returned.',
    examples: ['N1mZ0cX8Yb2Kq5Rt7Vw9AaBbCcDdEeFfGgHhIiJjKkQ'],
  }),
})

export const CalendarAddress = Type.Object({
  url: Type.String({
    description: 'Address for a calendar program; returned only once.',
    examples: ['https://training.example.org/api/calendar/N1mZ…Qw.ics'],
  }),
})

export const CalendarState = Type.Object({
  calendar: nullable(
    Type.Object({ created_at: Timestamp }, { description: 'The address that is in use; null if there is none.' }),
  ),
})

export const CalendarFile = Type.String({ description: 'iCalendar (RFC 5545): an all-day event for each open task.' })
