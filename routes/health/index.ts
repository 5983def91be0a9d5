import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isMigrated } from '../../db/migrate.js'
import { Unavailable } from '../../src/domain/refusal.js'
import { responses } from '../../src/http/schemas.js'

const Health = Type.Object({ status: Type.Literal('ok') })

const health: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/healthz',
    schema: {
      operationId: 'getHealth',
      summary: 'The process is alive',
      tags: ['health'],
      security: [],
      response: responses(Health),
    },
    handler: async () => ({ status: 'ok' as const }),
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/readyz',
    schema: {
      operationId: 'getReadiness',
      summary: 'The database responds and is migrated; otherwise, and during shutdown, 503',
      tags: ['health'],
      security: [],
      response: responses(Health),
    },
    handler: async () => {
      if (app.isClosing() || !(await isMigrated(app.db))) throw new Unavailable()
      return { status: 'ok' as const }
    },
  })
}

export default health
