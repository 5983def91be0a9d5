import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ACCOUNT_KEYS, listAccounts } from '../../db/queries/accounts/list.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import { parseChoice, parseNumber } from '../../src/domain/text/parameters.js'
import { answers } from '../../src/http/schemas.js'
import { AccountList, AccountsQuery } from './schemas.js'

const MAX_OFFSET = 2 ** 31 - 1

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
        response: answers(AccountList, [ADMINS_ONLY]),
      },
      preHandler: app.requireAdmin,
    },
    async ({ query }) =>
      listAccounts(app.db, {
        q: (query.q ?? '').trim(),
        sort: parseChoice(query.sort, 'sort', ACCOUNT_KEYS) ?? 'username',
        order: parseChoice(query.order, 'order', ['asc', 'desc']) ?? 'asc',
        limit: parseNumber(query.limit, 'limit', { minimum: 1, maximum: 200, fallback: 50 }),
        offset: parseNumber(query.offset, 'offset', { minimum: 0, maximum: MAX_OFFSET, fallback: 0 }),
      }),
  )
}

export default list
