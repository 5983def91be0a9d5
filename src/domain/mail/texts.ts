import { shorten } from '../text/text.js'
import { daysBetween, noonOf } from '../time/calendar.js'

/** A mail in plain text; the lines of the body end with `\n`. */
export interface MailText {
  subject: string
  body: string
}

const MAX_NAME = 120
/** Maximum number of tasks that a mail lists; the mail states how many further tasks there are. */
export const MAX_TASKS = 100

const COLLATOR = new Intl.Collator('de', { numeric: true })
const LONG_DAY = new Intl.DateTimeFormat('de', { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long' })
const YEAR_DAY = new Intl.DateTimeFormat('de', {
  timeZone: 'UTC',
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

export interface MailedTask {
  title: string
  /** Last day on which the task is on time, as `YYYY-MM-DD` */
  due: string
  /** Number of earlier periods that the person has missed, which makes the task overdue */
  missed: number
  mandatory: boolean
  /** Whether a reminder of the kind `assigned` is due for the task */
  isNew: boolean
}

/** @param address public address of the service, ending with a slash */
export function tasksMail(
  { name, tasks, today }: { name: string; tasks: readonly MailedTask[]; today: string },
  address: string,
): MailText {
  const sorted = tasks.toSorted(byDue)
  const isOne = tasks.length === 1
  const items = sorted.map(({ title, due, missed, mandatory, isNew }) => {
    const notes = [...(isNew ? ['neu'] : []), ...(mandatory ? [] : ['freiwillig'])]
    return `- ${inLine(title)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}\n  ${dueInWords(due, today)}${missedInWords(missed)}`
  })
  return {
    subject: tasksSubject(sorted, today),
    body: paragraphs(
      `Hallo ${inLine(name)},`,
      isOne ? 'eine Aufgabe wartet auf dich:' : `${tasks.length} Aufgaben warten auf dich:`,
      listed(items, tasks.length),
      `Zu deinen Aufgaben:\n${address}aufgaben`,
      `Du bekommst diese Mail, weil dir ${isOne ? 'diese Aufgabe' : 'diese Aufgaben'} zugeteilt ${isOne ? 'ist' : 'sind'}.`,
    ),
  }
}

function tasksSubject(sorted: readonly MailedTask[], today: string): string {
  const late = sorted.filter(({ due, missed }) => due < today || missed > 0).length
  const count = sorted.length === 1 ? 'Eine offene Aufgabe' : `${sorted.length} offene Aufgaben`
  if (late > 0) {
    if (sorted.length === 1) return `${count}, überfällig`
    return `${count}, ${late === sorted.length ? 'alle' : late === 1 ? 'eine' : late} überfällig`
  }
  const due = dayFrom(sorted[0]?.due ?? today, today)
  return sorted.length === 1 ? `${count}, fällig ${due}` : `${count}, die nächste fällig ${due}`
}

/** An overdue mandatory task of a member of the recipient's teams. */
export interface OverdueTask {
  user_id: number
  person: string
  title: string
  due: string
  /** Number of earlier periods that the person has missed */
  missed: number
}

export interface Digest {
  name: string
  /** Number of teams that the recipient leads */
  teams: number
  /** At most `MAX_TASKS` of the overdue tasks */
  overdue: readonly OverdueTask[]
  /** Number of all overdue tasks */
  total: number
  today: string
}

/**
 * Returns the weekly mail about overdue tasks for a person who leads one or more teams.
 * @param address public address of the service, ending with a slash
 */
export function digestMail({ name, teams, overdue, total, today }: Digest, address: string): MailText {
  const sorted = overdue.toSorted(
    (a, b) => COLLATOR.compare(a.person, b.person) || a.user_id - b.user_id || byDue(a, b),
  )
  const isOne = total === 1
  const inTeam = teams === 1 ? 'in deinem Team' : 'in deinen Teams'
  const items = sorted.map(({ user_id, person, title, due, missed }, index) => {
    const heading = sorted[index - 1]?.user_id === user_id ? '' : `${index === 0 ? '' : '\n'}${inLine(person)}\n`
    return `${heading}- ${inLine(title)}\n  ${due < today ? pastDue(due, today) : dueInWords(due, today)}${missedInWords(missed)}`
  })
  return {
    subject: `${isOne ? 'Eine Aufgabe' : `${total} Aufgaben`} ${inTeam} überfällig`,
    body: paragraphs(
      `Hallo ${inLine(name)},`,
      `${isOne ? 'diese Pflichtaufgabe ist' : 'diese Pflichtaufgaben sind'} ${inTeam} überfällig:`,
      listed(items, total),
      `Der aktuelle Stand:\n${address}aufgaben/vergeben`,
      `Du bekommst diese Mail höchstens einmal in der Woche, weil du ${teams === 1 ? 'ein Team leitest' : 'Teams leitest'}.`,
    ),
  }
}

/**
 * @param key secret of the link for unsubscribing
 * @param address public address of the service, ending with a slash
 */
export function dueCardsMail(
  { name, cards, key }: { name: string; cards: number; key: string },
  address: string,
): MailText {
  const due = cards === 1 ? 'eine Karte' : `${cards.toLocaleString('de')} Karten`
  return {
    subject: cards === 1 ? 'Eine Karte ist heute fällig' : `${cards.toLocaleString('de')} Karten sind heute fällig`,
    body: paragraphs(
      `Hallo ${inLine(name)},`,
      `heute ${cards === 1 ? 'wartet' : 'warten'} ${due} auf dich.`,
      `Jetzt lernen:\n${address}`,
      `Du bekommst diese Mail, weil du sie in deinem Konto eingeschaltet hast. Hier bestellst du sie ab:\n${unsubscribeAddress(key, address)}`,
    ),
  }
}

/**
 * Returns the address for unsubscribing. The key follows `#`, so browsers do not send it and no server logs it.
 * @param address public address of the service, ending with a slash
 * @example unsubscribeAddress('k1', 'https://example.org/') // 'https://example.org/mail/abbestellen#k1'
 */
export function unsubscribeAddress(key: string, address: string): string {
  return `${address}mail/abbestellen#${key}`
}

/**
 * Returns the mail with the link that confirms an address. The mail does not contain the user's name, because the
 * address may belong to another person.
 * @param expires end of the link's validity, as returned by `instantInWords`
 * @param address public address of the service, ending with a slash
 */
export function confirmationMail({ token, expires }: { token: string; expires: string }, address: string): MailText {
  return {
    subject: 'Bestätige deine E-Mail-Adresse',
    body: paragraphs(
      'Hallo,',
      `bei ${address} wurde diese Adresse für ein Konto eingetragen. Bestätige sie bis ${expires}:`,
      `${address}mail/bestaetigen#${token}`,
      'Danach kommen Erinnerungen an deine Aufgaben hierher.',
      'Warst du das nicht? Dann lösche diese Mail. Ohne Bestätigung kommt keine weitere.',
    ),
  }
}

/**
 * Returns day and time of an instant in German words.
 * @example instantInWords(new Date('2026-11-26T19:15:00Z'), 'Europe/Berlin') // 'Donnerstag, 26. November, 20:15 Uhr'
 */
export function instantInWords(instant: Date, timeZone: string): string {
  const day = instant.toLocaleDateString('de', { timeZone, weekday: 'long', day: 'numeric', month: 'long' })
  return `${day}, ${instant.toLocaleTimeString('de', { timeZone, hour: '2-digit', minute: '2-digit' })} Uhr`
}

/**
 * Returns the due day in German words.
 * @example dueInWords('2026-11-30', '2026-11-27') // 'fällig am Montag, 30. November (in 3 Tagen)'
 */
export function dueInWords(due: string, today: string): string {
  const days = daysBetween(today, due)
  if (days === 0) return 'heute fällig'
  if (days === 1) return `morgen fällig (${dayInWords(due, today)})`
  if (days > 1) return `fällig am ${dayInWords(due, today)} (in ${days} Tagen)`
  return `überfällig: ${pastDue(due, today)}`
}

function missedInWords(missed: number): string {
  if (missed === 0) return ''
  return `; davor ${missed === 1 ? 'ist ein Zeitraum' : `sind ${missed} Zeiträume`} verpasst`
}

function pastDue(due: string, today: string): string {
  const days = daysBetween(due, today)
  if (days === 1) return `war gestern fällig (${dayInWords(due, today)})`
  return `war am ${dayInWords(due, today)} fällig (vor ${days} Tagen)`
}

function dayInWords(day: string, today: string): string {
  return (day.slice(0, 4) === today.slice(0, 4) ? LONG_DAY : YEAR_DAY).format(noonOf(day))
}

function dayFrom(day: string, today: string): string {
  const days = daysBetween(today, day)
  if (days === 0) return 'heute'
  return days === 1 ? 'morgen' : `am ${dayInWords(day, today)}`
}

function byDue(one: { due: string; title: string }, other: { due: string; title: string }): number {
  return one.due === other.due ? COLLATOR.compare(one.title, other.title) : one.due < other.due ? -1 : 1
}

function listed(items: readonly string[], total: number): string {
  const rest = total - Math.min(items.length, MAX_TASKS)
  return [...items.slice(0, MAX_TASKS), ...(rest > 0 ? [`\n… und ${rest} weitere`] : [])].join('\n')
}

function paragraphs(...texts: string[]): string {
  return `${texts.join('\n\n')}\n`
}

/**
 * Returns a name or title as one line, cut after 120 characters. A line break could imitate other lines of the mail,
 * and characters that change the writing direction could reverse the text after them.
 */
function inLine(text: string): string {
  const printable = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').replaceAll(/(?![\u200c\u200d])\p{Cf}/gu, '')
  return shorten(printable.replaceAll(/\s+/g, ' ').trim(), MAX_NAME)
}
