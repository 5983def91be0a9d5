import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import {
  confirmationMail,
  digestMail,
  dueCardsMail,
  dueInWords,
  instantInWords,
  type MailText,
  tasksMail,
} from '../../../src/domain/mail/texts.js'
import { addDays } from '../../../src/domain/time/calendar.js'
import fc from '../../support/property.js'

const FIXTURES = new URL('../../../../test/fixtures/mail/', import.meta.url)
const ADDRESS = 'https://training.example.org/'
const TODAY = '2026-11-27'
const task = (title: string, due: string, more = {}) => ({
  title,
  due,
  mandatory: true,
  isNew: false,
  missed: 0,
  ...more,
})

t.test('each mail equals its fixture', async (t) => {
  const tasks = [
    task('Brandschutz-Unterweisung', '2026-11-30', { isNew: true }),
    task('IT-Sicherheit, jährlich', '2026-11-20'),
    task('Git für Fortgeschrittene', '2027-01-15', { mandatory: false }),
    task('Erste Hilfe', '2027-01-31', { missed: 2 }),
  ]
  const overdue = [
    { user_id: 2, person: 'Erika Muster', title: 'IT-Sicherheit, jährlich', due: '2026-11-20', missed: 0 },
    { user_id: 2, person: 'Erika Muster', title: 'Brandschutz-Unterweisung', due: '2026-11-26', missed: 0 },
    { user_id: 3, person: 'Ärmin Zuse', title: 'IT-Sicherheit, jährlich', due: '2025-12-31', missed: 0 },
    { user_id: 3, person: 'Ärmin Zuse', title: 'Erste Hilfe', due: '2026-12-31', missed: 1 },
  ]
  const mails: Record<string, MailText> = {
    tasks: tasksMail({ name: 'Erika Muster', tasks, today: TODAY }, ADDRESS),
    digest: digestMail({ name: 'Max Leitner', teams: 1, overdue, total: overdue.length, today: TODAY }, ADDRESS),
    'due-cards': dueCardsMail({ name: 'Erika Muster', cards: 1_234, key: 'SCHLUESSEL' }, ADDRESS),
    confirmation: confirmationMail(
      { token: 'GEHEIM', expires: instantInWords(new Date('2026-11-28T19:05:00Z'), 'Europe/Berlin') },
      ADDRESS,
    ),
  }
  for (const [name, { subject, body }] of Object.entries(mails)) {
    const text = `Betreff: ${subject}\n\n${body}`
    const file = new URL(`${name}.txt`, FIXTURES)
    // UPDATE_MAILS=1 writes the texts; review them before committing.
    if (process.env.UPDATE_MAILS) writeFileSync(file, text)
    t.equal(text, readFileSync(file, 'utf8'), name)
  }
})

t.test('the subject names the number and the nearest due day', async (t) => {
  for (const [dues, subject] of [
    [['2026-11-27'], 'Eine offene Aufgabe, fällig heute'],
    [['2026-11-28'], 'Eine offene Aufgabe, fällig morgen'],
    [['2026-11-01'], 'Eine offene Aufgabe, überfällig'],
    [['2027-01-04'], 'Eine offene Aufgabe, fällig am Montag, 4. Januar 2027'],
    [['2026-12-31', '2026-12-07'], '2 offene Aufgaben, die nächste fällig am Montag, 7. Dezember'],
    [['2026-11-01', '2026-12-07'], '2 offene Aufgaben, eine überfällig'],
    [['2026-11-01', '2026-11-02'], '2 offene Aufgaben, alle überfällig'],
    [['2026-11-01', '2026-11-02', '2026-12-02'], '3 offene Aufgaben, 2 überfällig'],
  ] as const) {
    const tasks = dues.map((due) => task('A', due))
    t.equal(tasksMail({ name: 'E', tasks, today: TODAY }, ADDRESS).subject, subject)
  }
  t.equal(dueCardsMail({ name: 'E', cards: 1, key: 'k' }, ADDRESS).subject, 'Eine Karte ist heute fällig')
  t.equal(
    digestMail(
      {
        name: 'E',
        teams: 2,
        overdue: [{ user_id: 1, person: 'A', title: 'B', due: TODAY, missed: 1 }],
        total: 1,
        today: TODAY,
      },
      ADDRESS,
    ).subject,
    'Eine Aufgabe in deinen Teams überfällig',
  )
  for (const [days, words] of [
    [0, 'heute fällig'],
    [1, 'morgen fällig (Samstag, 28. November)'],
    [2, 'fällig am Sonntag, 29. November (in 2 Tagen)'],
    [-1, 'überfällig: war gestern fällig (Donnerstag, 26. November)'],
    [-400, 'überfällig: war am Donnerstag, 23. Oktober 2025 fällig (vor 400 Tagen)'],
  ] as const) {
    t.equal(dueInWords(addDays(TODAY, days), TODAY), words)
  }
})

t.test('titles and names stay within their line, whatever they are', async (t) => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
    fc.constantFrom(
      '=1+1',
      'A\r\nBcc: x@example.org',
      '\u202egnp.exe',
      '\u2066x',
      '.',
      'x'.repeat(200),
      '<b>"&',
      'a\u2028b',
    ),
  )
  const lines = (title: string, name: string) => {
    const tasks = [task(title, TODAY), task('B', TODAY)]
    const overdue = [{ user_id: 1, person: name, title, due: TODAY, missed: 0 }]
    return [
      tasksMail({ name, tasks, today: TODAY }, ADDRESS),
      digestMail({ name, teams: 1, overdue, total: overdue.length, today: TODAY }, ADDRESS),
      dueCardsMail({ name, cards: 2, key: 'k' }, ADDRESS),
    ]
  }
  const counts = lines('A', 'N').map(({ body }) => body.split('\n').length)
  fc.assert(
    fc.property(hostile, hostile, (title, name) =>
      lines(title, name).every(
        ({ subject, body }, index) =>
          body.split('\n').length === counts[index] &&
          !/\p{Cc}|[\u202a-\u202e\u2066-\u2069\u2028\u2029\u061c]/u.test(body.replaceAll('\n', '')) &&
          !/\p{Cc}/u.test(subject) &&
          body.split('\n').every((line) => line.length < 400),
      ),
    ),
  )
  const many = Array.from({ length: 300 }, (_, index) => task(`Aufgabe ${index}`, TODAY))
  const { body, subject } = tasksMail({ name: 'E', tasks: many, today: TODAY }, ADDRESS)
  t.match(body, '… und 200 weitere')
  t.match(subject, '300 offene Aufgaben')
})
