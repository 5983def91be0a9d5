import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { findScimUser, listScimUsers, type ScimUser } from '../../db/queries/scim/users.js'
import { scimActorOf } from '../../plugins/scim.js'
import { parseProjection, project } from '../../src/domain/scim/projection.js'
import { SCIM_NOT_FOUND } from '../../src/domain/scim/refusals.js'
import { readUser, readUserPatch } from '../../src/domain/scim/user.js'
import { viewList, viewScimUser } from '../../src/domain/scim/view.js'
import { changeScimUser, createScimUser, deleteScimUser } from '../../src/services/scim/users.js'
import { baseOf, idOf, parseSearch, type Search } from './request.js'
import {
  ListQuery,
  NO_CONTENT,
  ScimParams,
  SEARCH_BODY,
  ShownQuery,
  USER_BODY,
  USER_CREATED,
  USER_LIST,
  USER_PATCH,
  USER_RESPONSE,
} from './schemas.js'

const users: FastifyPluginAsyncTypebox = async (app) => {
  const tags = ['scim']
  const rules = () => ({ offered: { password: app.config.passwordLogin }, today: app.clock.today() })

  const view = (request: FastifyRequest, user: ScimUser, shown: Search) =>
    project(viewScimUser(user, { today: app.clock.today(), base: baseOf(request) }), parseProjection(shown))

  async function search(request: FastifyRequest, given: Search) {
    const selection = parseSearch(given)
    const { users: found, total } = await listScimUsers(app.db, { ...selection, today: app.clock.today() })
    const resources = found.map((user) => view(request, user, given))
    return viewList(resources, { total, offset: selection.offset })
  }

  app.get(
    '/',
    {
      schema: {
        operationId: 'listScimUsers',
        summary: 'Accounts, except those that SCIM has deleted',
        tags,
        querystring: ListQuery,
        response: USER_LIST,
      },
    },
    async (request, reply) => reply.send(await search(request, request.query)),
  )

  app.post(
    '/.search',
    {
      schema: {
        operationId: 'searchScimUsers',
        summary: 'The same list by a request with a body',
        tags,
        body: SEARCH_BODY,
        response: USER_LIST,
      },
    },
    async (request, reply) => reply.send(await search(request, request.body as Search)),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createScimUser',
        summary: 'Create an account, revive one that SCIM has deleted, or take over one (`SCIM_ADOPT`)',
        tags,
        querystring: ShownQuery,
        body: USER_BODY,
        response: USER_CREATED,
      },
    },
    async (request, reply) => {
      const options = { ...rules(), adopts: app.config.scimAdopt }
      const user = await createScimUser(app.db, scimActorOf(request), readUser(request.body), options)
      reply.code(201).header('location', `${baseOf(request)}/Users/${user.id}`)
      return reply.send(view(request, user, request.query))
    },
  )

  app.get(
    '/:id',
    {
      schema: {
        operationId: 'getScimUser',
        summary: 'One account',
        tags,
        params: ScimParams,
        querystring: ShownQuery,
        response: USER_RESPONSE,
      },
    },
    async (request, reply) => {
      const user = await findScimUser(app.db, idOf(request.params))
      if (user === undefined || user.scim_deleted) throw SCIM_NOT_FOUND
      return reply.send(view(request, user, request.query))
    },
  )

  app.put(
    '/:id',
    {
      schema: {
        operationId: 'putScimUser',
        summary: 'Change an account; absent attributes stay unchanged',
        tags,
        params: ScimParams,
        querystring: ShownQuery,
        body: USER_BODY,
        response: USER_RESPONSE,
      },
    },
    async (request, reply) => {
      const input = readUser(request.body)
      const user = await changeScimUser(app.db, scimActorOf(request), idOf(request.params), () => input, rules())
      return reply.send(view(request, user, request.query))
    },
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'changeScimUser',
        summary: 'Change some attributes of an account',
        description: `\`active: false\` disables the account and ends its sessions and tokens at once. \`active: true\` lifts
only a deactivation by SCIM; otherwise the response has \`active: false\`.`,
        tags,
        params: ScimParams,
        querystring: ShownQuery,
        body: USER_PATCH,
        response: USER_RESPONSE,
      },
    },
    async (request, reply) => {
      const { body, params, query } = request
      const read = (stored: Pick<ScimUser, 'email'>) => readUserPatch(body, stored)
      const user = await changeScimUser(app.db, scimActorOf(request), idOf(params), read, rules())
      return reply.send(view(request, user, query))
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteScimUser',
        summary: 'Disable an account and hide it from SCIM; its data and evidence stay',
        tags,
        params: ScimParams,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      await deleteScimUser(app.db, scimActorOf(request), idOf(request.params), rules())
      return reply.code(204).send(null)
    },
  )
}

export default users
