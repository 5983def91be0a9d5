import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { actorOf } from '../../plugins/auth.js'
import { acceptCsv, CsvBody } from '../../plugins/bodies.js'
import { readCsvRows } from '../../src/domain/accounts/user-csv.js'
import { judgeRows, readJsonRows, type UserList } from '../../src/domain/accounts/user-list.js'
import { ADMINS_ONLY } from '../../src/domain/refusals.js'
import { parseFlag } from '../../src/domain/text/parameters.js'
import { warnOfCommonPasswords } from '../../src/http/password-warning.js'
import { answers } from '../../src/http/schemas.js'
import { untilGone } from '../../src/http/until-gone.js'
import { checkAccounts, createAccounts } from '../../src/services/accounts/create-accounts.js'
import { BulkAnswer, BulkQuery, BulkRefused, CSV_BODY, JSON_BODY } from './bulk-schemas.js'

const BODY_LIMIT = 1024 * 1024

/** Many users at once. */
const bulk: FastifyPluginAsyncTypebox = async (app) => {
  acceptCsv(app)

  app.post(
    '/bulk',
    {
      schema: {
        operationId: 'createAccounts',
        summary: 'Create many users, all or none',
        description: `JSON or a CSV file with a line of headings, up to 1 MiB and 1,000 users. With faults nothing is
created, and each is told with its line. It takes as long as so many logins: some 30 ms for each user.`,
        tags: ['accounts'],
        querystring: BulkQuery,
        body: { content: { 'application/json': { schema: JSON_BODY }, 'text/csv': { schema: CSV_BODY } } },
        response: answers(BulkAnswer, [ADMINS_ONLY], { 400: BulkRefused }),
      },
      // Each fault is told with its line, of which a validator knows nothing.
      validatorCompiler: () => () => true,
      bodyLimit: BODY_LIMIT,
      // Who may not ask is told before a large body is read.
      onRequest: app.requireAdmin,
    },
    async (request, reply) => {
      const isCheck = parseFlag((request.query as { check?: string }).check, 'check')
      const list = readUserList(request.body)
      const users = isCheck
        ? await checkAccounts(app.db, list).then(() =>
            list.users.map((user) => ({ ...user, id: null, password: null })),
          )
        : await createAccounts(app.db, actorOf(request), list, untilGone(reply))
      await warnOfCommonPasswords(
        reply,
        list.users.flatMap(({ password }) => password ?? []),
      )
      return { check: isCheck, users }
    },
  )
}

function readUserList(body: unknown): UserList {
  const { rows, faults } = body instanceof CsvBody ? readCsvRows(body.bytes) : readJsonRows(body)
  const judged = judgeRows(rows)
  return { users: judged.users, faults: [...faults, ...judged.faults] }
}

export default bulk
