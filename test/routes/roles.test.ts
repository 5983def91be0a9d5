import { readFile } from 'node:fs/promises'
import t from 'tap'
import { ROOT } from '../support/constants.js'
import { deckFile, writeContentFolder } from '../support/content.js'
import { CALLERS, createRoles, formatRow, listOperations, parseTable, type Row } from '../support/roles.js'
import { startService } from '../support/service.js'

/** Whether to print the actual statuses in the format of `roles.txt` instead of comparing them */
const isPrinting = process.argv.includes('--print')

// The test sends about 2,600 requests.
t.setTimeout(300_000)

const table = parseTable(await readFile(`${ROOT}test/routes/roles.txt`, 'utf8'))
const contentDir = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'stash' }]) })
const service = await startService(t, { config: { contentDir } })
const operations = listOperations(service.app.swagger())
const rows = new Map(table.map((row) => [row.route, row]))

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

t.test('each caller gets the status of the table on every route', async (t) => {
  const roles = await createRoles(service)
  const found: Row[] = []
  for (const operation of operations) {
    const { route } = operation
    const row = rows.get(route)
    const { query, body } = row ?? { query: '', body: '' }
    const statuses = await roles.ask(operation, { query, body })
    found.push({ route, statuses, query, body })
    if (isPrinting) continue
    if (row === undefined) t.fail(`no line for ${route}`, { found: formatRow({ route, statuses, query, body }) })
    else t.strictSame(byCaller(statuses), byCaller(row.statuses), route)
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
    t.strictSame([rest['editor:read'], rest['editor:learn'], rest['editor:admin']], [403, 403, 403], route)
  }
})

function byCaller(statuses: readonly number[]): Record<string, number | undefined> {
  return Object.fromEntries(CALLERS.map((caller, index) => [caller, statuses[index]]))
}
