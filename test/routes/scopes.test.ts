import t from 'tap'
import { TOKEN_SCOPES } from '../../src/domain/accounts/scopes.js'
import type { Json } from '../support/openapi.js'
import { listOperations } from '../support/roles.js'
import { startService } from '../support/service.js'

// `roles.test.ts` sends the requests that show that each operation accepts only tokens of its scope.
const { app } = await startService(t)
const document: Json = app.swagger()
const operations = listOperations(document)
const describe = ({ path, method }: { path: string; method: string }): Json =>
  document.paths[path][method.toLowerCase()]

t.test('every operation names a token scope, except the public ones', async (t) => {
  for (const operation of operations) {
    const { security, 'x-token-scope': need } = describe(operation)
    const isPublic = security?.length === 0
    t.ok(
      isPublic ? need === undefined : [...TOKEN_SCOPES, 'all', 'any', 'itself', 'none'].includes(need),
      operation.route,
    )
  }
})

t.test(
  'the operations that no token may call are the ones that change how the owner signs in or is reached',
  async (t) => {
    const closed = operations.filter((operation) => describe(operation)['x-token-scope'] === 'none')
    t.strictSame(closed.map(({ route }) => route).sort(), [
      'DELETE /api/accounts/me/sessions',
      'DELETE /api/accounts/me/sessions/{id}',
      'DELETE /api/auth/oidc/identities/{id}',
      'DELETE /api/auth/passkeys/{id}',
      'DELETE /api/mail/address',
      'DELETE /api/mail/address/pending',
      'POST /api/assignments/occurrences/confirm-personal',
      'POST /api/auth/confirm',
      'POST /api/auth/oidc/identities',
      'POST /api/auth/oidc/link',
      'POST /api/auth/passkeys',
      'POST /api/auth/passkeys/options',
      'POST /api/auth/password',
      'POST /api/auth/tokens',
      'POST /api/calendar/token',
      'POST /api/mail/address',
    ])
    for (const operation of closed) {
      let refused: Json = describe(operation).responses[403]
      if (refused.$ref !== undefined) refused = document.components.responses[refused.$ref.split('/').at(-1)]
      t.ok(refused.headers['X-Error-Code'].schema.examples.includes('sessions_only'), `${operation.route}: code`)
    }
  },
)
