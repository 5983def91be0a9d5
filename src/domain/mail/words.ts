import type { Language } from '../text/language.js'
import { noonOf } from '../time/calendar.js'

const DE_WEEKDAY = { weekday: 'long', day: 'numeric', month: 'long' } as const
const DE_DAY = new Intl.DateTimeFormat('de', { timeZone: 'UTC', ...DE_WEEKDAY })
const DE_DAY_OF_YEAR = new Intl.DateTimeFormat('de', { timeZone: 'UTC', ...DE_WEEKDAY, year: 'numeric' })

// With the weekday, versions of ICU differ in the comma after it, so the weekday is formatted separately.
const EN_WEEKDAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', weekday: 'long' })
const EN_DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long' })
const EN_DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

/** Words of mails. The German ones define which words there are; `MAIL_WORDS` must have all of them in each language. */
const de = {
  /** @param day `YYYY-MM-DD` */
  day: (day: string, { withYear }: { withYear: boolean }) => (withYear ? DE_DAY_OF_YEAR : DE_DAY).format(noonOf(day)),
  /** @param day as returned by `day`; @param time such as `20:15` */
  instant: (day: string, time: string) => `${day}, ${time} Uhr`,
  count: (count: number) => count.toLocaleString('de'),
  hello: (name: string) => `Hallo ${name},`,
  helloUnnamed: 'Hallo,',
  more: (count: number) => `… und ${count} weitere`,

  today: 'heute',
  tomorrow: 'morgen',
  onDay: (day: string) => `am ${day}`,
  dueToday: 'heute fällig',
  dueTomorrow: (day: string) => `morgen fällig (${day})`,
  dueInDays: (day: string, days: number) => `fällig am ${day} (in ${days} Tagen)`,
  overdue: (past: string) => `überfällig: ${past}`,
  wasDueYesterday: (day: string) => `war gestern fällig (${day})`,
  wasDueDaysAgo: (day: string, days: number) => `war am ${day} fällig (vor ${days} Tagen)`,
  missed: (periods: number) => `davor ${periods === 1 ? 'ist ein Zeitraum' : `sind ${periods} Zeiträume`} verpasst`,

  openTasks: (count: number) => (count === 1 ? 'Eine offene Aufgabe' : `${count} offene Aufgaben`),
  someOverdue: (late: number, count: number) => {
    if (count === 1) return 'überfällig'
    return `${late === count ? 'alle' : late === 1 ? 'eine' : late} überfällig`
  },
  /** @param day `today`, `tomorrow` or `onDay` */
  nextDue: (day: string, count: number) => (count === 1 ? `fällig ${day}` : `die nächste fällig ${day}`),
  tasksWait: (count: number) => (count === 1 ? 'eine Aufgabe wartet auf dich:' : `${count} Aufgaben warten auf dich:`),
  isNew: 'neu',
  voluntary: 'freiwillig',
  toTasks: 'Zu deinen Aufgaben:',
  reasonOfTasks: (count: number) =>
    `Du bekommst diese Mail, weil dir ${count === 1 ? 'diese Aufgabe zugeteilt ist' : 'diese Aufgaben zugeteilt sind'}.`,

  digestSubject: (count: number, teams: number) =>
    `${count === 1 ? 'Eine Aufgabe' : `${count} Aufgaben`} ${teams === 1 ? 'in deinem Team' : 'in deinen Teams'} überfällig`,
  digest: (count: number, teams: number) =>
    `${count === 1 ? 'diese Pflichtaufgabe ist' : 'diese Pflichtaufgaben sind'} ${teams === 1 ? 'in deinem Team' : 'in deinen Teams'} überfällig:`,
  toState: 'Der aktuelle Stand:',
  reasonOfDigest: (teams: number) =>
    `Du bekommst diese Mail höchstens einmal in der Woche, weil du ${teams === 1 ? 'ein Team leitest' : 'Teams leitest'}.`,

  /** @param cards as returned by `count` */
  dueCardsSubject: (count: number, cards: string) =>
    count === 1 ? 'Eine Karte ist heute fällig' : `${cards} Karten sind heute fällig`,
  dueCards: (count: number, cards: string) =>
    count === 1 ? 'heute wartet eine Karte auf dich.' : `heute warten ${cards} Karten auf dich.`,
  learnNow: 'Jetzt lernen:',
  unsubscribe: 'Du bekommst diese Mail, weil du sie in deinem Konto eingeschaltet hast. Hier bestellst du sie ab:',

  confirmationSubject: 'Bestätige deine E-Mail-Adresse',
  /** @param expires as returned by `instant` */
  confirm: (service: string, expires: string) =>
    `bei ${service} wurde diese Adresse für ein Konto eingetragen. Bestätige sie bis ${expires}:`,
  afterwards: 'Danach kommen Erinnerungen an deine Aufgaben hierher.',
  notYou: 'Warst du das nicht? Dann lösche diese Mail. Ohne Bestätigung kommt keine weitere.',

  testSubject: 'Testmail des Trainings',
  test: 'diese Mail wurde verschickt, um den Mailversand zu prüfen. Er funktioniert.',
}

