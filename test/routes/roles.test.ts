import t from 'tap'
import { meetsNeed } from '../../src/domain/accounts/scopes.js'
import { deckFile, writeContentFolder } from '../support/content.js'
import type { Json } from '../support/openapi.js'
import {
  type Answer,
  CALLERS,
  createRoles,
  formatRow,
  listOperations,
  type Row,
  readTable,
  TOKENS,
} from '../support/roles.js'
import { startService } from '../support/service.js'

/** Whether to print the actual statuses in the format of `roles.txt` instead of comparing them */
const isPrinting = process.argv.includes('--print')

// The test sends more than 3,000 requests.

const table = await readTable()
const contentDir = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'stash' }]) })
const service = await startService(t, { config: { contentDir } })
const document: Json = service.app.swagger()
const operations = listOperations(document)
const rows = new Map(table.map((row) => [row.route, row]))

/** Codes of the refusals of a token because of its scope */
const SCOPE_REFUSALS = new Set<string | undefined>(['token_not_allowed', 'sessions_only', 'scim_wrong_token'])

/** Codes of the refusals by the scope that the operation needs; default `token_not_allowed` */
const REFUSAL_BY_NEED = new Map([
  ['none', 'sessions_only'],
  ['scim', 'scim_wrong_token'],
])

t.test('the table has a line for each route, and no other', async (t) => {
  const routes = operations.map(({ route }) => route)
  t.strictSame(
    routes.filter((route) => !rows.has(route)),
    [],
    'every route has a line; `node dist/test/routes/roles.test.js --print` prints it',
  )
  t.strictSame(
    table.map(({ route }) => route).filter((route) => !routes.includes(route)),
    [],
    'every line has a route',
  )
  t.equal(rows.size, table.length, 'no line occurs twice')
})

t.test('each caller gets the status of the table, and a token without the documented scope is refused', async (t) => {
  const roles = await createRoles(service)
  const found: Row[] = []
  for (const operation of operations) {
    const { route } = operation
    const row = rows.get(route)
    const { query, body } = row ?? { query: '', body: '' }
    const answers = await roles.ask(operation, { query, body })
    const statuses = answers.map(({ status }) => status)
    found.push({ route, statuses, query, body })
    if (isPrinting) continue
    if (row === undefined) t.fail(`no line for ${route}`, { found: formatRow({ route, statuses, query, body }) })
    else t.strictSame(byCaller(statuses), byCaller(row.statuses), route)
    const { security, 'x-token-scope': need } = document.paths[operation.path][operation.method.toLowerCase()]
    for (const [caller, scopes] of TOKENS) {
      // A token may delete only itself (tokens.test.ts), and the id in the request is not its own.
      const isAllowed = security?.length === 0 || (need !== 'itself' && meetsNeed(scopes, need))
      const expected = isAllowed ? undefined : (REFUSAL_BY_NEED.get(need) ?? 'token_not_allowed')
      const { code } = answers[CALLERS.indexOf(caller)] as Answer
      t.equal(SCOPE_REFUSALS.has(code) ? code : undefined, expected, `${caller}: ${route}`)
    }
  }
  if (isPrinting) process.stdout.write(`${found.map(formatRow).join('\n')}\n`)
})

t.test('content is closed to learners, and items of a source to authors who do not edit it', async (t) => {
  const open = ['GET /api/content/export', 'GET /api/content/media/{sha}']
  for (const { route, statuses } of table) {
    if (!route.includes(' /api/content/') || open.includes(route)) continue
    const { anonymous, learner, author, other, ...rest } = byCaller(statuses)
    t.strictSame([anonymous, learner], [401, 403], route)
    if (route.includes('{')) t.strictSame([author, other], [403, 403], route)
    t.strictSame([rest['admin:read'], rest['admin:learn'], rest['admin:admin']], [403, 403, 403], route)
  }
})

function byCaller(statuses: readonly number[]): Record<string, number | undefined> {
  return Object.fromEntries(CALLERS.map((caller, index) => [caller, statuses[index]]))
}
