import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listAccounts } from '../../db/queries/accounts/list.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { AccountList, AccountsQuery } from './schemas.js'

const list: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listAccounts',
        summary: 'A page of users, filtered by name',
        tags: ['accounts'],
        querystring: AccountsQuery,
        response: responses(AccountList, [ADMINS_ONLY]),
      },
      preHandler: app.requireAdmin,
    },
    ({ query }) => listAccounts(app.db, { ...query, q: (query.q ?? '').trim() }),
  )
}

export default list
