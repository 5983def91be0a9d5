import { api } from '../../../api/client.js'
import type { Body } from '../../../api/types.js'
import { createDesk, type Desk } from '../../../editor/desk.svelte.js'
import { changedIn } from '../../../editor/saving.js'
import type { Stored } from '../../../editor/writing.js'
import type { AssignedPart, AssignmentDetail, Template } from '../assign-api.js'
import { audienceText, dayText, requirementText, scheduleText } from '../assign-words.js'

export interface FormPart {
  kind: AssignedPart['kind']
  slug: string | null
  title: string
  /** Percentage of the cards that must be rated „Gut“ or better; null if each card must be rated once */
  share_percent: number | null
}

export interface Named {
  id: number
  name: string
}

/** The fields of the form, including those of options that are not chosen, so that no input is lost. */
export interface AssignmentFields {
  title: string
  description: string
  parts: FormPart[]
  /** Null until the audience is chosen */
  everybody: boolean | null
  teams: Named[]
  persons: Named[]
  starts: 'day' | 'joining'
  startsOn: string
  /** Days between joining and the first day */
  startsDays: number | null
  due: 'day' | 'days'
  dueOn: string
  dueDays: number | null
  repeat: 'none' | 'window' | 'after'
  months: number | null
  /** Yearly due day of a recurrence, as `MM-DD` */
  windowEnd: string
  /** Days before the due date at which a recurrence opens; null for the service's default */
  opens: number | null
  mandatory: boolean
  ordered: boolean
  years: number
  responsible: Named | null
}

export type AssignmentDesk = Desk<AssignmentFields>
type NewBody = Body<'/api/assignments', 'post'>

export function emptyFields(today: string, responsible: Named): AssignmentFields {
  return {
    title: '',
    description: '',
    parts: [],
    everybody: null,
    teams: [],
    persons: [],
    starts: 'day',
    startsOn: today,
    startsDays: 0,
    due: 'day',
    dueOn: '',
    dueDays: 30,
    repeat: 'none',
    months: 12,
    windowEnd: '12-31',
    opens: null,
    mandatory: true,
    ordered: false,
    years: 3,
    responsible,
  }
}

export function fieldsOf(assignment: AssignmentDetail, today: string): AssignmentFields {
  const { title, description, parts, audience, teams, persons, starts, due, recurrence, responsible } = assignment
  const named = (person: { id: number; display_name: string }) => ({ id: person.id, name: person.display_name })
  return {
    title,
    description,
    everybody: audience.everybody,
    teams: teams.map(({ id, name }) => ({ id, name })),
    parts: parts.map(({ kind, slug, title, share_percent }) => ({ kind, slug, title, share_percent })),
    persons: persons.map(named),
    ...startOf(starts, today),
    ...(typeof due === 'string'
      ? { due: 'day', dueOn: due, dueDays: 30 }
      : { due: 'days', dueOn: '', dueDays: due.days_after_start }),
    ...repeatOf(recurrence),
    mandatory: assignment.mandatory,
    ordered: assignment.ordered,
    years: assignment.retention_years,
    responsible: responsible && named(responsible),
  }
}

export function fieldsOfTemplate(template: Omit<Template, 'assignments'>) {
  const { title, description, parts, starts, due, recurrence, mandatory, ordered, retention_years } = template
  return {
    title,
    description,
    mandatory,
    ordered,
    years: retention_years,
    ...(starts && { starts: 'joining' as const, startsDays: starts.days_after_joining }),
    due: 'days',
    dueDays: due.days_after_start,
    parts: parts.map(({ kind, slug, title, share_percent }) => ({ kind, slug, title, share_percent })),
    ...repeatOf(recurrence),
  } satisfies Partial<AssignmentFields>
}

function startOf(
  starts: AssignmentDetail['starts'],
  today: string,
): Pick<AssignmentFields, 'starts' | 'startsOn' | 'startsDays'> {
  if (typeof starts === 'string') return { starts: 'day', startsOn: starts, startsDays: 0 }
  return { starts: 'joining', startsOn: today, startsDays: 'joining' in starts ? 0 : starts.days_after_joining }
}

function repeatOf(
  recurrence: AssignmentDetail['recurrence'],
): Pick<AssignmentFields, 'repeat' | 'months' | 'windowEnd' | 'opens'> {
  return {
    repeat: recurrence === null ? 'none' : recurrence.window_end === undefined ? 'after' : 'window',
    months: recurrence?.every_months ?? 12,
    windowEnd: recurrence?.window_end ?? '12-31',
    opens: recurrence?.opens_days_before ?? null,
  }
}

export function bodyOf(fields: AssignmentFields): NewBody {
  const { title, description, parts, mandatory, ordered, years, responsible } = fields
  return {
    title: title.trim(),
    description: description.trim(),
    parts: parts.map(({ kind, slug, title, share_percent }) => ({
      kind,
      ...(kind === 'personal' ? { title: title.trim() } : { slug: slug ?? '' }),
      ...(kind === 'deck' && share_percent !== null && { share_percent }),
    })),
    audience: audienceOf(fields),
    ...datesOf(fields),
    mandatory,
    ordered,
    retention_years: years,
    responsible_id: responsible?.id ?? null,
  }
}

