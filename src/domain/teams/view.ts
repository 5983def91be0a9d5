import type { TeamRole, ViewableTeams } from './teams.js'

interface Team {
  id: number
  name: string
}

interface Member {
  id: number
  display_name: string
  role: TeamRole
}

/** Returns the fields of a team that the caller may see: all for administrators, id and name for leads. */
export function viewTeam<T extends Team>(viewable: ViewableTeams, team: T): T | Team {
  return viewable === 'all' ? team : { id: team.id, name: team.name }
}

export function viewListedTeam<T extends Team & { members: number }>(viewable: ViewableTeams, team: T) {
  return { ...viewTeam(viewable, team), members: team.members }
}

/** Returns the fields of a member that the caller may see: all for administrators; id, name and role for leads. */
export function viewMember<T extends Member>(viewable: ViewableTeams, member: T): T | Member {
  if (viewable === 'all') return member
  return { id: member.id, display_name: member.display_name, role: member.role }
}
