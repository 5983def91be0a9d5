import type { Kysely, Transaction } from 'kysely'
import { type Actor, insertAuditEntry } from '../../../db/queries/accounts/audit.js'
import { raiseEditVersion, updateAssignment } from '../../../db/queries/assignments/assignments.js'
import {
  findSuccessor,
  listDisabledResponsible,
  lockLedAssignments,
} from '../../../db/queries/assignments/responsible.js'
import type { Database } from '../../../db/types.js'

/**
 * Runs a change of memberships or accounts, and then replaces the responsible person of each assignment that one of the
 * users may no longer oversee as lead: with the oldest other lead of the teams of the audience, or with null if there
 * is none. Writes an audit entry for each replacement. Must run before the transaction locks users or teams, because
 * changes of assignments lock in this order.
 * @param actor undefined for a job, which writes no audit entries
 * @param userIds users who may lose the lead of a team, their account or the access to it
 */
export async function handOver<T>(
  transaction: Transaction<Database>,
  actor: Actor | undefined,
  { userIds, today }: { userIds: readonly number[]; today: string },
  change: () => Promise<T>,
): Promise<T> {
  const led = await lockLedAssignments(transaction, userIds)
  const result = await change()
  for (const { id, title, responsible_id: former } of led) {
    const responsible_id = await findSuccessor(transaction, id, { former, today })
    if (responsible_id === former) continue
    await updateAssignment(transaction, id, { responsible_id })
    await raiseEditVersion(transaction, id)
    if (actor === undefined) continue
    const details = { fields: ['responsible_id'], responsible_id }
    await insertAuditEntry(transaction, actor, { action: 'assignment.update', target_id: id, target: title, details })
  }
  return result
}

/**
 * Replaces responsible persons whose accounts are disabled, for example since a planned day, under the conditions of
 * `handOver`.
 */
export async function handOverFromDisabled(db: Kysely<Database>, today: string): Promise<void> {
  const userIds = await listDisabledResponsible(db, today)
  if (userIds.length === 0) return
  await db.transaction().execute((transaction) => handOver(transaction, undefined, { userIds, today }, async () => {}))
}
