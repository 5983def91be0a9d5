import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { insertProofs } from '../../../db/queries/proofs/issue.js'
import { lockProof, markReplaced, type Proof, revokeProof } from '../../../db/queries/proofs/proofs.js'
import type { Database } from '../../../db/types.js'
import { createCode } from '../../domain/proofs/code.js'
import {
  ACCOUNT_DELETED,
  NAME_UNCHANGED,
  PROOF_NOT_FOUND,
  PROOF_REPLACED,
  PROOF_REVOKED,
} from '../../domain/proofs/refusals.js'
import { readSnapshot, writeSnapshot } from '../../domain/proofs/snapshot.js'

/**
 * Revokes a proof, with an audit entry.
 * @throws PROOF_NOT_FOUND if no proof has the code
 * @throws PROOF_REPLACED, PROOF_REVOKED if the proof was replaced or revoked before
 */
export async function revoke(
  db: Kysely<Database>,
  actor: Actor,
  { code, reason }: { code: string; reason: string },
  at: Date,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const proof = await lockInForce(transaction, code)
    await revokeProof(transaction, proof.id, { at, reason })
    const { name, title } = readSnapshot(proof.snapshot)
    const details = { name, reason }
    await insertAuditEntry(transaction, actor, { action: 'proof.revoke', target_id: proof.id, target: title, details })
  })
}

/**
 * Replaces a proof with a new one that has the person's current name, with an audit entry. Each of the two proofs
 * contains the code of the other.
 * @returns the code of the new proof
 * @throws PROOF_NOT_FOUND if no proof has the code
 * @throws PROOF_REPLACED, PROOF_REVOKED if the proof was replaced or revoked before
 * @throws ACCOUNT_DELETED if the person's account does not exist any more
 * @throws NAME_UNCHANGED if the proof already has the current name
 */
export async function correctName(db: Kysely<Database>, actor: Actor, code: string, at: Date): Promise<string> {
  return db.transaction().execute(async (transaction) => {
    const proof = await lockInForce(transaction, code)
    const person = await transaction
      .selectFrom('users')
      .select('display_name')
      .where('id', '=', proof.user_id)
      .forKeyShare()
      .executeTakeFirst()
    if (person === undefined) throw ACCOUNT_DELETED
    const before = readSnapshot(proof.snapshot)
    const name = person.display_name
    if (name === before.name) throw NAME_UNCHANGED
    const created = createCode()
    await markReplaced(transaction, proof.id, created)
    const { user_id, assignment_id, occurrence_id, completed_on, valid_until, retention_years } = proof
    const snapshot = writeSnapshot({ ...before, name, replaces: code })
    await insertProofs(transaction, [
      {
        ...{ code: created, user_id, assignment_id, occurrence_id, snapshot, completed_on, valid_until },
        ...{ issued_at: at, retention_years },
      },
    ])
    const details = { before: before.name, after: name }
    const deed = { action: 'proof.replace' as const, target_id: proof.id, target: before.title, details }
    await insertAuditEntry(transaction, actor, deed)
    return created
  })
}

async function lockInForce(transaction: Transaction<Database>, code: string): Promise<Proof> {
  const proof = await lockProof(transaction, code)
  if (proof === undefined) throw PROOF_NOT_FOUND
  if (proof.replaced_by !== null) throw PROOF_REPLACED
  if (proof.revoked_at !== null) throw PROOF_REVOKED
  return proof
}