type MailWords = typeof de

const en: MailWords = {
  day: (day, { withYear }) => {
    const noon = noonOf(day)
    return `${EN_WEEKDAY.format(noon)} ${(withYear ? EN_DAY_OF_YEAR : EN_DAY).format(noon)}`
  },
  instant: (day, time) => `${time} on ${day}`,
  count: (count) => count.toLocaleString('en-GB'),
  hello: (name) => `Hello ${name},`,
  helloUnnamed: 'Hello,',
  more: (count) => `… and ${count} more`,

  today: 'today',
  tomorrow: 'tomorrow',
  onDay: (day) => `on ${day}`,
  dueToday: 'due today',
  dueTomorrow: (day) => `due tomorrow (${day})`,
  dueInDays: (day, days) => `due on ${day} (in ${days} days)`,
  overdue: (past) => `overdue: ${past}`,
  wasDueYesterday: (day) => `was due yesterday (${day})`,
  wasDueDaysAgo: (day, days) => `was due on ${day} (${days} days ago)`,
  missed: (periods) => (periods === 1 ? 'one earlier period was missed' : `${periods} earlier periods were missed`),

  openTasks: (count) => (count === 1 ? 'One open task' : `${count} open tasks`),
  someOverdue: (late, count) => {
    if (count === 1) return 'overdue'
    return `${late === count ? 'all' : late === 1 ? 'one' : late} overdue`
  },
  nextDue: (day, count) => (count === 1 ? `due ${day}` : `the next one due ${day}`),
  tasksWait: (count) => (count === 1 ? 'One task is waiting for you:' : `${count} tasks are waiting for you:`),
  isNew: 'new',
  voluntary: 'optional',
  toTasks: 'Go to your tasks:',
  reasonOfTasks: (count) =>
    `You are getting this email because ${count === 1 ? 'this task is' : 'these tasks are'} assigned to you.`,

  digestSubject: (count, teams) =>
    `${count === 1 ? 'One task' : `${count} tasks`} overdue in your ${teams === 1 ? 'team' : 'teams'}`,
  digest: (count, teams) =>
    `${count === 1 ? 'This mandatory task is' : 'These mandatory tasks are'} overdue in your ${teams === 1 ? 'team' : 'teams'}:`,
  toState: 'See where things stand:',
  reasonOfDigest: (teams) =>
    `You get this email at most once a week because you lead ${teams === 1 ? 'a team' : 'teams'}.`,

  dueCardsSubject: (count, cards) => (count === 1 ? 'One card is due today' : `${cards} cards are due today`),
  dueCards: (count, cards) =>
    count === 1 ? 'One card is waiting for you today.' : `${cards} cards are waiting for you today.`,
  learnNow: 'Learn now:',
  unsubscribe: 'You are getting this email because you turned it on in your account. You can unsubscribe here:',

  confirmationSubject: 'Confirm your email address',
  // The sentence does not end with the address of the service: mail programs would take the full stop for a part of it.
  confirm: (service, expires) =>
    `At ${service} this address was entered for an account. Please confirm it by ${expires}:`,
  afterwards: 'After that, reminders about your tasks will come to this address.',
  notYou: 'If this was not you, just delete this email. Unless you confirm, you will not get another one.',

  testSubject: 'Test email from Training',
  test: 'This email was sent to check that sending works. It does.',
}

export const MAIL_WORDS: Readonly<Record<Language, MailWords>> = { de, en }
