import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listResourceTypes, listSchemas, viewConfig } from '../../src/domain/scim/definitions.js'
import { SCIM_NOT_FOUND } from '../../src/domain/scim/refusals.js'
import { viewList } from '../../src/domain/scim/view.js'
import { baseOf } from './request.js'
import { DISCOVERED, DISCOVERED_LIST, ScimParams } from './schemas.js'

const discovery: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/ServiceProviderConfig',
    {
      schema: {
        operationId: 'getScimConfig',
        summary: 'What the service supports of SCIM',
        tags: ['scim'],
        response: DISCOVERED,
      },
    },
    async (request, reply) => reply.send(viewConfig(baseOf(request))),
  )

  const lists: { path: string; name: string; what: string; list(base: string): { id: string }[] }[] = [
    { path: '/ResourceTypes', name: 'ScimResourceType', what: 'resource types of SCIM', list: listResourceTypes },
    { path: '/Schemas', name: 'ScimSchema', what: 'schemas of SCIM', list: listSchemas },
  ]
  for (const { path, name, what, list } of lists) {
    app.get(
      path,
      {
        schema: { operationId: `list${name}s`, summary: `All ${what}`, tags: ['scim'], response: DISCOVERED_LIST },
      },
      async (request, reply) => {
        const all = list(baseOf(request))
        return reply.send(viewList(all, { total: all.length, offset: 0 }))
      },
    )

    app.get(
      `${path}/:id`,
      {
        schema: {
          operationId: `get${name}`,
          summary: `One of the ${what}`,
          tags: ['scim'],
          params: ScimParams,
          response: DISCOVERED,
        },
      },
      async (request, reply) => {
        const wanted = request.params.id.toLowerCase()
        const found = list(baseOf(request)).find(({ id }) => id.toLowerCase() === wanted)
        if (found === undefined) throw SCIM_NOT_FOUND
        return reply.send(found)
      },
    )
  }
}

export default discovery
