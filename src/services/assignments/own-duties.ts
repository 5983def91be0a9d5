import type { Transaction } from 'kysely'
import type { Actor } from '../../../db/queries/accounts/audit.js'
import type { OccurrenceOwner } from '../../../db/queries/assignments/occurrences.js'
import { listOwnDuties } from '../../../db/queries/assignments/plan.js'
import type { Database } from '../../../db/types.js'
import { OWN_OCCURRENCE } from '../../domain/assignments/refusals.js'
import type { Refusal } from '../../domain/refusal.js'

/** @throws the refusal if one of the occurrences belongs to the actor, who would decide about the own task */
export function refuseOwn(
  { actor_id }: Actor,
  occurrences: readonly Pick<OccurrenceOwner, 'user_id'>[],
  refusal: Refusal = OWN_OCCURRENCE,
): void {
  if (occurrences.some(({ user_id }) => user_id === actor_id)) throw refusal
}

/**
 * Runs a change of assignments or teams that must not release the actor from an open mandatory occurrence. The change
 * is allowed if another account was responsible for the assignment before.
 * @throws OWN_OCCURRENCE if the change closes such an occurrence, removes the actor from its audience, or makes its
 * assignment optional
 */
export async function keepOwnDuties<T>(
  transaction: Transaction<Database>,
  { actor_id }: Actor,
  change: () => Promise<T>,
): Promise<T> {
  if (actor_id === null) return change()
  const before = await listOwnDuties(transaction, actor_id)
  const result = await change()
  const bound = before.filter(({ responsible_id }) => responsible_id === null || responsible_id === actor_id)
  if (bound.length === 0) return result
  const kept = new Set((await listOwnDuties(transaction, actor_id)).map(({ id }) => id))
  if (!bound.every(({ id }) => kept.has(id))) throw OWN_OCCURRENCE
  return result
}
