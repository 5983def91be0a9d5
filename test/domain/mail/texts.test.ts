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
  testMail,
} from '../../../src/domain/mail/texts.js'
import { addDays } from '../../../src/domain/time/calendar.js'
import fc from '../../support/property.js'

const FIXTURES = new URL('../../../../test/fixtures/mail/', import.meta.url)
const ADDRESS = 'https://training.example.org/'
const GERMAN = { address: ADDRESS, language: 'de' } as const
const ENGLISH = { address: ADDRESS, language: 'en' } as const
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
  const expires = new Date('2026-11-28T19:05:00Z')
  for (const frame of [GERMAN, ENGLISH]) {
    const { language } = frame
    const mails: Record<string, MailText> = {
      tasks: tasksMail({ name: 'Erika Muster', tasks, today: TODAY }, frame),
      digest: digestMail({ name: 'Max Leitner', teams: 1, overdue, total: overdue.length, today: TODAY }, frame),
      'due-cards': dueCardsMail({ name: 'Erika Muster', cards: 1_234, key: 'SCHLUESSEL' }, frame),
      confirmation: confirmationMail(
        { token: 'GEHEIM', expires: instantInWords(expires, 'Europe/Berlin', language) },
        frame,
      ),
      test: testMail(ADDRESS, language),
    }
    for (const [name, { subject, body }] of Object.entries(mails)) {
      const text = `${language === 'de' ? 'Betreff' : 'Subject'}: ${subject}\n\n${body}`
      const file = new URL(language === 'de' ? `${name}.txt` : `${language}/${name}.txt`, FIXTURES)
      // UPDATE_MAILS=1 writes the texts; review them before committing.
      if (process.env.UPDATE_MAILS) writeFileSync(file, text)
      t.equal(text, readFileSync(file, 'utf8'), `${language} ${name}`)
    }
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
    t.equal(tasksMail({ name: 'E', tasks, today: TODAY }, GERMAN).subject, subject)
  }
  t.equal(dueCardsMail({ name: 'E', cards: 1, key: 'k' }, GERMAN).subject, 'Eine Karte ist heute fällig')
  t.equal(
    digestMail(
      {
        name: 'E',
        teams: 2,
        overdue: [{ user_id: 1, person: 'A', title: 'B', due: TODAY, missed: 1 }],
        total: 1,
        today: TODAY,
      },
      GERMAN,
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
    t.equal(dueInWords(addDays(TODAY, days), TODAY, 'de'), words)
  }
})

t.test('an English mail distinguishes one from several', async (t) => {
  for (const [dues, subject] of [
    [['2026-11-27'], 'One open task, due today'],
    [['2026-11-28'], 'One open task, due tomorrow'],
    [['2026-11-01'], 'One open task, overdue'],
    [['2027-01-04'], 'One open task, due on Monday 4 January 2027'],
    [['2026-12-31', '2026-12-07'], '2 open tasks, the next one due on Monday 7 December'],
    [['2026-11-01', '2026-12-07'], '2 open tasks, one overdue'],
    [['2026-11-01', '2026-11-02'], '2 open tasks, all overdue'],
    [['2026-11-01', '2026-11-02', '2026-12-02'], '3 open tasks, 2 overdue'],
  ] as const) {
    const tasks = dues.map((due) => task('A', due))
    t.equal(tasksMail({ name: 'E', tasks, today: TODAY }, ENGLISH).subject, subject)
  }
  const one = tasksMail({ name: 'E', tasks: [task('A', TODAY, { missed: 1 })], today: TODAY }, ENGLISH)
  t.match(one.body, 'One task is waiting for you:\n\n- A\n  due today; one earlier period was missed\n')
  t.match(one.body, 'because this task is assigned to you.')
  const overdue = [{ user_id: 1, person: 'A', title: 'B', due: '2026-11-26', missed: 0 }]
  const digest = digestMail({ name: 'E', teams: 2, overdue, total: 1, today: TODAY }, ENGLISH)
  t.equal(digest.subject, 'One task overdue in your teams')
  t.match(digest.body, 'This mandatory task is overdue in your teams:')
  t.match(digest.body, 'because you lead teams.')
  const card = dueCardsMail({ name: 'E', cards: 1, key: 'k' }, ENGLISH)
  t.match(card, { subject: 'One card is due today', body: /\nOne card is waiting for you today\.\n/ })
  for (const [days, words] of [
    [0, 'due today'],
    [1, 'due tomorrow (Saturday 28 November)'],
    [2, 'due on Sunday 29 November (in 2 days)'],
    [-1, 'overdue: was due yesterday (Thursday 26 November)'],
    [-400, 'overdue: was due on Thursday 23 October 2025 (400 days ago)'],
  ] as const) {
    t.equal(dueInWords(addDays(TODAY, days), TODAY, 'en'), words)
  }
  const many = Array.from({ length: 101 }, (_, index) => task(`Task ${index}`, TODAY))
  t.match(tasksMail({ name: 'E', tasks: many, today: TODAY }, ENGLISH).body, '\n… and 1 more\n')
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
      tasksMail({ name, tasks, today: TODAY }, GERMAN),
      digestMail({ name, teams: 1, overdue, total: overdue.length, today: TODAY }, GERMAN),
      dueCardsMail({ name, cards: 2, key: 'k' }, GERMAN),
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
  const { body, subject } = tasksMail({ name: 'E', tasks: many, today: TODAY }, GERMAN)
  t.match(body, '… und 200 weitere')
  t.match(subject, '300 offene Aufgaben')
})
