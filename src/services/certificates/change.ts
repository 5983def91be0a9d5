import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import {
  type Certificate,
  lockCertificate,
  markReplaced,
  revokeCertificate,
} from '../../../db/queries/certificates/certificates.js'
import { insertCertificates } from '../../../db/queries/certificates/issue.js'
import type { Database } from '../../../db/types.js'
import { createCode } from '../../domain/certificates/code.js'
import {
  ACCOUNT_DELETED,
  CERTIFICATE_NOT_FOUND,
  CERTIFICATE_REPLACED,
  CERTIFICATE_REVOKED,
  NAME_UNCHANGED,
} from '../../domain/certificates/refusals.js'
import { readSnapshot, writeSnapshot } from '../../domain/certificates/snapshot.js'

/**
 * Revokes a certificate, with an audit entry.
 * @throws CERTIFICATE_NOT_FOUND if no certificate has the code
 * @throws CERTIFICATE_REPLACED, CERTIFICATE_REVOKED if the certificate was replaced or revoked before
 */
export async function revoke(
  db: Kysely<Database>,
  actor: Actor,
  { code, reason }: { code: string; reason: string },
  at: Date,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const certificate = await lockInForce(transaction, code)
    await revokeCertificate(transaction, certificate.id, { at, reason })
    const { name, title } = readSnapshot(certificate.snapshot)
    const details = { name, reason }
    await insertAuditEntry(transaction, actor, {
      action: 'proof.revoke',
      target_id: certificate.id,
      target: title,
      details,
    })
  })
}

/**
 * Replaces a certificate with a new one that has the person's current name, with an audit entry. Each of the two
 * certificates contains the code of the other.
 * @returns the code of the new certificate
 * @throws CERTIFICATE_NOT_FOUND if no certificate has the code
 * @throws CERTIFICATE_REPLACED, CERTIFICATE_REVOKED if the certificate was replaced or revoked before
 * @throws ACCOUNT_DELETED if the person's account does not exist any more
 * @throws NAME_UNCHANGED if the certificate already has the current name
 */
export async function correctName(db: Kysely<Database>, actor: Actor, code: string, at: Date): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    const certificate = await lockInForce(transaction, code)
    const person = await transaction
      .selectFrom('users')
      .select(['display_name', 'personnel_number'])
      .where('id', '=', certificate.user_id)
      .forKeyShare()
      .executeTakeFirst()
    if (person === undefined) throw ACCOUNT_DELETED
    const before = readSnapshot(certificate.snapshot)
    const name = person.display_name
    if (name === before.name) throw NAME_UNCHANGED
    const created = createCode()
    await markReplaced(transaction, certificate.id, created)
    const { user_id, assignment_id, occurrence_id, completed_on, valid_until, retention_years } = certificate
    const snapshot = writeSnapshot({
      ...before,
      name,
      ...(before.format !== 1 && { personnel_number: person.personnel_number }),
      replaces: code,
    })
    await insertCertificates(transaction, [
      {
        code: created,
        user_id,
        assignment_id,
        occurrence_id,
        snapshot,
        completed_on,
        valid_until,
        issued_at: at,
        retention_years,
      },
    ])
    const details = { before: before.name, after: name }
    const deed = { action: 'proof.replace' as const, target_id: certificate.id, target: before.title, details }
    await insertAuditEntry(transaction, actor, deed)
    return created
  })
}

async function lockInForce(transaction: Transaction<Database>, code: string): Promise<Certificate> {
  const certificate = await lockCertificate(transaction, code)
  if (certificate === undefined) throw CERTIFICATE_NOT_FOUND
  if (certificate.replaced_by !== null) throw CERTIFICATE_REPLACED
  if (certificate.revoked_at !== null) throw CERTIFICATE_REVOKED
  return certificate
}
