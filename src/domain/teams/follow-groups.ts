/** A current membership that came from the provider's groups. */
export interface ClaimedMembership {
  id: number
  team_id: number
}

/**
 * Compares the memberships from the provider's groups with the teams of the person's current groups. The caller must
 * not pass memberships created by hand, because these stay.
 * @param teamIds teams of the groups that the person is in
 * @returns the teams to join, and the ids of the memberships to end
 */
export function followGroups(
  current: readonly ClaimedMembership[],
  teamIds: readonly number[],
): { join: number[]; end: number[] } {
  const [had, has] = [new Set(current.map(({ team_id }) => team_id)), new Set(teamIds)]
  return {
    join: [...has].filter((id) => !had.has(id)),
    end: current.filter(({ team_id }) => !has.has(team_id)).map(({ id }) => id),
  }
}
