import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { actorOf } from '../../plugins/auth.js'
import { acceptCsv, CsvBody } from '../../plugins/bodies.js'
import {
  ADMINS_ONLY,
  LOGIN_TOO_OLD,
  MISSING_NOT_CONFIRMED,
  TOO_MANY_MISSING,
} from '../../src/domain/accounts/refusals.js'
import { readCsvInSteps } from '../../src/domain/accounts/user-csv.js'
import { hintsOf, readJsonRows, validateChangesInSteps, validateRows } from '../../src/domain/accounts/user-list.js'
import { OWN_OCCURRENCE } from '../../src/domain/assignments/refusals.js'
import { InvalidParameter } from '../../src/domain/refusal.js'
import { abortOnClose } from '../../src/http/abort-on-close.js'
import { warnOfCommonPasswords } from '../../src/http/password-warning.js'
import { parseOnlyQuery } from '../../src/http/query.js'
import { responses } from '../../src/http/schemas.js'
import { serializeInTurns } from '../../src/http/serialize-in-turns.js'
import { checkAccounts, createAccounts } from '../../src/services/accounts/create-accounts.js'
import { checkChanges, updateAccounts } from '../../src/services/accounts/update-accounts.js'
import { runInTurns } from '../../src/services/content/turns.js'
import { BulkAccountsResponse, BulkQuery, BulkRefused, CSV_BODY, JSON_BODY } from './bulk-schemas.js'

const BODY_LIMIT = 1024 * 1024

const bulk: FastifyPluginAsyncTypebox = async (app) => {
  acceptCsv(app)

  app.post(
    '/bulk',
    {
      schema: {
        operationId: 'createAccounts',
        summary: 'Create or change a list of users, all or none',
        description: `JSON, or CSV with a heading line, up to 1 MiB. If there are faults, nothing is stored and each fault is
returned with its line.

Without \`mode\`, creates up to 1,000 users. The duration grows with their number, because each password is hashed. A list
with an administrator, author or auditor requires a login within the last ten minutes, except with \`check\`.

\`mode=update\` changes up to 10,000 users, who are found by user name or personnel number, and returns the changes. It
requires a login within the last ten minutes, except with \`check\`. With \`missing=disable\` it disables the users who are
missing from the list, except administrators, emergency accounts and the caller, if \`confirm_disabled\` is their number.`,
        tags: ['accounts'],
        querystring: BulkQuery,
        body: { content: { 'application/json': { schema: JSON_BODY }, 'text/csv': { schema: CSV_BODY } } },
        response: responses(
          BulkAccountsResponse,
          [ADMINS_ONLY, LOGIN_TOO_OLD, OWN_OCCURRENCE, TOO_MANY_MISSING, MISSING_NOT_CONFIRMED],
          { 400: BulkRefused },
        ),
      },
      // The handler reports each fault with its line number. A schema validator cannot do that.
      validatorCompiler: parseOnlyQuery,
      bodyLimit: BODY_LIMIT,
      // Refuses callers who are not administrators before a large body is read.
      onRequest: app.requireAdmin,
    },
    async (request, reply) => {
      const query = request.query as Static<typeof BulkQuery>
      const { check: isCheck } = query
      const isUpdate = query.mode === 'update'
      if (!isUpdate && query.missing !== undefined) throw new InvalidParameter('missing', 'gilt nur mit „mode=update“')
      const signal = abortOnClose(reply)
      const { rows, faults } = await readRows(request.body, isUpdate)
      if (isUpdate) {
        const judged = await runInTurns(validateChangesInSteps(rows))
        if (!isCheck) await app.requireFreshLogin.call(app, request, reply)
        const list = { users: judged.users, faults: [...faults, ...judged.faults] }
        const rules = {
          offered: app.offeredMethods,
          today: app.clock.today(),
          callerId: request.user.id,
          disablesMissing: query.missing === 'disable',
        }
        const result = isCheck
          ? await checkChanges(app.db, list, rules)
          : await updateAccounts(app.db, actorOf(request), list, { ...rules, confirmed: query.confirm_disabled })
        // The type is that of the object, which is sent as JSON.
        return (await serializeInTurns(reply, { check: isCheck, users: [], hints: [], ...result }, signal)) as never
      }
      const judged = validateRows(rows)
      const list = { users: judged.users, faults: [...faults, ...judged.faults] }
      if (!isCheck && list.users.some(({ is_admin, is_author, is_auditor }) => is_admin || is_author || is_auditor)) {
        await app.requireFreshLogin.call(app, request, reply)
      }
      const users = isCheck
        ? await checkAccounts(app.db, list).then(() =>
            list.users.map((user) => ({ ...user, id: null, password: null })),
          )
        : await createAccounts(app.db, actorOf(request), list, {
            signal,
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

async function readRows(body: unknown, isUpdate: boolean): Promise<ReturnType<typeof readJsonRows>> {
  return body instanceof CsvBody ? runInTurns(readCsvInSteps(body.bytes, isUpdate)) : readJsonRows(body)
}

export default bulk
