import type { Transaction } from 'kysely'
import { listClaimedMemberships, moveClaimedMemberships } from '../../../db/queries/teams/members.js'
import { findTeamsOfGroups } from '../../../db/queries/teams/teams.js'
import type { Database } from '../../../db/types.js'
import { followGroups } from '../../domain/teams/follow-groups.js'

/**
 * Lets memberships follow the provider's groups at a login. Groups without a team are ignored.
 * @param groups undefined if the provider does not name them, which changes nothing
 */
export async function followProviderGroups(
  transaction: Transaction<Database>,
  userId: number,
  groups: string[] | undefined,
  today: string,
): Promise<void> {
  if (groups === undefined) return
  const teamIds = await findTeamsOfGroups(transaction, groups)
  const current = await listClaimedMemberships(transaction, userId)
  await moveClaimedMemberships(transaction, userId, followGroups(current, teamIds), today)
}
