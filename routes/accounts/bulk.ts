import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { actorOf } from '../../plugins/auth.js'
import { acceptCsv, CsvBody } from '../../plugins/bodies.js'
import { ADMINS_ONLY, LOGIN_TOO_OLD } from '../../src/domain/accounts/refusals.js'
import { readCsvRows } from '../../src/domain/accounts/user-csv.js'
import { hintsOf, readJsonRows, type UserList, validateRows } from '../../src/domain/accounts/user-list.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { warnOfCommonPasswords } from '../../src/http/password-warning.js'
import { parseOnlyQuery } from '../../src/http/query.js'
import { responses } from '../../src/http/schemas.js'
import { checkAccounts, createAccounts } from '../../src/services/accounts/create-accounts.js'
import { BulkAccountsResponse, BulkQuery, BulkRefused, CSV_BODY, JSON_BODY } from './bulk-schemas.js'

const BODY_LIMIT = 1024 * 1024

const bulk: FastifyPluginAsyncTypebox = async (app) => {
  acceptCsv(app)

  app.post(
    '/bulk',
    {
      schema: {
        operationId: 'createAccounts',
        summary: 'Create a list of users, all or none',
        description: `JSON, or CSV with a heading line, up to 1 MiB and 1,000 users. If there are faults, nothing is
created and each fault is returned with its line. The duration grows with the number of users, because each password
is hashed. A list with an administrator, author or auditor requires a login within the last ten minutes, except with \`check\`.`,
        tags: ['accounts'],
        querystring: BulkQuery,
        body: { content: { 'application/json': { schema: JSON_BODY }, 'text/csv': { schema: CSV_BODY } } },
        response: responses(BulkAccountsResponse, [ADMINS_ONLY, LOGIN_TOO_OLD], { 400: BulkRefused }),
      },
      // The handler reports each fault with its line number. A schema validator cannot do that.
      validatorCompiler: parseOnlyQuery,
      bodyLimit: BODY_LIMIT,
      // Refuses callers who are not administrators before a large body is read.
      onRequest: app.requireAdmin,
    },
    async (request, reply) => {
      const { check: isCheck } = request.query as Static<typeof BulkQuery>
      const list = readUserList(request.body)
      if (!isCheck && list.users.some(({ is_admin, is_author, is_auditor }) => is_admin || is_author || is_auditor)) {
        await app.requireFreshLogin.call(app, request, reply)
      }
      const users = isCheck
        ? await checkAccounts(app.db, list).then(() =>
            list.users.map((user) => ({ ...user, id: null, password: null })),
          )
        : await createAccounts(app.db, actorOf(request), list, {
            signal: abortOnClose(reply),
            today: app.clock.today(),
          })
      await warnOfCommonPasswords(
        reply,
        list.users.flatMap(({ password }) => password ?? []),
      )
      return {
        check: isCheck,
        users: users.map((user) => ({ ...user, team: user.teams[0] ?? null })),
        hints: hintsOf(list.users),
      }
    },
  )
}

function readUserList(body: unknown): UserList {
  const { rows, faults } = body instanceof CsvBody ? readCsvRows(body.bytes) : readJsonRows(body)
  const judged = validateRows(rows)
  return { users: judged.users, faults: [...faults, ...judged.faults] }
}

export default bulk
