import { stringify } from 'csv-stringify/sync'
import type { Kysely } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { type ExportedProof, listProofs } from '../../../db/queries/proofs/proofs.js'
import { readInTurn } from '../../../db/queries/read-in-turn.js'
import type { Database } from '../../../db/types.js'
import { readSnapshot } from '../../domain/proofs/snapshot.js'
import { CSV_FORMAT, CSV_MARK } from '../../domain/text/csv.js'

/** Small, because the rows of a batch are written without yielding */
const PROOFS_AT_ONCE = 300
const HEADINGS = [
  ...['Name', 'Benutzername', 'Aufgabe', 'Zeitraum ab', 'Abgeschlossen am', 'Gültig bis', 'Teile', 'Ausgestellt am'],
  ...['Widerrufen am', 'Grund', 'Ersetzt durch', 'Nachweis'],
]

/** Writes an audit entry with the purpose and returns all proofs as a CSV table for auditors, in chunks. */
export async function exportProofs(
  db: Kysely<Database>,
  actor: Actor,
  purpose: string,
): Promise<AsyncGenerator<string>> {
  await insertAuditEntry(db, actor, { action: 'proof.export', details: { purpose } })
  return chunks(db)
}

async function* chunks(db: Kysely<Database>): AsyncGenerator<string> {
  const { guardCell } = await import('../../domain/table/index.js')
  yield CSV_MARK + stringify([HEADINGS], CSV_FORMAT)
  let proofs: ExportedProof[] = []
  do {
    const after = proofs.at(-1)?.id ?? 0
    proofs = await readInTurn(() => listProofs(db, after, PROOFS_AT_ONCE))
    yield stringify(
      proofs.map((proof) => toRow(proof).map(guardCell)),
      CSV_FORMAT,
    )
  } while (proofs.length === PROOFS_AT_ONCE)
}

function toRow({ snapshot, username, issued_at, revoked_at, revocation, replaced_by, code }: ExportedProof): string[] {
  const { name, title, period, completed_on, valid_until, parts } = readSnapshot(snapshot)
  return [
    ...[
      name,
      username ?? '',
      title,
      period,
      completed_on,
      valid_until ?? '',
      parts.map((part) => part.title).join(', '),
    ],
    ...[issued_at.toISOString().slice(0, 10), revoked_at?.toISOString().slice(0, 10) ?? '', revocation ?? ''],
    ...[replaced_by ?? '', code],
  ]
}
