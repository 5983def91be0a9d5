import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import t from 'tap'
import { createStoreVariables, runCommand as run, startProcess } from '../support/process.js'
import { ROOT } from '../support/service.js'

const variables = await createStoreVariables(t)

t.test('the version and the help are answered, without any store', async (t) => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  for (const flag of ['--version', '-V']) {
    t.strictSame(await run({}, [flag]), { code: 0, stdout: `${version}\n`, stderr: '' })
  }
  const help = await run({}, ['--help'])
  t.equal(help.code, 0)
  for (const word of [
    'Aufruf:',
    'Befehle:',
    'serve',
    'migrate',
    'import',
    'audit',
    'user',
    'Rückgabewerte: 0',
    'RATE_LIMIT',
  ]) {
    t.ok(help.stdout.includes(word), word)
  }
  for (const args of [
    ['help', 'import'],
    ['user', 'add', '--help'],
    ['audit', '-h'],
  ]) {
    const { code, stdout } = await run({}, args)
    t.equal(code, 0, args.join(' '))
    t.match(stdout, '--json')
  }
})

t.test('a wrong call is status 2', async (t) => {
  for (const args of [
    ['nonsense'],
    ['import', '--nonsense'],
    ['user'],
    ['user', 'add'],
    ['user', 'nonsense'],
    ['user', 'add', 'a', 'passwort-als-argument'],
    ['audit', '--limit', '0'],
    ['audit', '--limit', 'x'],
  ]) {
    const { code, stderr } = await run({}, args)
    t.equal(code, 2, args.join(' '))
    t.not(stderr, '')
  }
})

t.test('a wrong setting is status 1 and one line', async (t) => {
  const refused = await run({ ...variables, PORT: 'abc' }, ['user', 'list'])
  t.match(refused, { code: 1, stdout: '', stderr: /^PORT: [^\n]+\n$/ })
})

t.test('programs read JSON', async (t) => {
  const json = async (...args: string[]) => {
    const { code, stdout } = await run(variables, args, 'geheim-genug\n')
    return { code, body: JSON.parse(stdout) }
  }
  const migrated = await json('migrate', '--json')
  t.ok(migrated.body.migrated.includes('0001_create_tables'))
  t.strictSame((await json('migrate', '--json')).body, { migrated: [] })

  const chef = await json('user', 'add', 'chef', '--display-name', 'Die Chefin', '--admin', '--json')
  t.match(chef, { code: 0, body: { id: Number } })
  t.match(await json('user', 'list', '--json'), {
    body: { users: [{ id: chef.body.id, username: 'chef', display_name: 'Die Chefin', is_admin: true }] },
  })
  const checked = await json('import', '--check', '--json')
  t.match(checked, { code: 0, body: { decks: Number, cards: Number, cheatsheets: Number } })
  const imported = await json('import', '--json')
  t.equal(imported.body.stats.cards.created, checked.body.cards)

  const CONTENT_DIR = t.testdir({ decks: { 'a.md': '---\nname: A\nfalsch: 1\n---\n' } })
  const faulty = await run({ ...variables, CONTENT_DIR }, ['import', '--json'])
  t.equal(faulty.code, 1)
  t.match(JSON.parse(faulty.stdout), { errors: [{ file: 'decks/a.md', line: Number, message: String }] })
  t.match(faulty.stderr, /^Import abgebrochen: /)

  const { entries } = (await json('audit', '--json')).body
  t.match(entries, [
    { action: 'content.import', via: 'cli', actor: userInfo().username, actor_id: null },
    { action: 'user.create', target: 'chef', target_id: chef.body.id, details: { is_admin: true } },
  ])
  t.equal((await json('audit', '--limit', '1', '--json')).body.entries.length, 1)
  const lines = (await run(variables, ['audit'])).stdout.trimEnd().split('\n')
  t.match(lines[1], new RegExp(`^\\S+Z\t${userInfo().username}\tcli\tuser\\.create\tchef \\(${chef.body.id}\\)\t`))
})

t.test('the last administrator stays, other users may go', async (t) => {
  t.match(await run(variables, ['user', 'delete', 'chef']), {
    code: 1,
    stderr: 'Den letzten Administrator kann man nicht löschen\n',
  })
  t.equal((await run(variables, ['user', 'add', 'kurz'], '12345\n')).code, 1)
  t.equal(
    (await run(variables, ['user', 'add', 'anna'], 'geheim-genug\n')).stdout.startsWith('Benutzer erstellt'),
    true,
  )
  t.match(await run(variables, ['user', 'add', 'anna'], 'geheim-genug\n'), {
    code: 1,
    stderr: 'Benutzername existiert bereits\n',
  })
  const changed = await run(variables, ['user', 'password', 'anna'], 'ganz-neues\n')
  t.match(changed, { code: 0, stderr: '' })
  const common = await run(variables, ['user', 'password', 'anna'], 'passwort\n')
  t.match(common, { code: 0, stderr: /^Warnung: Dieses Passwort gehört zu den häufigsten/ })
  t.match(await run(variables, ['user', 'delete', 'anna']), { code: 0, stdout: 'Benutzer gelöscht: anna\n' })
  t.match(await run(variables, ['user', 'delete', 'anna']), { code: 1, stderr: 'Es gibt keinen Benutzer anna.\n' })
})

t.test('while the service holds the embedded store the API call is named', async (t) => {
  if (variables.DATABASE_URL !== undefined) return t.pass('a server serves both')
  const service = await startProcess(t, variables)
  for (const [args, call] of [
    [['user', 'list'], 'GET /api/admin/users'],
    [['user', 'password', 'chef'], 'PATCH /api/accounts/{id}'],
    [['audit'], 'GET /api/accounts/audit'],
    [['import'], 'POST /api/admin/import'],
  ] as const) {
    const { code, stderr } = await run(variables, [...args], 'geheim-genug\n')
    t.equal(code, 1)
    t.ok(stderr.includes(call), stderr)
  }
  t.match(await run(variables, ['import', '--check']), { code: 0 }, 'checking needs no store')
  await service.stop()
})
