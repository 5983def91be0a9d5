import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listIdentities } from '../../../db/queries/accounts/identities.js'
import { actorOf } from '../../../plugins/auth.js'
import { IDENTITY_NEEDED, LAST_LOGIN_METHOD } from '../../../src/domain/sign-in/refusals.js'
import { parseRowId } from '../../../src/domain/text/parameters.js'
import { Done, responses } from '../../../src/http/schemas.js'
import { unlinkIdentity } from '../../../src/services/sign-in/identities.js'
import { IdentityList, IdentityParams } from './schemas.js'

const identities: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('preHandler', app.requireUser)

  app.get(
    '/',
    {
      schema: {
        operationId: 'listIdentities',
        summary: "The identities that are linked with the caller's account",
        tags: ['auth'],
        response: responses(IdentityList),
      },
    },
    async (request) => ({ identities: await listIdentities(app.db, request.user.id) }),
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteIdentity',
        summary: "Unlink an identity from the caller's account",
        description: 'Sessions continue. The last login method of an account cannot be removed.',
        tags: ['auth'],
        params: IdentityParams,
        response: responses(Done, [LAST_LOGIN_METHOD, IDENTITY_NEEDED]),
      },
    },
    async (request) => {
      const id = parseRowId(request.params.id, 'Ungültige ID')
      const rules = { offered: app.offeredMethods, recheck: app.recheck }
      if (id !== undefined) await unlinkIdentity(app.db, actorOf(request), request.user, id, rules)
      return { ok: true as const }
    },
  )
}

export default identities