export function audienceOf({ everybody, teams, persons }: AssignmentFields) {
  const ids = (named: Named[]) => (everybody ? [] : named.map(({ id }) => id))
  return { everybody: everybody === true, team_ids: ids(teams), user_ids: ids(persons) }
}

export const isAudienceGiven = ({ everybody, teams, persons }: AssignmentFields) =>
  everybody === true || teams.length + persons.length > 0

export function datesOf(fields: AssignmentFields) {
  const { starts, startsOn, startsDays, due, dueOn, dueDays, repeat, months, windowEnd, opens } = fields
  const joining = startsDays ? { days_after_joining: startsDays } : { joining: true as const }
  return {
    starts: starts === 'day' ? startsOn : joining,
    due: due === 'day' ? dueOn : { days_after_start: dueDays ?? 0 },
    recurrence:
      repeat === 'none'
        ? null
        : {
            every_months: months ?? 12,
            ...(repeat === 'window' && { window_end: windowEnd }),
            ...(opens !== null && { opens_days_before: opens }),
          },
  }
}

/** Returns a sentence about the first missing input; undefined if the form can be sent. */
export function missingIn(fields: AssignmentFields): string | undefined {
  const { title, parts, starts, startsOn, due, dueOn, dueDays, repeat, months } = fields
  if (title.trim() === '') return 'Der Titel fehlt noch.'
  if (parts.length === 0) return 'Es fehlt noch, was zu tun ist.'
  const unnamed = parts.findIndex(({ kind, title }) => kind === 'personal' && title.trim() === '')
  if (unnamed >= 0) return `Teil ${unnamed + 1} hat noch keinen Namen.`
  if (!isAudienceGiven(fields)) return 'Es fehlt noch, für wen die Aufgabe ist.'
  if (starts === 'day' && startsOn === '') return 'Der Beginn fehlt noch.'
  if (starts === 'joining' && fields.startsDays === null) return 'Wie viele Tage danach sie beginnt, fehlt noch.'
  if (due === 'day' && dueOn === '') return 'Der Tag, bis zu dem alles erledigt sein soll, fehlt noch.'
  if (due === 'days' && dueDays === null) return 'Wie viele Tage Zeit ist, fehlt noch.'
  if (repeat !== 'none' && months === null) return 'Nach wie vielen Monaten sie sich wiederholt, fehlt noch.'
  return undefined
}

/** Returns the fields as labelled texts, for the comparison of two versions in the editor. */
export function textsOf(fields: AssignmentFields): { label: string; text: string }[] {
  const { title, description, parts, teams, starts, startsOn, mandatory, ordered, years, responsible } = fields
  const audience = audienceOf(fields)
  return [
    { label: 'Titel', text: title },
    { label: 'Beschreibung', text: description },
    { label: 'Was zu tun ist', text: parts.map(requirementText).join('\n') },
    { label: 'Für wen', text: audienceText({ audience, teams }) },
    { label: 'Beginn', text: starts === 'joining' || startsOn === '' ? 'mit dem Dazukommen' : dayText(startsOn) },
    { label: 'Termine', text: missingIn(fields) === undefined ? scheduleText(datesOf(fields)) : '' },
    { label: 'Feste Reihenfolge', text: ordered ? 'ja' : 'nein' },
    { label: 'Pflicht', text: mandatory ? 'ja' : 'nein' },
    { label: 'Nachweis aufbewahren', text: `${years} Jahre` },
    { label: 'Verantwortlich', text: responsible?.name ?? 'niemand' },
  ]
}

async function load({ id }: { id: number }): Promise<AssignmentDetail> {
  return (await api.get('/api/assignments/{id}', { path: { id } })).assignment
}

function routes(today: string) {
  const storedOf = (assignment: AssignmentDetail): Stored<AssignmentFields> => ({
    version: assignment.version,
    fields: fieldsOf(assignment, today),
  })
  return {
    storedOf,
    changesOf: (fields: AssignmentFields, assignment: AssignmentDetail) =>
      changedIn(bodyOf(fields), bodyOf(storedOf(assignment).fields)),
    patch: async ({ id }: AssignmentDetail, body: Body<'/api/assignments/{id}', 'patch'>) => {
      await api.patch('/api/assignments/{id}', { path: { id }, body })
      return load({ id })
    },
    load,
  }
}

export function openAssignment(user: number, assignment: AssignmentDetail, today: string): AssignmentDesk {
  return createDesk({ ...routes(today), user, item: `assignment ${assignment.id}`, object: assignment })
}

/** Creates the editing session of a new assignment; `item` is the name of its draft. */
export function newAssignment(
  user: number,
  item: string,
  fields: AssignmentFields,
  today: string,
  onsaved: (assignment: AssignmentDetail) => void,
): AssignmentDesk {
  return createDesk({
    ...routes(today),
    user,
    item,
    fields,
    create: async (typed, client_id) =>
      load((await api.post('/api/assignments', { body: { client_id, ...bodyOf(typed) } })).assignment),
    loadCreated: ({ id }) => load({ id: Number(id) }),
    onsaved,
  })
}
