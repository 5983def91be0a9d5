import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findMemberPlace, listMembers } from '../../db/queries/teams/members.js'
import { findTeamByExternalId, findTeamWithManager, listChangedTeams, listTeams } from '../../db/queries/teams/teams.js'
import { actorOf } from '../../plugins/auth.js'
import { parseUserId } from '../../src/domain/accounts/accounts.js'
import { ADMINS_ONLY, USER_NOT_FOUND } from '../../src/domain/accounts/refusals.js'
import { OWN_OCCURRENCE } from '../../src/domain/assignments/refusals.js'
import { CHANGES_GONE } from '../../src/domain/changes/refusals.js'
import { VersionOutdated } from '../../src/domain/content/refusals.js'
import { EXTERNAL_ID_TAKEN, parseExternalId, parseWantedExternalId } from '../../src/domain/external-id.js'
import { ClientIdUsed } from '../../src/domain/form-requests.js'
import { cutPage } from '../../src/domain/page.js'
import {
  MEMBER_BY_GROUP,
  NOT_A_LEAD,
  TEAM_BY_SCIM,
  TEAM_NOT_FOUND,
  TEAM_TAKEN,
} from '../../src/domain/teams/refusals.js'
import { parseTeam, type ViewableTeams } from '../../src/domain/teams/teams.js'
import { viewListedTeam, viewMember, viewTeam } from '../../src/domain/teams/view.js'
import { invalidCursor, parseRowId } from '../../src/domain/text/parameters.js'
import { unknownEndpoint } from '../../src/http/refusals.js'
import { Done, responses } from '../../src/http/schemas.js'
import { listChanges } from '../../src/services/changes/list-changes.js'
import { formRequestOf } from '../../src/services/create-once.js'
import {
  addMember,
  changeTeam,
  createTeam,
  putTeam,
  releaseTeam,
  removeMember,
  removeTeam,
} from '../../src/services/teams/teams.js'
import {
  ChangeTeamBody,
  CreateTeamBody,
  ExternalIdParams,
  MemberBody,
  MemberParams,
  PutTeamBody,
  TeamList,
  TeamParams,
  TeamQuery,
  TeamResponse,
  TeamsQuery,
  TeamWithMembers,
} from './schemas.js'

