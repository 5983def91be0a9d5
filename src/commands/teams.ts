import type { Kysely } from 'kysely'
import { findCredentials } from '../../db/queries/accounts/users.js'
import { listMembers } from '../../db/queries/teams/members.js'
import { findTeamsByName, listTeams } from '../../db/queries/teams/teams.js'
import type { Database } from '../../db/types.js'
import type { Config } from '../config.js'
import { parseTeam } from '../domain/teams/teams.js'
import { escapeField } from '../domain/text/printable.js'
import { addMember, createTeam, releaseTeam, removeMember, removeTeam } from '../services/teams/teams.js'
import { commandLineActor } from './actor.js'
import { RefusedError, withDatabase } from './store.js'
import { momentOf } from './today.js'

type Print = (line: string) => void

interface Output {
  json?: boolean
}

export async function printTeams(
  config: Config,
  name: string | undefined,
  options: Output,
  print: Print,
): Promise<void> {
  if (name !== undefined) {
    const members = await withDatabase(config, 'GET /api/teams/{id}', async (db) =>
      listMembers(db, await findTeamId(db, name)),
    )
    if (options.json) return print(JSON.stringify({ members }))
    for (const { id, username, display_name, role } of members) {
      print([id, escapeField(username), escapeField(display_name), role === 'lead' ? 'Leitung' : 'Mitglied'].join('\t'))
    }
    return
  }
  const teams = await withDatabase(config, 'GET /api/teams', (db) => listTeams(db, 'all'))
  if (options.json) return print(JSON.stringify({ teams }))
  for (const { id, name, members, external_group } of teams) {
    print([id, escapeField(name), members, escapeField(external_group ?? '-')].join('\t'))
  }
}

/**
 * @throws InvalidInput if the name or the group is invalid
 * @throws TEAM_TAKEN if another team has the name or the group
 */
export async function addTeam(
  config: Config,
  given: string,
  options: Output & { group?: string },
  print: Print,
): Promise<void> {
  const { name = '', external_group = null } = parseTeam({ name: given, external_group: options.group })
  const { id } = await withDatabase(config, 'POST /api/teams', (db) =>
    createTeam(db, commandLineActor(), { name, external_group }),
  )
  print(options.json ? JSON.stringify({ id }) : `Team angelegt: ${escapeField(name)} (${id})`)
}

/** @throws RefusedError if no team has the name */
export async function deleteTeam(config: Config, name: string, options: Output, print: Print): Promise<void> {
  const id = await withDatabase(config, 'DELETE /api/teams/{id}', async (db) => {
    const found = await findTeamId(db, name)
    await removeTeam(db, commandLineActor(), found, momentOf(config).today)
    return found
  })
  print(options.json ? JSON.stringify({ id }) : `Team gelöscht: ${escapeField(name)}`)
}

/** Ends the connection of a team with SCIM; its members stay. @throws RefusedError if no team has the name */
export async function releaseTeamByName(config: Config, name: string, options: Output, print: Print): Promise<void> {
  const { id, released } = await withDatabase(config, 'DELETE /api/teams/{id}/scim', async (db) => {
    const found = await findTeamId(db, name)
    return { id: found, released: await releaseTeam(db, commandLineActor(), found) }
  })
  if (options.json) return print(JSON.stringify({ id, released }))
  print(`${released ? 'Von SCIM gelöst' : 'Nicht mit SCIM verbunden'}: ${escapeField(name)}`)
}

/**
 * Makes a user a member or lead of a team, or ends the membership.
 * @throws RefusedError if no team or no user has the name
 * @throws MEMBER_BY_GROUP if the membership to end comes only from the provider's groups
 */
export async function setTeamMember(
  config: Config,
  name: string,
  username: string,
  options: Output & { lead?: boolean; off?: boolean },
  print: Print,
): Promise<void> {
  const { today } = momentOf(config)
  const role = options.lead === true ? 'lead' : 'member'
  const member = await withDatabase(config, 'PUT /api/teams/{id}/members/{userId}', async (db) => {
    const teamId = await findTeamId(db, name)
    const user = await findCredentials(db, username)
    if (user === undefined) throw new RefusedError(`Es gibt keinen Benutzer ${username}.`)
    const found = { teamId, userId: user.id, today }
    if (options.off === true) await removeMember(db, commandLineActor(), found)
    else await addMember(db, commandLineActor(), { ...found, role })
    return { team_id: teamId, user_id: user.id }
  })
  if (options.json) return print(JSON.stringify({ ...member, role: options.off === true ? null : role }))
  const words =
    options.off === true ? 'Nicht mehr im Team' : role === 'lead' ? 'Leitet jetzt das Team' : 'Jetzt im Team'
  print(`${words} ${escapeField(name)}: ${escapeField(username)}`)
}

async function findTeamId(db: Kysely<Database>, name: string): Promise<number> {
  const [team] = await findTeamsByName(db, [name.normalize('NFC').trim()])
  if (team === undefined) throw new RefusedError(`Es gibt kein Team ${name}.`)
  return team.id
}
