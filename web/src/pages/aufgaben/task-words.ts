import type { ResponseBody } from '../../api/types.js'
import { daysBetween, localDayOf, relativeDay } from '../../words/dates.js'
import { isolate } from '../../words/isolate.js'
import { LOCALE } from '../../words/locale.js'
import { count } from '../../words/numbers.js'

/** A task of the learner: an occurrence of an assignment */
export type Task = ResponseBody<'/api/assignments/mine'>['occurrences'][number]
export type Part = Task['parts'][number]

const DAY = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', timeZone: 'UTC' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'long', timeZone: 'UTC' })

/**
 * Formats a day, with the year unless it is the current year.
 * @example longDay('2026-12-31', '2026-12-19') // '31. Dezember'
 */
export function longDay(day: string, today: string): string {
  const format = day.slice(0, 4) === today.slice(0, 4) ? DAY : DAY_OF_YEAR
  return format.format(new Date(`${day}T12:00:00Z`))
}

/**
 * Formats the day of an instant in the time zone of this device.
 * @example longDayOf('2026-12-31T12:00:00Z', '2026-12-19') // '31. Dezember'
 */
export function longDayOf(instant: string, today: string): string {
  return longDay(localDayOf(new Date(instant)), today)
}

/**
 * Formats the due date of a task, with the remaining days.
 * @example dueText('2026-12-31', '2026-12-19') // 'bis 31. Dezember, noch 12 Tage'
 */
export function dueText(due: string, today: string): string {
  const days = daysBetween(today, due)
  const day = longDay(due, today)
  if (days < 0) return `war bis ${day} fällig (${relativeDay(due, today)})`
  if (days < 2) return `bis ${days === 0 ? 'heute' : 'morgen'}, ${day}`
  return `bis ${day}, noch ${count(days)} Tage`
}

export const isOpen = ({ state }: Pick<Task, 'state'>) => state === 'open' || state === 'in_progress'

export const addressOfTask = ({ id }: Pick<Task, 'id'>) => `aufgaben#aufgabe-${id}`

/** Returns the content of a part with this slug, in any language; undefined if the part has other content. */
export function contentOf(part: Part, slug: string): Pick<Part, 'slug' | 'lang'> | undefined {
  // A stored copy of an older version of the app has no variants.
  return part.slug === slug ? part : (part.variants ?? []).find((one) => one.slug === slug)
}

export const isOpenPart = (part: Part, kind: Part['kind'], slug: string) =>
  part.kind === kind && contentOf(part, slug) !== undefined && part.state === 'open'

/** Returns whether the task is open and has an open part with this content. */
export const hasOpenPart = (task: Task, kind: Part['kind'], slug: string) =>
  isOpen(task) && task.parts.some((part) => isOpenPart(part, kind, slug))

export const PART_NAMES: Record<Part['kind'], string> = {
  sheet: 'Spickzettel',
  test: 'Test',
  deck: 'Deck',
  personal: 'Persönlicher Teil',
}

/** Labels of the links to the parts of a task; a personal part has no link */
export const ACTIONS: Record<Exclude<Part['kind'], 'personal'>, string> = {
  sheet: 'Lesen',
  test: 'Zum Test',
  deck: 'Lernen',
}

const PLACES = { sheet: 'spickzettel', test: 'tests', deck: 'lernen' } as const

/**
 * Returns the address of the page on which the learner does a part; undefined for a personal part, for content
 * that is not available, and for a part that waits for others.
 * @example addressOf(part, 12, 0) // 'spickzettel/git?aufgabe=12&teil=0'
 */
export function addressOf({ kind, slug, available, locked }: Part, task: number, index: number): string | undefined {
  if (kind === 'personal' || slug === null || !available || locked) return undefined
  const part = kind === 'sheet' ? `&teil=${index}` : ''
  return `${PLACES[kind]}/${encodeURIComponent(slug)}?aufgabe=${task}${part}`
}

/**
 * Describes the state of a part, or how to complete it.
 * @example partText(part, task, '2026-12-19') // 'gelesen und bestätigt am 5. Dezember'
 */
export function partText(part: Part, { assignment }: Pick<Task, 'assignment'>, today: string): string {
  if (part.state === 'closed') return 'nicht erledigt'
  if (part.state === 'done') return doneText(part, today)
  if (part.locked) return 'Kommt, sobald die Teile davor erledigt sind.'
  const { responsible, mandatory } = assignment
  if (part.kind === 'personal') {
    const lead = mandatory ? 'die Leitung deines Teams' : undefined
    const persons = [responsible === null ? undefined : isolate(responsible), lead].filter((one) => one !== undefined)
    return `Findet mit dir persönlich statt. Danach bestätigt es ${persons.join(' oder ') || 'die verantwortliche Person'}.`
  }
  if (!part.available) {
    const person = responsible === null ? 'die Person, die dir die Aufgabe gegeben hat' : isolate(responsible)
    return `Dieser Inhalt ist gerade nicht da. Frag bitte ${person}.`
  }
  if (part.kind === 'deck') {
    return part.share_percent === null
      ? 'Sieh dir jede Karte einmal an, gern über mehrere Tage.'
      : `Bewerte ${part.share_percent} % der Karten mindestens einmal mit „Gut“ oder „Leicht“, gern über mehrere Tage.`
  }
  return part.kind === 'sheet' ? 'Lies ihn und bestätige es am Ende.' : 'Bestehe den Test.'
}

function doneText({ kind, done_on, confirmed_by }: Part, today: string): string {
  const day = longDay(done_on ?? today, today)
  if (kind === 'personal') {
    return `war am ${day}${confirmed_by === null ? '' : `, bestätigt von ${isolate(confirmed_by)}`}`
  }
  return `${{ sheet: 'gelesen und bestätigt', test: /* text */ 'bestanden', deck: /* text */ 'gelernt' }[kind]} am ${day}`
}

export const ENDINGS = {
  done: /* text */ 'erledigt',
  exempt: /* text */ 'befreit',
  recognised: /* text */ 'anerkannt',
  missed: /* text */ 'verpasst',
  left: /* text */ 'entfallen',
} as const

/**
 * Returns a text about the final state of a task; empty if the task is done but the time is unknown.
 * @example endText(task, '2026-12-19') // 'Erledigt am 5. Dezember.'
 */
export function endText({ state, done_on, due, reason, covered_until }: Task, today: string): string {
  if (state === 'missed') return `War bis ${longDay(due, today)} fällig.`
  if (state === 'left') return 'Sie gilt für dich nicht mehr, zum Beispiel weil du das Team gewechselt hast.'
  if (state === 'done') return done_on === null ? '' : `Erledigt am ${longDay(done_on, today)}.`
  const meaning = state === 'exempt' ? 'Du musst sie nicht erledigen' : 'Ein anderer Nachweis zählt dafür'
  const until = covered_until === null ? '' : `, bis ${longDay(covered_until, today)}`
  return `${meaning}${until}.${reason === null ? '' : ` Grund: ${isolate(reason)}`}`
}