const teams: FastifyPluginAsyncTypebox = async (app) => {
  app.setFallback(unknownEndpoint('Unbekannter Team-Endpunkt'))
  const preHandler = app.requireAdmin

  app.get(
    '/',
    {
      schema: {
        operationId: 'listTeams',
        summary: 'All teams for administrators; for leads the teams that they lead',
        description: `${LEADS_SEE} With \`changed_since\`, a change of the members is a change of the team, and leads get no
deleted teams. \`limit\` and \`after\` apply only then; otherwise the list has all teams.`,
        tags: ['teams'],
        querystring: TeamsQuery,
        response: responses(TeamList, [NOT_A_LEAD, CHANGES_GONE]),
      },
      preHandler: app.requireLead,
    },
    async (request, reply) => {
      const { changed_since: since, after, limit } = request.query
      const list = async (viewable: ViewableTeams, ids?: number[]) =>
        (await listTeams(app.db, viewable, ids)).map((team) => viewListedTeam(viewable, team))
      if (since === undefined) return { teams: await list(request.viewableTeams) }
      const userId = request.user.id
      const { entries, ...next } = await listChanges(app.db, { userId, since, after, limit }, async () => {
        await app.requireLead(request, reply)
        const { viewableTeams: viewable } = request
        return {
          listIds: (changed) => listChangedTeams(app.db, { userId, viewable }, changed),
          find: (ids) => list(viewable, ids),
          table: viewable === 'all' ? 'teams' : undefined,
        }
      })
      return { teams: entries, ...next }
    },
  )

  app.get(
    '/:id',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'getTeam',
        summary: 'A team with its current members',
        description: LEADS_SEE,
        tags: ['teams'],
        params: TeamParams,
        querystring: TeamQuery,
        response: responses(TeamWithMembers, [NOT_A_LEAD, TEAM_NOT_FOUND]),
      },
      preHandler: app.requireLead,
    },
    async ({ params, query: { after, limit }, viewableTeams: viewable }) => {
      const team = await findTeamWithManager(app.db, teamIdOf(params))
      if (team === undefined) throw TEAM_NOT_FOUND
      const place = after === undefined ? undefined : await findMemberPlace(app.db, team.id, after)
      if (after !== undefined && place === undefined) throw invalidCursor('after')
      const members = await listMembers(app.db, team.id, { after: place, limit: limit + 1 })
      const { page, next } = cutPage(members, limit, ({ id }) => id)
      const shown = page.map((member) => viewMember(viewable, member))
      return { team: viewTeam(viewable, team), members: shown, next_after: next }
    },
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createTeam',
        summary: 'Create a team',
        tags: ['teams'],
        body: CreateTeamBody,
        response: responses(TeamResponse, [
          ...[ADMINS_ONLY, TEAM_TAKEN.at('name'), EXTERNAL_ID_TAKEN],
          new ClientIdUsed({ id: 3 }),
        ]),
      },
      preHandler,
    },
    async (request) => {
      const { name = '', external_group = null, external_id } = parseTeam(request.body)
      const repeated = formRequestOf(request.user, request.body)
      return { team: await createTeam(app.db, actorOf(request), { name, external_group, external_id }, repeated) }
    },
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'changeTeam',
        summary: 'Change the name, the group or the external id of a team',
        description: `If the group changes, memberships that came from the former group end. Memberships that SCIM has
left (\`DELETE /api/teams/{id}/scim\`) follow the new group: at each login, they end without it.`,
        tags: ['teams'],
        params: TeamParams,
        body: ChangeTeamBody,
        response: responses(TeamResponse, [
          ...[ADMINS_ONLY, OWN_OCCURRENCE, TEAM_NOT_FOUND, TEAM_TAKEN.at('name'), TEAM_BY_SCIM, EXTERNAL_ID_TAKEN],
          new VersionOutdated(2),
        ]),
      },
      preHandler,
    },
    async (request) => {
      const { version } = request.body
      const change = {
        id: teamIdOf(request.params),
        change: parseTeam(request.body),
        version,
        today: app.clock.today(),
      }
      return { team: await changeTeam(app.db, actorOf(request), change) }
    },
  )

  app.get(
    '/by-external-id/:external_id',
    {
      schema: {
        operationId: 'getTeamByExternalId',
        summary: 'The team with an external id, without its members',
        tags: ['teams'],
        params: ExternalIdParams,
        response: responses(TeamResponse, [ADMINS_ONLY, TEAM_NOT_FOUND]),
      },
      preHandler,
    },
    async (request) => {
      const externalId = parseWantedExternalId(request.params.external_id)
      const team = externalId === undefined ? undefined : await findTeamByExternalId(app.db, externalId)
      if (team === undefined) throw TEAM_NOT_FOUND
      return { team }
    },
  )

  app.put(
    '/by-external-id/:external_id',
    {
      schema: {
        operationId: 'putTeam',
        summary: 'Create the team with an external id, or change it',
        description: `Status 201 for a new team, otherwise 200. Absent fields stay unchanged. If the group changes,
memberships that came from the former group end. Memberships that SCIM has left (\`DELETE /api/teams/{id}/scim\`)
follow the new group: at each login, they end without it.`,
        tags: ['teams'],
        params: ExternalIdParams,
        body: PutTeamBody,
        response: responses(TeamResponse, [ADMINS_ONLY, OWN_OCCURRENCE, TEAM_TAKEN.at('name'), TEAM_BY_SCIM], {
          201: TeamResponse,
        }),
      },
      preHandler,
    },
    async (request, reply) => {
      const externalId = parseExternalId(request.params.external_id)
      const { name, external_group } = request.body
      const given = { externalId, change: parseTeam({ name, external_group }), today: app.clock.today() }
      const { team, isNew } = await putTeam(app.db, actorOf(request), given)
      return reply.status(isNew ? 201 : 200).send({ team })
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteTeam',
        summary: 'Delete a team with its memberships',
        tags: ['teams'],
        params: TeamParams,
        response: responses(Done, [ADMINS_ONLY, OWN_OCCURRENCE]),
      },
      preHandler,
    },
    async (request) => {
      const id = parseRowId(request.params.id, INVALID_TEAM)
      if (id !== undefined) await removeTeam(app.db, actorOf(request), id, app.clock.today())
      return { ok: true as const }
    },
  )

  app.delete(
    '/:id/scim',
    {
      schema: {
        operationId: 'releaseTeam',
        summary: 'End the connection of a team with SCIM',
        description: `The team stays with its members, without its external id. Administrators may then end the memberships
by SCIM, and the team may get a group of logins. Another change by SCIM makes SCIM its manager again.`,
        tags: ['teams'],
        params: TeamParams,
        response: responses(Done, [ADMINS_ONLY, TEAM_NOT_FOUND]),
      },
      preHandler,
    },
    async (request) => {
      await releaseTeam(app.db, actorOf(request), teamIdOf(request.params))
      return { ok: true as const }
    },
  )

  app.put(
    '/:id/members/:userId',
    {
      schema: {
        operationId: 'setTeamMember',
        summary: 'Make a user a member or lead of a team',
        tags: ['teams'],
        params: MemberParams,
        body: MemberBody,
        response: responses(Done, [ADMINS_ONLY, TEAM_NOT_FOUND, USER_NOT_FOUND]),
      },
      preHandler,
    },
    async (request) => {
      const { role } = request.body
      await addMember(app.db, actorOf(request), { ...memberOf(request.params), role, today: app.clock.today() })
      return { ok: true as const }
    },
  )

  app.delete(
    '/:id/members/:userId',
    {
      schema: {
        operationId: 'removeTeamMember',
        summary: 'End a membership that was made by hand, or that SCIM has left to a released team',
        description: "A membership from the provider's groups stays; 409 if it is the only membership.",
        tags: ['teams'],
        params: MemberParams,
        response: responses(Done, [ADMINS_ONLY, OWN_OCCURRENCE, TEAM_NOT_FOUND, USER_NOT_FOUND, MEMBER_BY_GROUP]),
      },
      preHandler,
    },
    async (request) => {
      await removeMember(app.db, actorOf(request), { ...memberOf(request.params), today: app.clock.today() })
      return { ok: true as const }
    },
  )
}

const LEADS_SEE = 'Leads see names and roles only; the other fields are missing.'

const INVALID_TEAM = 'Ungültige Team-ID'

function teamIdOf({ id }: { id: string }): number {
  const parsed = parseRowId(id, INVALID_TEAM)
  if (parsed === undefined) throw TEAM_NOT_FOUND
  return parsed
}

function memberOf({ id, userId }: { id: string; userId: string }): { teamId: number; userId: number } {
  const teamId = teamIdOf({ id })
  const user = parseUserId(userId)
  if (user === undefined) throw USER_NOT_FOUND
  return { teamId, userId: user }
}

export default teams
