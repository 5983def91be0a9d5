import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import {
  findScimGroup,
  listScimGroups,
  listScimMembers,
  type ScimGroup,
  type ScimMember,
} from '../../db/queries/scim/groups.js'
import { scimActorOf } from '../../plugins/scim.js'
import { type GroupInput, readGroup, readGroupPatch } from '../../src/domain/scim/group.js'
import { limitMembers } from '../../src/domain/scim/page.js'
import { isShown, parseProjection, project } from '../../src/domain/scim/projection.js'
import { SCIM_NOT_FOUND } from '../../src/domain/scim/refusals.js'
import { viewList, viewScimGroup } from '../../src/domain/scim/view.js'
import { changeScimGroup, createScimGroup, deleteScimGroup } from '../../src/services/scim/groups.js'
import { baseOf, idOf, parseSearch, type Search } from './request.js'
import {
  GROUP_BODY,
  GROUP_CREATED,
  GROUP_LIST,
  GROUP_PATCH,
  GROUP_RESPONSE,
  ListQuery,
  NO_CONTENT,
  ScimParams,
  SEARCH_BODY,
  ShownQuery,
} from './schemas.js'

/** Maximum number of unknown ids that the log names */
const MAX_LOGGED_IDS = 20

const groups: FastifyPluginAsyncTypebox = async (app) => {
  const tags = ['scim']

  const rules = ({ log }: FastifyRequest) => ({
    today: app.clock.today(),
    onUnknown: (ids: string[]) => {
      log.warn({ unknown: ids.length, ids: ids.slice(0, MAX_LOGGED_IDS) }, 'SCIM group names unknown members')
    },
  })

  async function view(request: FastifyRequest, group: ScimGroup, shown: Search) {
    const projection = parseProjection(shown)
    const members = isShown(projection, 'members') ? await listScimMembers(app.db, [group.id]) : undefined
    return project(viewScimGroup(group, members, baseOf(request)), projection)
  }

  async function search(request: FastifyRequest, given: Search) {
    const selection = parseSearch(given)
    const projection = parseProjection(given)
    const { groups: found, total } = await listScimGroups(app.db, selection)
    const hasMembers = isShown(projection, 'members')
    const page = hasMembers ? limitMembers(found) : found
    const members = hasMembers ? await listMembersByTeam(page) : undefined
    const base = baseOf(request)
    const resources = page.map((group) =>
      project(viewScimGroup(group, members && (members.get(group.id) ?? []), base), projection),
    )
    return viewList(resources, { total, offset: selection.offset })
  }

  async function listMembersByTeam(page: readonly ScimGroup[]): Promise<Map<number, ScimMember[]>> {
    const ids = page.map(({ id }) => id)
    const members = new Map<number, ScimMember[]>(ids.map((id) => [id, []]))
    for (const member of await listScimMembers(app.db, ids)) members.get(member.team_id)?.push(member)
    return members
  }

  app.get(
    '/',
    {
      schema: {
        operationId: 'listScimGroups',
        summary: 'Teams, except those that SCIM has deleted',
        tags,
        querystring: ListQuery,
        response: GROUP_LIST,
      },
    },
    async (request, reply) => reply.send(await search(request, request.query)),
  )

  app.post(
    '/.search',
    {
      schema: {
        operationId: 'searchScimGroups',
        summary: 'The same list by a request with a body',
        tags,
        body: SEARCH_BODY,
        response: GROUP_LIST,
      },
    },
    async (request, reply) => reply.send(await search(request, request.body as Search)),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createScimGroup',
        summary: 'Create a team, revive one that SCIM has deleted, or take over one (`SCIM_ADOPT`)',
        tags,
        querystring: ShownQuery,
        body: GROUP_BODY,
        response: GROUP_CREATED,
      },
    },
    async (request, reply) => {
      const options = { ...rules(request), adopts: app.config.scimAdopt }
      const group = await createScimGroup(app.db, scimActorOf(request), readGroup(request.body), options)
      reply.code(201).header('location', `${baseOf(request)}/Groups/${group.id}`)
      return reply.send(await view(request, group, request.query))
    },
  )

  app.get(
    '/:id',
    {
      schema: {
        operationId: 'getScimGroup',
        summary: 'One team with all its current members',
        tags,
        params: ScimParams,
        querystring: ShownQuery,
        response: GROUP_RESPONSE,
      },
    },
    async (request, reply) => {
      const group = await findScimGroup(app.db, idOf(request.params))
      if (group === undefined) throw SCIM_NOT_FOUND
      return reply.send(await view(request, group, request.query))
    },
  )

  const change = (request: FastifyRequest & { params: { id: string } }, input: GroupInput) =>
    changeScimGroup(app.db, scimActorOf(request), idOf(request.params), input, rules(request))

  app.put(
    '/:id',
    {
      schema: {
        operationId: 'putScimGroup',
        summary: 'Change a team; absent attributes stay unchanged',
        description: 'Memberships that were made here stay.',
        tags,
        params: ScimParams,
        querystring: ShownQuery,
        body: GROUP_BODY,
        response: GROUP_RESPONSE,
      },
    },
    async (request, reply) =>
      reply.send(await view(request, await change(request, readGroup(request.body)), request.query)),
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'changeScimGroup',
        summary: 'Change the name or members of a team',
        description: `Memberships that were made here stay. Members that are no accounts here are left out and logged. A list
of unknown members only is refused if it would end memberships.`,
        tags,
        params: ScimParams,
        body: GROUP_PATCH,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await change(request, readGroupPatch(request.body))
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteScimGroup',
        summary: 'End the memberships by SCIM and hide the team from SCIM; the team and its assignments stay',
        description: 'Status 204 without any change if SCIM does not manage the team.',
        tags,
        params: ScimParams,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await deleteScimGroup(app.db, scimActorOf(request), idOf(request.params), rules(request))
      return reply.code(204).send(null)
    },
  )
}

export default groups
