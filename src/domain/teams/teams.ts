import { checkText } from '../accounts/accounts.js'
import { parseExternalId } from '../external-id.js'
import { toNfc } from '../text/nfc.js'

export const TEAM_ROLES = ['member', 'lead'] as const

export type TeamRole = (typeof TEAM_ROLES)[number]

/** Origin of a membership: an administrator, the groups of a login (`OIDC_GROUPS_CLAIM`), or a group of SCIM */
export type MemberOrigin = 'hand' | 'claim' | 'scim'

/** `bound`: SCIM manages the team; `deleted`: SCIM has deleted it, and it stays here with its assignments */
export type ScimState = 'bound' | 'deleted'

/** Teams that a user may see: all for administrators, otherwise those that the user leads */
export type ViewableTeams = 'all' | ReadonlySet<number>

export function maySeeTeam(viewable: ViewableTeams, teamId: number): boolean {
  return viewable === 'all' || viewable.has(teamId)
}

export interface TeamInput {
  name?: string | undefined
  external_group?: string | null | undefined
  external_id?: string | null | undefined
}

/**
 * Parses the fields of a team. Trims them, and normalises the name to NFC, so that equal names are equal strings. An
 * empty group becomes null. Absent fields stay absent.
 * @throws InvalidInput if the name is empty, the name or group is too long or not storable, or the external id is invalid
 * @example parseTeam({ name: ' Vertrieb ' }) // { name: 'Vertrieb' }
 */
export function parseTeam<T extends TeamInput>({ name, external_group: group, external_id }: T): TeamInput {
  const trimmed = name === undefined ? undefined : toNfc(name).trim()
  if (trimmed !== undefined) checkText('name', trimmed)
  const external_group = group === undefined ? undefined : group?.trim() || null
  if (external_group) checkText('external_group', external_group)
  return {
    ...(trimmed !== undefined && { name: trimmed }),
    ...(external_group !== undefined && { external_group }),
    ...(external_id !== undefined && { external_id: external_id === null ? null : parseExternalId(external_id) }),
  }
}
