import { checkText } from '../accounts/accounts.js'
import { toNfc } from '../text/nfc.js'

export const TEAM_ROLES = ['member', 'lead'] as const

export type TeamRole = (typeof TEAM_ROLES)[number]

/** Origin of a membership: an administrator, or the groups of the identity provider */
export type MemberOrigin = 'hand' | 'claim'

/** Teams that a user may see: all for administrators, otherwise those that the user leads */
export type ViewableTeams = 'all' | ReadonlySet<number>

export function maySeeTeam(viewable: ViewableTeams, teamId: number): boolean {
  return viewable === 'all' || viewable.has(teamId)
}

export interface TeamInput {
  name?: string | undefined
  external_group?: string | null | undefined
}

/**
 * Parses the name and the group of a team. Trims both, and normalises the name to NFC, so that equal names are equal
 * strings. An empty group becomes null. Absent fields stay absent.
 * @throws InvalidInput if the name is empty, or the name or group is too long or not storable
 * @example parseTeam({ name: ' Vertrieb ' }) // { name: 'Vertrieb' }
 */
export function parseTeam<T extends TeamInput>({ name, external_group: group }: T): TeamInput {
  const trimmed = name === undefined ? undefined : toNfc(name).trim()
  if (trimmed !== undefined) checkText('name', trimmed)
  const external_group = group === undefined ? undefined : group?.trim() || null
  if (external_group) checkText('external_group', external_group)
  return {
    ...(trimmed !== undefined && { name: trimmed }),
    ...(external_group !== undefined && { external_group }),
  }
}
