import { stringify } from 'csv-stringify/sync'
import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { type ExportedCertificate, listCertificates } from '../../../db/queries/certificates/certificates.js'
import { readInTurn } from '../../../db/queries/read-in-turn.js'
import type { Database } from '../../../db/types.js'
import { readSnapshot } from '../../domain/certificates/snapshot.js'
import { CSV_FORMAT, CSV_MARK } from '../../domain/text/csv.js'
import type { Clock, DayOf } from '../../domain/time/calendar.js'

/** Small, because the rows of a batch are written without yielding */
const CERTIFICATES_AT_ONCE = 300
const HEADINGS = [
  ...[
    'Name',
    'Personalnummer',
    'Benutzername',
    'Aufgabe',
    'Zeitraum ab',
    'Abgeschlossen am',
    'Gültig bis',
    'Teile',
    'Ausgestellt am',
  ],
  ...['Widerrufen am', 'Grund', 'Ersetzt durch', 'Nachweis'],
]

/** Writes an audit entry with the purpose and returns all certificates as a CSV table for auditors, in chunks. */
export async function exportCertificates(
  db: Kysely<Database>,
  actor: Actor,
  purpose: string,
  { moment }: Clock,
): Promise<AsyncGenerator<string>> {
  await insertAuditEntry(db, actor, { action: 'proof.export', details: { purpose } })
  return chunks(db, (instant) => moment(instant).today)
}

async function* chunks(db: Kysely<Database>, dayOf: DayOf): AsyncGenerator<string> {
  const { guardCell } = await import('../../domain/table/index.js')
  yield CSV_MARK + stringify([HEADINGS], CSV_FORMAT)
  let certificates: ExportedCertificate[] = []
  do {
    const after = certificates.at(-1)?.id ?? 0
    certificates = await readInTurn(() => listCertificates(db, after, CERTIFICATES_AT_ONCE))
    yield stringify(
      certificates.map((certificate) => toRow(certificate, dayOf).map(guardCell)),
      CSV_FORMAT,
    )
  } while (certificates.length === CERTIFICATES_AT_ONCE)
}

function toRow(
  { snapshot, username, issued_at, revoked_at, revocation, replaced_by, code }: ExportedCertificate,
  dayOf: DayOf,
): string[] {
  const { name, personnel_number, title, period, completed_on, valid_until, parts } = readSnapshot(snapshot)
  return [
    ...[
      name,
      personnel_number ?? '',
      username ?? '',
      title,
      period,
      completed_on,
      valid_until ?? '',
      parts.map((part) => part.title).join(', '),
    ],
    ...[dayOf(issued_at), revoked_at === null ? '' : dayOf(revoked_at), revocation ?? ''],
    ...[replaced_by ?? '', code],
  ]
}
