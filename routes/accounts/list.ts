import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findListedAccounts, listAccounts, listChangedAccounts } from '../../db/queries/accounts/list.js'
import { ADMINS_ONLY } from '../../src/domain/accounts/refusals.js'
import { CHANGES_GONE } from '../../src/domain/changes/refusals.js'
import { responses } from '../../src/http/schemas.js'
import { listChanges } from '../../src/services/changes/list-changes.js'
import { AccountList, AccountsQuery } from './schemas.js'

const list: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/',
    {
      config: { isExpensive: true },
      schema: {
        operationId: 'listAccounts',
        summary: 'A page of users, filtered by name',
        description: `With \`changed_since\`, \`sort\`, \`order\` and \`offset\` are ignored, and a new \`last_seen_on\` is no
change.`,
        tags: ['accounts'],
        querystring: AccountsQuery,
        response: responses(AccountList, [ADMINS_ONLY, CHANGES_GONE]),
      },
      preHandler: app.requireAdmin,
    },
    async ({ user, query }) => {
      const { changed_since: since, after, limit } = query
      const q = (query.q ?? '').trim()
      if (since === undefined) return listAccounts(app.db, { ...query, q })
      let total = 0
      const { entries, ...next } = await listChanges(app.db, { userId: user.id, since, after, limit }, async () => ({
        listIds: async (changed) => {
          const found = await listChangedAccounts(app.db, q, changed)
          total = found.total
          return found.ids
        },
        find: (ids) => findListedAccounts(app.db, q, ids),
        table: 'users',
      }))
      return { users: entries, total, ...next }
    },
  )
}

export default list
