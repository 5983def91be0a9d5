import type { Language } from '../text/language.js'
import { shorten } from '../text/text.js'
import { calendarIn, daysBetween } from '../time/calendar.js'
import { MAIL_WORDS } from './words.js'

/** A mail in plain text; the lines of the body end with `\n`. */
export interface MailText {
  subject: string
  body: string
}

export interface MailFrame {
  /** Public address of the service, ending with a slash */
  address: string
  /** Language of the recipient; names and titles stay as they are */
  language: Language
}

const MAX_NAME = 120
/** Maximum number of tasks that a mail lists; the mail states how many further tasks there are. */
export const MAX_TASKS = 100

const COLLATOR = new Intl.Collator('de', { numeric: true })

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

export function tasksMail(
  { name, tasks, today }: { name: string; tasks: readonly MailedTask[]; today: string },
  { address, language }: MailFrame,
): MailText {
  const words = MAIL_WORDS[language]
  const sorted = tasks.toSorted(byDue)
  const items = sorted.map(({ title, due, missed, mandatory, isNew }) => {
    const notes = [...(isNew ? [words.isNew] : []), ...(mandatory ? [] : [words.voluntary])]
    const line = `${dueInWords(due, today, language)}${missedInWords(missed, language)}`
    return `- ${inLine(title)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}\n  ${line}`
  })
  return {
    subject: tasksSubject(sorted, today, language),
    body: paragraphs(
      words.hello(inLine(name)),
      words.tasksWait(tasks.length),
      listed(items, tasks.length, language),
      `${words.toTasks}\n${address}aufgaben`,
      words.reasonOfTasks(tasks.length),
    ),
  }
}

function tasksSubject(sorted: readonly MailedTask[], today: string, language: Language): string {
  const words = MAIL_WORDS[language]
  const late = sorted.filter(({ due, missed }) => due < today || missed > 0).length
  const count = sorted.length
  const state =
    late > 0 ? words.someOverdue(late, count) : words.nextDue(dayFrom(sorted[0]?.due ?? today, today, language), count)
  return `${words.openTasks(count)}, ${state}`
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

/** Returns the weekly mail about overdue tasks for a person who leads one or more teams. */
export function digestMail({ name, teams, overdue, total, today }: Digest, { address, language }: MailFrame): MailText {
  const words = MAIL_WORDS[language]
  const sorted = overdue.toSorted(
    (a, b) => COLLATOR.compare(a.person, b.person) || a.user_id - b.user_id || byDue(a, b),
  )
  const items = sorted.map(({ user_id, person, title, due, missed }, index) => {
    const heading = sorted[index - 1]?.user_id === user_id ? '' : `${index === 0 ? '' : '\n'}${inLine(person)}\n`
    const state = due < today ? pastDue(due, today, language) : dueInWords(due, today, language)
    return `${heading}- ${inLine(title)}\n  ${state}${missedInWords(missed, language)}`
  })
  return {
    subject: words.digestSubject(total, teams),
    body: paragraphs(
      words.hello(inLine(name)),
      words.digest(total, teams),
      listed(items, total, language),
      `${words.toState}\n${address}aufgaben/vergeben`,
      words.reasonOfDigest(teams),
    ),
  }
}

/** @param key secret of the link for unsubscribing */
export function dueCardsMail(
  { name, cards, key }: { name: string; cards: number; key: string },
  { address, language }: MailFrame,
): MailText {
  const words = MAIL_WORDS[language]
  return {
    subject: words.dueCardsSubject(cards, words.count(cards)),
    body: paragraphs(
      words.hello(inLine(name)),
      words.dueCards(cards, words.count(cards)),
      `${words.learnNow}\n${address}`,
      `${words.unsubscribe}\n${unsubscribeAddress(key, address)}`,
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
 */
export function confirmationMail(
  { token, expires }: { token: string; expires: string },
  { address, language }: MailFrame,
): MailText {
  const words = MAIL_WORDS[language]
  return {
    subject: words.confirmationSubject,
    body: paragraphs(
      words.helloUnnamed,
      words.confirm(address, expires),
      `${address}mail/bestaetigen#${token}`,
      words.afterwards,
      words.notYou,
    ),
  }
}

/** @param publicUrl public address of the service; undefined if not configured */
export function testMail(publicUrl: string | undefined, language: Language): MailText {
  const words = MAIL_WORDS[language]
  const texts = [words.helloUnnamed, words.test, ...(publicUrl === undefined ? [] : [publicUrl])]
  return { subject: words.testSubject, body: paragraphs(...texts) }
}

/**
 * Returns day and time of an instant in words.
 * @example instantInWords(new Date('2026-11-26T19:15:00Z'), 'Europe/Berlin', 'de') // 'Donnerstag, 26. November, 20:15 Uhr'
 * @example instantInWords(new Date('2026-11-26T19:15:00Z'), 'Europe/Berlin', 'en') // '20:15 on Thursday 26 November'
 */
export function instantInWords(instant: Date, timeZone: string, language: Language): string {
  const words = MAIL_WORDS[language]
  // The same in both languages: 24 hours, with a colon.
  const time = instant.toLocaleTimeString('de', { timeZone, hour: '2-digit', minute: '2-digit' })
  return words.instant(words.day(calendarIn(timeZone)(instant), { withYear: false }), time)
}

/**
 * Returns the due day in words.
 * @example dueInWords('2026-11-30', '2026-11-27', 'de') // 'fällig am Montag, 30. November (in 3 Tagen)'
 */
export function dueInWords(due: string, today: string, language: Language): string {
  const words = MAIL_WORDS[language]
  const days = daysBetween(today, due)
  if (days === 0) return words.dueToday
  if (days === 1) return words.dueTomorrow(dayInWords(due, today, language))
  if (days > 1) return words.dueInDays(dayInWords(due, today, language), days)
  return words.overdue(pastDue(due, today, language))
}

function missedInWords(missed: number, language: Language): string {
  return missed === 0 ? '' : `; ${MAIL_WORDS[language].missed(missed)}`
}

function pastDue(due: string, today: string, language: Language): string {
  const words = MAIL_WORDS[language]
  const days = daysBetween(due, today)
  const day = dayInWords(due, today, language)
  return days === 1 ? words.wasDueYesterday(day) : words.wasDueDaysAgo(day, days)
}

/** Returns the day with its year only if it is not in the year of today. */
function dayInWords(day: string, today: string, language: Language): string {
  return MAIL_WORDS[language].day(day, { withYear: day.slice(0, 4) !== today.slice(0, 4) })
}

function dayFrom(day: string, today: string, language: Language): string {
  const words = MAIL_WORDS[language]
  const days = daysBetween(today, day)
  if (days === 0) return words.today
  return days === 1 ? words.tomorrow : words.onDay(dayInWords(day, today, language))
}

function byDue(one: { due: string; title: string }, other: { due: string; title: string }): number {
  return one.due === other.due ? COLLATOR.compare(one.title, other.title) : one.due < other.due ? -1 : 1
}

function listed(items: readonly string[], total: number, language: Language): string {
  const rest = total - Math.min(items.length, MAX_TASKS)
  return [...items.slice(0, MAX_TASKS), ...(rest > 0 ? [`\n${MAIL_WORDS[language].more(rest)}`] : [])].join('\n')
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
