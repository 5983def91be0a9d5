import type { Transaction } from 'kysely'
import type { Actor } from '../../../db/queries/accounts/audit.js'
import { lockAccount } from '../../../db/queries/accounts/users.js'
import { listClaimedMemberships, moveClaimedMemberships } from '../../../db/queries/teams/members.js'
import { findTeamsOfGroups } from '../../../db/queries/teams/teams.js'
import type { Database } from '../../../db/types.js'
import { followGroups } from '../../domain/teams/follow-groups.js'
import { handOver } from '../assignments/hand-over.js'

/**
 * Adjusts a user's memberships to the groups that the identity provider lists at a login. Groups without a team are
 * ignored, and memberships made by hand stay.
 * @param groups undefined if the provider sends no list of groups; the memberships then stay unchanged
 */
export async function followProviderGroups(
  transaction: Transaction<Database>,
  actor: Actor,
  userId: number,
  { groups, today }: { groups: string[] | undefined; today: string },
): Promise<void> {
  if (groups === undefined) return
  const teamIds = await findTeamsOfGroups(transaction, groups)
  const current = await listClaimedMemberships(transaction, userId)
  const moves = followGroups(current, teamIds)
  if (moves.join.length === 0 && moves.end.length === 0) return
  await handOver(transaction, actor, { userIds: [userId], today }, async () => {
    // Locks the user before any membership: the opposite order could deadlock with a concurrent deletion of the user.
    if ((await lockAccount(transaction, userId)) === undefined) return
    await moveClaimedMemberships(transaction, userId, moves, today)
  })
}
