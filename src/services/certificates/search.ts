import { stringify } from 'csv-stringify/sync'
import type { Kysely } from 'kysely'
import { type Actor, recordCertificateView } from '../../../db/queries/accounts/audit.js'
import {
  type CertificateFilter,
  type CertificateScope,
  type EndingFilter,
  type EndingItem,
  type FoundCertificate,
  listEnding,
  searchCertificates,
} from '../../../db/queries/certificates/search.js'
import type { Database } from '../../../db/types.js'
import { readSnapshot } from '../../domain/certificates/snapshot.js'
import { cutPage } from '../../domain/page.js'
import { CSV_FORMAT, CSV_MARK } from '../../domain/text/csv.js'

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

function describe({ code, snapshot, completed_on, valid_until, revoked_at }: FoundCertificate) {
  const { name, personnel_number = null, title, parts } = readSnapshot(snapshot)
  const titles = [title, ...parts.map((part) => part.title)]
  return { code, person: { display_name: name, personnel_number }, titles, completed_on, valid_until, revoked_at }
}

const MAX_ENDING = 1_000
/** Limit of a table, so that it fits into the memory of a request */
const MAX_ENDING_ROWS = 50_000

/** Returns at most 1,000 certificates and tasks that end soon, with an audit entry as `findCertificates` writes it. */
export async function findEnding(
  db: Kysely<Database>,
  actor: Actor,
  { scope, tasks }: CertificateReader,
  filter: Omit<EndingFilter, 'proofs' | 'tasks'>,
) {
  const items = await listEnding(db, { proofs: scope, tasks, ...filter }, MAX_ENDING + 1)
  await recordCertificateView(db, actor, { day: filter.today, scope })
  return { items: items.slice(0, MAX_ENDING).map(describeEnding), complete: items.length <= MAX_ENDING }
}

function describeEnding({ kind, code, name, personnel_number, assignment_id, title, ends_on, teams }: EndingItem) {
  const person = { display_name: name, personnel_number }
  return { kind, code, person, assignment: { id: assignment_id, title }, ends_on, teams }
}

const HEADINGS = ['Art', 'Name', 'Personalnummer', 'Teams', 'Aufgabe', 'Endet am', 'Nachweis']

/** Returns the certificates and tasks that end soon as a CSV table, with an audit entry as `findCertificates` writes it. */
export async function exportEnding(
  db: Kysely<Database>,
  actor: Actor,
  { scope, tasks }: CertificateReader,
  filter: Omit<EndingFilter, 'proofs' | 'tasks'>,
): Promise<string> {
  const { guardCell } = await import('../../domain/table/index.js')
  const items = await listEnding(db, { proofs: scope, tasks, ...filter }, MAX_ENDING_ROWS)
  await recordCertificateView(db, actor, { day: filter.today, scope })
  const rows = items.map(({ kind, code, name, personnel_number, title, ends_on, teams }) => {
    const cells = [name, personnel_number ?? '', teams.join(', '), title, ends_on, code ?? '']
    return [kind === 'proof' ? 'Nachweis' : 'Aufgabe', ...cells].map(guardCell)
  })
  return CSV_MARK + stringify([HEADINGS, ...rows], CSV_FORMAT)
}
