import { stringify } from 'csv-stringify/sync'
import type { Kysely } from 'kysely'
import {
  type Actor,
  recordCertificateExports,
  recordCertificateView,
  recordViews,
} from '../../../db/queries/accounts/audit.js'
import {
  type CertificateFilter,
  type CertificateScope,
  type EndingDay,
  type EndingFilter,
  type EndingItem,
  type EndingKey,
  type FoundCertificate,
  findEnding,
  findListedCertificates,
  listChangedCertificates,
  listEndingDays,
  searchCertificates,
} from '../../../db/queries/certificates/search.js'
import { readInTurn } from '../../../db/queries/read-in-turn.js'
import type { Database } from '../../../db/types.js'
import { readSnapshot } from '../../domain/certificates/snapshot.js'
import { cutPage } from '../../domain/page.js'
import { CSV_FORMAT, CSV_MARK } from '../../domain/text/csv.js'
import { type ChangesQuery, listChanges } from '../changes/list-changes.js'

export interface CertificateReader {
  /** Whose certificates the caller may see */
  scope: CertificateScope
  /** Whose tasks the caller may see; administrators see only those that they are responsible for */
  tasks: CertificateScope
}

/** Returns a page of certificates. Writes an audit entry, at most one per day, caller and scope. */
export async function findCertificates(
  db: Kysely<Database>,
  actor: Actor,
  { scope }: CertificateReader,
  filter: CertificateFilter,
  { after, limit }: { after: number | undefined; limit: number },
) {
  const found = await searchCertificates(db, scope, filter, { after, limit: limit + 1 })
  await recordCertificateView(db, actor, { day: filter.today, scope })
  const { page, next } = cutPage(found, limit, ({ id }) => id)
  return { proofs: page.map(describe), next_after: next }
}

/**
 * Returns a page of changed certificates with their ids. Writes an audit entry as `findCertificates` does.
 * @throws CHANGES_GONE as `listChanges` does
 */
export async function findChangedCertificates(
  db: Kysely<Database>,
  actor: Actor,
  readRights: () => Promise<CertificateReader>,
  filter: CertificateFilter,
  query: ChangesQuery,
) {
  let scope: CertificateScope = 'all'
  const { entries, ...next } = await listChanges(db, query, async () => {
    scope = (await readRights()).scope
    return {
      listIds: (changed) => listChangedCertificates(db, scope, filter, changed),
      find: async (ids) => {
        const found = await findListedCertificates(db, scope, filter, ids)
        return found.map((row) => ({ id: row.id, ...describe(row) }))
      },
      table: 'proofs',
    }
  })
  await recordCertificateView(db, actor, { day: filter.today, scope })
  return { proofs: entries, ...next }
}

function describe({ code, snapshot, completed_on, valid_until, revoked_at }: FoundCertificate) {
  const { name, personnel_number = null, title, parts } = readSnapshot(snapshot)
  const titles = [title, ...parts.map((part) => part.title)]
  return { code, person: { display_name: name, personnel_number }, titles, completed_on, valid_until, revoked_at }
}

const MAX_ENDING = 1_000
/** Limit of a table, because the ids of all rows are read at once */
const MAX_ENDING_ROWS = 50_000
/** Small, because the rows of a batch are converted without yielding */
const ROWS_AT_ONCE = 250

/**
 * Returns at most 1,000 certificates and tasks that end soon. Writes an audit entry as `findCertificates` does, and for
 * each assignment with a task among them one as for a view of its persons.
 */
export async function listEnding(
  db: Kysely<Database>,
  actor: Actor,
  { scope, tasks }: CertificateReader,
  filter: Omit<EndingFilter, 'proofs' | 'tasks'>,
) {
  const days = await listEndingDays(db, { proofs: scope, tasks, ...filter }, MAX_ENDING + 1)
  const items: EndingItem[] = []
  for (const keys of batchesOf(days)) items.push(...(await findEnding(db, keys)))
  const shown = items.slice(0, MAX_ENDING)
  await recordCertificateView(db, actor, { day: filter.today, scope })
  const viewed = shown.flatMap(({ kind, assignment_id }) => (kind === 'task' ? [assignment_id] : []))
  await recordViews(db, actor, viewed, seenBy(filter))
  const count = days.reduce((sum, { ids }) => sum + ids.length, 0)
  return { items: shown.map(describeEnding), complete: count <= MAX_ENDING }
}

function seenBy({ today, teamId }: Pick<EndingFilter, 'today' | 'teamId'>) {
  return { day: today, teams: teamId === undefined ? undefined : [teamId] }
}

/** Yields the keys in batches. They are created batch by batch, because those of a whole table take 10 ms. */
function* batchesOf(days: readonly EndingDay[]): Generator<EndingKey[]> {
  let batch: EndingKey[] = []
  for (const { kind, ends_on, ids } of days) {
    for (const id of ids) {
      batch.push({ kind, id, ends_on })
      if (batch.length < ROWS_AT_ONCE) continue
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

function describeEnding({ kind, code, name, personnel_number, assignment_id, title, ends_on, teams }: EndingItem) {
  const person = { display_name: name, personnel_number }
  return { kind, code, person, assignment: { id: assignment_id, title }, ends_on, teams }
}

const HEADINGS = ['Art', 'Name', 'Personalnummer', 'Teams', 'Aufgabe', 'Endet am', 'Nachweis']

/**
 * Returns the certificates and tasks that end soon as a CSV table, in chunks. Writes audit entries as `listEnding` does;
 * with a purpose also those of an export, for each assignment of the certificates and of the tasks.
 */
export async function exportEnding(
  db: Kysely<Database>,
  actor: Actor,
  { scope, tasks }: CertificateReader,
  { purpose, ...filter }: Omit<EndingFilter, 'proofs' | 'tasks'> & { purpose: string | undefined },
): Promise<AsyncGenerator<string>> {
  const days = await listEndingDays(db, { proofs: scope, tasks, ...filter }, MAX_ENDING_ROWS)
  const assignmentsOf = (wanted: EndingItem['kind']) =>
    days.flatMap(({ kind, assignment_ids }) => (kind === wanted ? assignment_ids : []))
  await recordCertificateView(db, actor, { day: filter.today, scope })
  const seen = seenBy(filter)
  if (purpose !== undefined) await recordCertificateExports(db, actor, assignmentsOf('proof'), { ...seen, purpose })
  await recordViews(db, actor, assignmentsOf('task'), { ...seen, purpose })
  return chunks(db, days)
}

async function* chunks(db: Kysely<Database>, days: readonly EndingDay[]): AsyncGenerator<string> {
  const { guardCell } = await import('../../domain/table/index.js')
  yield CSV_MARK + stringify([HEADINGS], CSV_FORMAT)
  for (const keys of batchesOf(days)) {
    const items = await readInTurn(() => findEnding(db, keys))
    yield stringify(
      items.map((item) => toRow(item).map(guardCell)),
      CSV_FORMAT,
    )
  }
}

function toRow({ kind, code, name, personnel_number, title, ends_on, teams }: EndingItem): string[] {
  const cells = [name, personnel_number ?? '', teams.join(', '), title, ends_on, code ?? '']
  return [kind === 'proof' ? 'Nachweis' : 'Aufgabe', ...cells]
}
