import type { Kysely } from 'kysely'
import type { OccurrenceFilter } from '../../../db/queries/assignments/completion.js'
import {
  type Completed,
  type CompletedPart,
  insertCertificates,
  listCompleted,
} from '../../../db/queries/certificates/issue.js'
import type { Database } from '../../../db/types.js'
import { validUntil } from '../../domain/assignments/schedule.js'
import { createCode } from '../../domain/certificates/code.js'
import { type CertificateSnapshot, type ProvenPart, writeSnapshot } from '../../domain/certificates/snapshot.js'
import type { Clock } from '../../domain/time/calendar.js'

const CERTIFICATES_AT_ONCE = 500

/**
 * Issues a certificate for each completed occurrence of the filter that has none. Idempotent, even if several calls run
 * concurrently.
 */
export async function issueCertificates(
  db: Kysely<Database>,
  filter: OccurrenceFilter,
  { moment, timeZone, issuer }: Clock & { timeZone: string; issuer: string | null },
): Promise<void> {
  let completed: Completed[]
  do {
    completed = await listCompleted(db, filter, { timeZone, limit: CERTIFICATES_AT_ONCE })
    await insertCertificates(
      db,
      completed.map((occurrence) => {
        const { user_id, assignment_id, occurrence_id, retention_years, done_on } = occurrence
        const snapshot = describe(occurrence, issuer)
        return {
          code: createCode(),
          user_id,
          assignment_id,
          occurrence_id,
          retention_years,
          snapshot: writeSnapshot(snapshot),
          completed_on: done_on,
          valid_until: snapshot.valid_until,
          issued_at: moment().at,
        }
      }),
    )
  } while (completed.length === CERTIFICATES_AT_ONCE)
}

function describe(
  { name, personnel_number, title, period, due_on, last_day, done_on, parts, ...rest }: Completed,
  issuer: string | null,
): CertificateSnapshot {
  const { every_months, window_end, opens_days_before } = rest
  const recurrence =
    every_months === null
      ? null
      : { every_months, window_end: window_end ?? undefined, opens_days_before: opens_days_before ?? 0 }
  return {
    format: 3,
    issuer,
    name,
    personnel_number,
    title,
    period,
    for_period: done_on <= last_day ? null : { from: period, to: due_on },
    completed_on: done_on,
    valid_until: validUntil(recurrence, { due_on, done_on }),
    parts: parts.map(describePart),
  }
}

function describePart(part: CompletedPart): ProvenPart {
  const { kind, title, done_on, version, sha256, lang, variant_title } = part
  const language = { lang, variant_title }
  switch (kind) {
    case 'sheet':
      return { kind, title, done_on, version, sha256, ...language }
    case 'test':
      return { kind, title, done_on, version, sha256, pass_percent: part.pass_percent, ...language }
    case 'deck':
      return { kind, title, done_on, share_percent: part.share_percent, ...language }
    case 'personal':
      return { kind, title, done_on, confirmed_by: part.confirmed_by ?? '', note: part.note }
  }
}
