import t from 'tap'
import { meetsNeed, SCOPES, type Scope, TOKEN_SCOPES } from '../../src/domain/accounts/scopes.js'
import { deckFile, writeContentFolder } from '../support/content.js'
import type { Json } from '../support/openapi.js'
import { listOperations } from '../support/roles.js'
import { callerOf, startService } from '../support/service.js'

// The test sends about 1,000 requests.
t.setTimeout(300_000)

const contentDir = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'stash' }]) })
const service = await startService(t, { config: { contentDir } })
const document: Json = service.app.swagger()
const operations = listOperations(document)
const describe = ({ path, method }: { path: string; method: string }): Json =>
  document.paths[path][method.toLowerCase()]

const REFUSALS = new Set(['token_not_allowed', 'sessions_only', 'scim_wrong_token'])

/** Codes of the refusals by the scope that the operation needs; default `token_not_allowed` */
const REFUSAL_BY_NEED = new Map([
  ['none', 'sessions_only'],
  ['scim', 'scim_wrong_token'],
])

/** Scopes of the tokens: each scope alone, then all except `scim` */
const TOKENS: readonly (readonly Scope[])[] = [...TOKEN_SCOPES.map((scope) => [scope]), SCOPES]

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

t.test('every operation accepts the tokens of the scope that the document names, and no others', async (t) => {
  const admin = await service.admin()
  for (const scopes of TOKENS) {
    const createToken = async () => (await admin.post('/api/auth/tokens', { name: 'x', scopes })).body
    let { id, token } = await createToken()
    for (const operation of operations) {
      const { route, method, path, type } = operation
      const { security, 'x-token-scope': need } = describe(operation)
      const isAllowed = security?.length === 0 || meetsNeed(scopes, need)
      // A token may delete only itself.
      const isItself = route === 'DELETE /api/auth/tokens/{id}'
      const response = await callerOf(service.app, undefined, token).send({
        method: method as 'GET',
        url: path.replaceAll(/\{\w+\}/g, isItself ? String(id) : '0'),
        ...(type !== undefined && {
          payload: type === 'application/json' ? '{}' : 'x',
          headers: { 'content-type': type },
        }),
      })
      if (isItself) ({ id, token } = await createToken())
      const code = String(response.headers['x-error-code'])
      const expected = isAllowed ? 'allowed' : (REFUSAL_BY_NEED.get(need) ?? 'token_not_allowed')
      t.equal(REFUSALS.has(code) ? code : 'allowed', expected, `${scopes}: ${route}`)
      t.not(response.status, 401, `${scopes}: ${route} keeps the token`)
    }
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
