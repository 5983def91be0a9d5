import type { Body, ResponseBody } from '../../api/types.js'
import { isolate } from '../../words/isolate.js'
import { LOCALE } from '../../words/locale.js'
import { count, countOf } from '../../words/numbers.js'
import { PART_NAMES } from '../aufgaben/task-words.js'

type Assignment = ResponseBody<'/api/assignments'>['assignments'][number]
type Kind = Assignment['parts'][number]['kind']
type State = ResponseBody<'/api/assignments/{id}/occurrences'>['occurrences'][number]['state']
/** The dates of a request, in which the values that have a default may be missing */
type Dates = Pick<Body<'/api/assignments', 'post'>, 'starts' | 'due' | 'recurrence'>
type Recurrence = Dates['recurrence']
/** The audience as far as the user may see it */
type Audience = Pick<Assignment, 'audience' | 'teams'> & Partial<Pick<Assignment, 'rights'>>

const DATE = new Intl.DateTimeFormat(LOCALE, { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat(LOCALE, { month: 'long', timeZone: 'UTC' })

/**
 * Formats a day.
 * @example dayText('2026-12-31') // '31.12.2026'
 */
export const dayText = (day: string): string => DATE.format(new Date(`${day}T12:00:00Z`))

/**
 * Formats a day without its year.
 * @example dayOfYear('03-31') // '31. März'
 */
export const dayOfYear = (day: string): string =>
  DAY_OF_YEAR.format(new Date(`2028-${day}T12:00:00Z`)).replace(' ', '\u00a0')

export const MONTHS = Array.from({ length: 12 }, (_, at) => ({
  value: String(at + 1).padStart(2, '0'),
  label: MONTH.format(new Date(Date.UTC(2028, at, 1))),
}))

export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T12:00:00Z`)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}

/** The choice of a kind of part */
export const KINDS = (['sheet', 'test', 'deck', 'personal'] as const).map((value) => ({
  value,
  label: PART_NAMES[value],
}))

const SHORT_KINDS: Readonly<Record<Kind, string>> = { sheet: 'Blatt', test: 'Test', deck: 'Deck', personal: 'Gespräch' }

/**
 * Names the parts of an occurrence briefly; two parts of a kind by their titles.
 * @example partNames([{ kind: 'sheet', title: 'Brandschutz' }]) // ['Blatt']
 */
export function partNames(parts: readonly { kind: Kind; title: string }[]): string[] {
  return parts.map(({ kind, title }) => {
    const isOnly = parts.filter((other) => other.kind === kind).length === 1
    return isOnly ? SHORT_KINDS[kind] : `${SHORT_KINDS[kind]} „${isolate(title)}“`
  })
}

/** Labels the filter for persons who have not done a part of the kind. @example missingText('test') // 'Test fehlt' */
export const missingText = (kind: Kind): string => `${SHORT_KINDS[kind]} fehlt`

/**
 * Describes a part as a task for a person.
 * @example requirementText(part) // 'Test „Brandschutz“ bestehen'
 */
export function requirementText({
  kind,
  title,
  share_percent,
}: {
  kind: Kind
  title: string
  share_percent: number | null
}): string {
  const name = `„${isolate(title)}“`
  if (kind === 'sheet') return `Spickzettel ${name} lesen und bestätigen`
  if (kind === 'test') return `Test ${name} bestehen`
  if (kind === 'personal') return `Persönlicher Teil: ${isolate(title)}`
  return share_percent === null
    ? `Deck ${name}: jede Karte einmal lernen`
    : `Deck ${name}: ${share_percent} % der Karten mit „Gut“ oder besser`
}

/**
 * Explains the dates of an assignment.
 * @example scheduleText(assignment) // 'Zum ersten Mal bis 31.12.2026, danach jedes Jahr bis 31. März.'
 */
export function scheduleText({ starts, due, recurrence }: Dates): string {
  const first = firstText(starts, due)
  if (recurrence === null) return `Einmal ${first}.`
  const { every_months, window_end, opens_days_before } = recurrence
  const next =
    window_end === undefined
      ? `immer ${monthsText(every_months)} nach dem Erledigen`
      : windowText(every_months, window_end)
  const opens =
    opens_days_before === undefined
      ? ''
      : ` Sie öffnet sich jeweils ${countOf(opens_days_before, 'Tag', 'Tage')} vorher.`
  return `Zum ersten Mal ${first}, danach ${next}.${opens}`
}

function firstText(starts: Dates['starts'], due: Dates['due']): string {
  if (typeof due === 'string') return `bis ${dayText(due)}`
  const days = countOf(due.days_after_start, 'Tag', 'Tage')
  if (typeof starts !== 'string') {
    const later = 'joining' in starts ? 0 : starts.days_after_joining
    const start = later === 0 ? '' : `, ab dem ${later}. Tag danach`
    return `bis ${countOf(later + due.days_after_start, 'Tag', 'Tage')} nach dem Tag, an dem jemand dazukommt${start}`
  }
  return `bis ${dayText(addDays(starts, due.days_after_start))}, ${days} nach dem Beginn`
}

function windowText(months: number, end: string): string {
  const day = dayOfYear(end)
  if (months === 12) return `jedes Jahr bis ${day}`
  return months % 12 === 0
    ? `alle ${months / 12} Jahre bis ${day}`
    : `alle ${monthsText(months)}, zum Beispiel bis ${day}`
}

const monthsText = (months: number) => countOf(months, 'Monat', 'Monate')

/**
 * Formats a recurrence briefly, for lists.
 * @example recurrenceText(null) // 'einmal'
 */
export function recurrenceText(recurrence: Recurrence): string {
  if (recurrence === null) return /* text */ 'einmal'
  const { every_months, window_end } = recurrence
  return window_end === undefined
    ? `${monthsText(every_months)} nach dem Erledigen`
    : windowText(every_months, window_end)
}

/**
 * Formats the due date briefly, for lists.
 * @example dueRuleText({ due: { days_after_start: 30 } }) // '30 Tage nach dem Beginn'
 */
export function dueRuleText({ due }: Pick<Dates, 'due'>): string {
  return typeof due === 'string' ? dayText(due) : `${countOf(due.days_after_start, 'Tag', 'Tage')} nach dem Beginn`
}

/**
 * Describes an audience: at most three teams by name, further teams and persons by number.
 * @example audienceText(assignment) // 'Werkstatt, Lager und 3 Personen'
 */
export function audienceText({ audience, teams, rights }: Audience): string {
  if (audience.everybody) return 'Alle'
  const names = teams.slice(0, 3).map(({ name }) => isolate(name))
  const more = teams.length - names.length
  if (more > 0) names.push(countOf(more, 'weiteres Team', 'weitere Teams'))
  if (audience.user_ids.length > 0) names.push(countOf(audience.user_ids.length, 'Person', 'Personen'))
  // A lead sees neither the teams of others nor their members.
  const nobody = rights?.see_state && !rights.change && !rights.decide ? 'Mitglieder deiner Teams' : 'Niemand'
  return names.length < 2 ? (names[0] ?? nobody) : `${names.slice(0, -1).join(', ')} und ${names.at(-1)}`
}

/**
 * Says who gets an assignment today.
 * @param names the first names
 * @example reachText({ persons: 17, names: ['Ada', 'Bo', 'Cem'] }) // 'Nach heutigem Stand bekommen das 17 Personen: Ada, Bo, Cem und 14 weitere.'
 */
export function reachText({ persons, names }: { persons: number; names: readonly string[] }): string {
  if (persons === 0) return 'Nach heutigem Stand bekommt das niemand.'
  const more = persons - names.length
  const all = [...names.map(isolate), ...(more > 0 ? [`${count(more)} weitere`] : [])]
  const list = all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} und ${all.at(-1)}`
  return `Nach heutigem Stand ${persons === 1 ? 'bekommt' : 'bekommen'} das ${countOf(persons, 'Person', 'Personen')}: ${list}.`
}

type Tone = 'plain' | 'accent' | 'good' | 'bad' | 'warn'

export function stateText({ state, overdue }: { state: State; overdue: boolean }): { text: string; tone: Tone } {
  if (overdue) return { text: 'überfällig', tone: 'bad' }
  const words: Record<State, { text: string; tone: Tone }> = {
    open: { text: 'offen', tone: 'plain' },
    in_progress: { text: 'begonnen', tone: 'accent' },
    done: { text: 'erledigt', tone: 'good' },
    exempt: { text: 'befreit', tone: 'plain' },
    recognised: { text: 'anerkannt', tone: 'good' },
    missed: { text: 'verpasst', tone: 'bad' },
    left: { text: 'ausgeschieden', tone: 'plain' },
  }
  return words[state]
}

interface Urgent {
  overdue: number
  due_this_week: number
}

/**
 * Describes the urgent tasks of a team.
 * @example urgentText({ overdue: 2, due_this_week: 3 }) // '2 überfällig, 3 fällig diese Woche'
 */
export function urgentText({ overdue, due_this_week }: Urgent): string {
  const texts = [
    overdue > 0 && `${count(overdue)} überfällig`,
    due_this_week > 0 && `${count(due_this_week)} fällig diese Woche`,
  ]
  return texts.filter(Boolean).join(', ')
}

/**
 * Returns the address of the filtered list of persons; with several assignments, of the list of these assignments.
 * @example urgentAddress({ overdue: 2, due_this_week: 0, assignments: [{ id: 7 }] }) // 'aufgaben/vergeben/7?stand=ueberfaellig'
 */
export function urgentAddress({
  overdue,
  due_this_week,
  assignments,
}: Urgent & { assignments: { id: number }[] }): string {
  const [first] = assignments
  if (first === undefined || assignments.length > 1 || (overdue > 0 && due_this_week > 0))
    return 'aufgaben/vergeben/dringend'
  return `aufgaben/vergeben/${first.id}?stand=${overdue > 0 ? 'ueberfaellig' : 'woche'}`
}

/**
 * Returns whether there are parts, but no personal part. The law usually requires a personal part for a safety
 * instruction.
 */
export function lacksPersonalPart(parts: readonly { kind: Kind }[]): boolean {
  return parts.length > 0 && parts.every(({ kind }) => kind !== 'personal')
}

/**
 * Returns the time of the last change to the content of a part; undefined if the content has not changed since the
 * assignment was created or renewed, or since earlier changes were marked as corrections.
 */
export function changedAt(
  { changed_parts }: { changed_parts: readonly { part: number; changed_at: string }[] },
  part: number,
): string | undefined {
  return changed_parts.find((one) => one.part === part)?.changed_at
}
