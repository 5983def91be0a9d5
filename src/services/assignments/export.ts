import { stringify } from 'csv-stringify/sync'
import type { Kysely } from 'kysely'
import { type Actor, recordView } from '../../../db/queries/accounts/audit.js'
import type { StoredPart } from '../../../db/queries/assignments/assignments.js'
import {
  findOccurrences,
  type ListedOccurrence,
  listOccurrenceIds,
  type OccurrenceSelection,
} from '../../../db/queries/assignments/occurrences.js'
import { readInTurn } from '../../../db/queries/read-in-turn.js'
import type { Database } from '../../../db/types.js'
import { describeParts, PART_NAMES, type PartState } from '../../domain/assignments/part-state.js'
import { isOverdue, type OccurrenceState } from '../../domain/assignments/plan.js'
import { CSV_FORMAT, CSV_MARK } from '../../domain/text/csv.js'
import { listParts, type OverseenAssignment } from './oversee.js'
import { type AssignmentContext, planAssignment } from './plan.js'

/** Small, because the rows of a batch are written without yielding */
const OCCURRENCES_AT_ONCE = 100

const STATES: Readonly<Record<OccurrenceState, string>> = {
  open: 'offen',
  in_progress: 'begonnen',
  done: 'erledigt',
  exempt: 'befreit',
  recognised: 'anerkannt',
  missed: 'verpasst',
  left: 'ausgeschieden',
}

const PART_STATES: Readonly<Record<PartState, string>> = { open: 'offen', done: 'erledigt', closed: 'entfallen' }

/**
 * Returns the selected occurrences as a CSV table for the company's files, in chunks. Plans all persons before. Writes
 * an audit entry under the same condition as `listOverseenOccurrences`, or always if there is a purpose.
 * @throws ASSIGNMENT_NOT_FOUND if the assignment was deleted during the request
 */
export async function exportOccurrences(
  db: Kysely<Database>,
  actor: Actor,
  { assignment, watched }: OverseenAssignment,
  { purpose, ...selection }: OccurrenceSelection & { purpose: string | undefined },
  context: AssignmentContext,
): Promise<AsyncGenerator<string>> {
  const { id, title } = assignment
  const { today } = context.moment()
  const parts = await listParts(db, assignment)
  await planAssignment(db, id, context)
  const ids = await listOccurrenceIds(db, id, watched, selection)
  await recordView(db, actor, { id, title, day: today, teams: watched, purpose })
  return chunks(db, ids, parts, { today, timeZone: context.timeZone })
}

async function* chunks(
  db: Kysely<Database>,
  ids: readonly number[],
  parts: readonly StoredPart[],
  { today, timeZone }: { today: string; timeZone: string },
): AsyncGenerator<string> {
  const { guardCell } = await import('../../domain/table/index.js')
  yield CSV_MARK + stringify([headingsOf(parts)], CSV_FORMAT)
  for (let first = 0; first < ids.length; first += OCCURRENCES_AT_ONCE) {
    const batch = ids.slice(first, first + OCCURRENCES_AT_ONCE)
    const rows = await readInTurn(() => findOccurrences(db, batch, timeZone))
    yield stringify(
      rows.map((row) => cellsOf(row, parts, today).map(guardCell)),
      CSV_FORMAT,
    )
  }
}

function headingsOf(parts: readonly StoredPart[]): string[] {
  const perPart = parts.flatMap((_, index) => {
    return ['Art', 'Titel', 'Stand', 'Tag'].map((heading) => `Teil ${index + 1}: ${heading}`)
  })
  return [
    'Name',
    'Personalnummer',
    'Zeitraum ab',
    'Stand',
    'Fällig',
    'Verlängert bis',
    'Erledigt am',
    'Verpasst',
    ...perPart,
  ]
}

function cellsOf(row: ListedOccurrence, parts: readonly StoredPart[], today: string): string[] {
  const state = isOverdue(row, today) ? 'überfällig' : STATES[row.state]
  const days = [row.due_on, row.extended_until ?? '', row.done_on ?? '']
  const missed = row.missed === 0 ? '' : String(row.missed)
  const perPart = describeParts(parts, row).flatMap((part) => {
    return [PART_NAMES[part.kind], part.title, PART_STATES[part.state], part.done_on ?? '']
  })
  return [row.display_name, row.personnel_number ?? '', row.period, state, ...days, missed, ...perPart]
}
