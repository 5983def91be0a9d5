import ICAL from 'ical.js'
import t from 'tap'
import { type CalendarEvent, writeCalendar } from '../../src/domain/calendar/icalendar.js'
import fc, { runs } from '../support/property.js'

const FROM = { host: 'training.example.org', language: 'de', today: '2026-12-01' } as const
const event = (values: Partial<CalendarEvent> = {}): CalendarEvent => ({
  id: 7,
  title: 'IT-Sicherheit',
  due_on: '2026-12-31',
  extended_until: null,
  ...values,
})

/** Parses the file with an independent library. */
function read(file: string) {
  const calendar = new ICAL.Component(ICAL.parse(file))
  return calendar.getAllSubcomponents('vevent').map((one) => {
    const { uid, summary, startDate, endDate, sequence } = new ICAL.Event(one)
    return { uid, summary, start: startDate.toString(), end: endDate.toString(), sequence }
  })
}

t.test('an open task is an all-day event of its last day', async (t) => {
  t.strictSame(read(writeCalendar([event(), event({ id: 8, extended_until: '2027-02-28' })], FROM)), [
    {
      uid: 'aufgabe-7@training.example.org',
      summary: 'IT-Sicherheit',
      sequence: 0,
      start: '2026-12-31',
      end: '2027-01-01',
    },
    {
      uid: 'aufgabe-8@training.example.org',
      summary: 'IT-Sicherheit',
      sequence: 59,
      start: '2027-02-28',
      end: '2027-03-01',
    },
  ])
  t.strictSame(read(writeCalendar([], FROM)), [])
})

t.test('the calendar has a name in its language, and the events the same ids', async (t) => {
  const german = writeCalendar([event()], FROM)
  const names = (name: string, tag: string) =>
    `PRODID:-//svc-training//${name}//${tag}\r\nCALSCALE:GREGORIAN\r\nNAME:${name}\r\nX-WR-CALNAME:${name}\r\n`
  t.match(german, names('Aufgaben', 'DE'))
  const english = writeCalendar([event()], { ...FROM, language: 'en' })
  t.equal(english, german.replace(names('Aufgaben', 'DE'), names('Tasks', 'EN')))
})

const HOSTILE = [
  'Hände, Füße; \\n C:\\neu',
  'a\nb',
  'x\r\nEND:VEVENT\r\nBEGIN:VEVENT',
  '👩‍👩‍👧‍👦',
  'שלום \u202e"',
  '\t=1+1',
  '',
]

t.test('a calendar program reads each title as it is, from lines of at most 75 octets', async (t) => {
  const titles = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.array(fc.constantFrom(...HOSTILE), { maxLength: 12 }).map((parts) => parts.join('')),
    // Because of the varying lengths, the limit of a line falls on each octet of a character in turn.
    fc.nat(80).map((length) => `${'x'.repeat(length)}äß€👍\u0301 y`),
  )
  fc.assert(
    fc.property(titles, (title) => {
      const file = writeCalendar([event({ title })], FROM)
      const lines = file.split('\r\n')
      return (
        read(file)[0]?.summary === title.replaceAll(/\r\n|\r/g, '\n') &&
        lines.pop() === '' &&
        lines.every((line) => Buffer.byteLength(line) <= 75 && !/[\r\n]/.test(line))
      )
    }),
    { numRuns: runs(300) },
  )
  t.equal(read(writeCalendar([event({ title: 'a\u0000\u0007b\u007f' })], FROM))[0]?.summary, 'ab')
})
