import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listIdentities } from '../../../db/queries/accounts/identities.js'
import { actorOf } from '../../../plugins/auth.js'
import { LAST_WAY_IN, SESSIONS_ONLY } from '../../../src/domain/refusals.js'
import { parseRowId } from '../../../src/domain/text/parameters.js'
import { answers, Done } from '../../../src/http/schemas.js'
import { unlinkIdentity } from '../../../src/services/sign-in/identities.js'
import { IdentityList, IdentityParams } from './schemas.js'

/** Who one is to the provider. */
const identities: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('preHandler', app.requireUser)

  app.get(
    '/',
    {
      schema: {
        operationId: 'listIdentities',
        summary: 'The persons of the provider who log in to the own account',
        tags: ['auth'],
        response: answers(IdentityList),
      },
    },
    async (request) => ({ identities: await listIdentities(app.db, request.user.id) }),
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteIdentity',
        summary: 'Let a person of the provider log in to the own account no more',
        description: 'Sessions go on. The last way into the account stays.',
        tags: ['auth'],
        params: IdentityParams,
        response: answers(Done, [SESSIONS_ONLY, LAST_WAY_IN]),
      },
      preHandler: app.requireSession,
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige ID')
      if (id !== undefined) await unlinkIdentity(app.db, actorOf(request), request.user, id, app.offeredWays)
      return { ok: true as const }
    },
  )
}

export default identities
