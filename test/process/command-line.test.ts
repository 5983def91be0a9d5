import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import pg from 'pg'
import t from 'tap'
import { listSettings } from '../../src/settings.js'
import { ROOT } from '../support/constants.js'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createStoreVariables, loginOver, runCommand, shareProgram, startProcess } from '../support/process.js'
import { serveStore } from '../support/serve-store.js'

const folder = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'eins' }, { id: 'zwei' }]) })
const variables: Record<string, string> = { ...(await createStoreVariables(t, 'empty')), CONTENT_DIR: folder }
const store = await serveStore(t, variables)
const run = shareProgram(t)
const print = (...args: string[]) => run(store.variables(), args, 'geheim-genug\n')
const json = async (...args: string[]) => JSON.parse((await print(...args, '--json')).stdout)

t.test('prints version and help without a store', async (t) => {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  for (const flag of ['--version', '-V']) {
    t.strictSame(await runCommand({}, [flag]), { code: 0, stdout: `${version}\n`, stderr: '' })
  }
  const help = await runCommand({}, ['--help'])
  t.equal(help.code, 0)
  for (const word of [
    'Aufruf:',
    'Befehle:',
    'serve',
    'migrate',
    'import',
    'audit',
    'backup',
    'restore',
    'openapi',
    'user',
    'Rückgabewerte: 0',
  ]) {
    t.ok(help.stdout.includes(word), word)
  }
  for (const [name, { german }] of listSettings()) {
    t.match(help.stdout, new RegExp(`^  ${name} +\\S`, 'm'), name)
    t.ok(help.stdout.includes(german.text), name)
  }
  const secrets =
    'DATABASE_URL_FILE, SESSION_SECRET_FILE, ADMIN_PASSWORD_FILE, OIDC_CLIENT_SECRET_FILE, SMTP_PASSWORD_FILE:'
  t.match(help.stdout, secrets)
  for (const args of [
    ['help', 'import'],
    ['user', 'add', '--help'],
    ['audit', '-h'],
  ]) {
    const { code, stdout } = await runCommand({}, args)
    t.equal(code, 0, args.join(' '))
    t.match(stdout, '--json')
  }
})

t.test('prints help without loading the service', async (t) => {
  const script = `import { createRequire } from 'node:module'
    process.on('exit', () => console.error(Object.keys(createRequire('/').cache).join('\\n')))`
  const { stderr } = await runCommand({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }, [
    '--help',
  ])
  const packages = new Set([...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name))
  t.strictSame([...packages], ['commander'])
})

t.test('a wrong call exits with 2 and two German lines', async (t) => {
  const calls: [args: string[], line: string][] = [
    [['nonsense'], 'Unbekannter Befehl „nonsense“'],
    [['usre'], 'Unbekannter Befehl „usre“. Gemeint war vielleicht: user'],
    [['\u001b[2J'], 'Unbekannter Befehl „\\u001b[2J“'],
    [['serve', 'jetzt'], 'Zu viele Argumente: 1 statt 0'],
    [['import', '--chek'], 'Unbekannte Option „--chek“. Gemeint war vielleicht: --check'],
    [['user', 'nonsense'], 'Unbekannter Befehl „nonsense“'],
    [['user', 'add'], 'Es fehlt: <Benutzername>'],
    [['user', 'add', 'a', 'passwort-als-argument'], 'Zu viele Argumente: 2 statt 1'],
    [['audit', '--limit'], 'Der Option „--limit <Anzahl>“ fehlt ihr Wert'],
    [
      ['audit', '--limit', '0'],
      'Option „--limit <Anzahl>“: „0“ geht nicht. Erwartet wird eine ganze Zahl von 1 bis 100000.',
    ],
  ]
  for (const [args, line] of calls) {
    t.strictSame(await run({}, args), { code: 2, stdout: '', stderr: `${line}\nHilfe: svc-training --help\n` })
  }
  const { code, stderr } = await run({}, ['user'])
  t.equal(code, 2)
  t.match(stderr, /^Aufruf: svc-training user \[Optionen\] \[Befehl\]\n/)
})

t.test('a wrong setting exits with 1 and one line', async (t) => {
  const refused = await run({ ...variables, PORT: 'abc' }, ['user', 'list'])
  t.match(refused, { code: 1, stdout: '', stderr: /^PORT: [^\n]+\n$/ })
  if (variables.DATABASE_URL !== undefined) return
  const nowhere = await run({ ...variables, DATA_DIR: '/proc/x' }, ['user', 'list'])
  t.match(nowhere, { code: 1, stdout: '', stderr: /^DATA_DIR: [^\n]*\/proc\/x[^\n]+\n$/ })
})

t.test('migrates the schema', async (t) => {
  t.ok((await json('migrate')).migrated.includes('0001_users'))
  t.match(await print('migrate'), { code: 0, stdout: 'Das Schema ist aktuell.\n' })
})

t.test('adds and lists users and sets passwords', async (t) => {
  const chef = await json('user', 'add', 'chef', '--display-name', 'Die Chefin', '--admin')
  t.match(await print('user', 'add', 'anna'), { code: 0, stdout: /^Benutzer erstellt: anna \(\d+\)\n$/ })
  t.match(await print('user', 'add', 'anna'), { code: 1, stderr: 'Benutzername existiert bereits\n' })
  t.match(await run(store.variables(), ['user', 'add', 'kurz'], '12345\n'), {
    code: 1,
    stderr: 'Passwort muss mindestens 6 Zeichen haben\n',
  })
  t.match(await json('user', 'list'), {
    users: [{ id: chef.id, username: 'chef', display_name: 'Die Chefin', is_admin: true }, { username: 'anna' }],
  })
  t.match((await print('user', 'list')).stdout, /\tchef\tDie Chefin\tAdministrator\n\d+\tanna\tanna\tBenutzer\n/)
  t.match(await print('user', 'password', 'niemand'), { code: 1, stderr: /keinen Benutzer niemand/ })
  t.match(await run(store.variables(), ['user', 'password', 'anna'], 'passwort\n'), {
    code: 0,
    stdout: 'Passwort geändert: anna\n',
    stderr: /^Warnung: Dieses Passwort gehört zu den häufigsten/,
  })
  t.strictSame(await json('user', 'password', 'chef'), { id: chef.id })
})

t.test('grants and withdraws the right to write content', async (t) => {
  t.match(await print('user', 'author', 'anna'), { code: 0, stdout: 'Darf Inhalte schreiben: anna\n' })
  t.match((await print('user', 'list')).stdout, /\tanna\tanna\tAutor\n/)
  t.match(await json('user', 'author', 'anna', '--off'), { is_author: false })
  t.match((await json('user', 'list')).users.at(-1), { username: 'anna', is_author: false })
  t.match((await json('audit', '--limit', '2')).entries, [
    { target: 'anna', action: 'user.update', details: { fields: ['is_author'], is_author: false } },
    { target: 'anna', action: 'user.update', details: { fields: ['is_author'], is_author: true } },
  ])
  t.match(await print('user', 'author', 'niemand'), { code: 1, stderr: /keinen Benutzer niemand/ })
})

t.test('makes a user an auditor and withdraws the role', async (t) => {
  t.match(await print('user', 'auditor', 'anna', '--until', '2999-12-31'), { stdout: 'Prüfer bis 2999-12-31: anna\n' })
  t.match((await print('user', 'list')).stdout, /\tBenutzer\tPrüfer bis 2999-12-31\n/)
  t.match(await json('user', 'auditor', 'anna'), { is_auditor: true, auditor_until: null })
  t.match(await json('user', 'auditor', 'anna', '--off'), { is_auditor: false, auditor_until: null })
  t.match(await print('user', 'auditor', 'anna', '--until', 'bald'), { code: 1, stderr: /auditor_until/ })
})

t.test('disables an account from a given day on and enables it again', async (t) => {
  t.match(await print('user', 'disable', 'anna', '--from', '2999-12-31'), {
    code: 0,
    stdout: 'Deaktiviert ab 2999-12-31: anna\n',
  })
  t.match((await print('user', 'list')).stdout, /\tanna\tanna\tBenutzer\tdeaktiviert ab 2999-12-31\n/)
  const today = await run({ ...store.variables(), SIMULATED_DATE: '2030-05-01' }, ['user', 'disable', 'anna', '--json'])
  t.match(JSON.parse(today.stdout), { id: Number, disabled_on: '2030-05-01' })
  t.match(await print('user', 'disable', 'anna', '--off'), { code: 0, stdout: 'Nicht mehr deaktiviert: anna\n' })
  t.match((await json('user', 'list')).users.at(-1), { username: 'anna', disabled_on: null })
  t.match(await print('user', 'email', 'anna', 'anna@example.org'), {
    code: 0,
    stdout: 'E-Mail-Adresse anna@example.org: anna\n',
  })
  t.match((await print('user', 'list')).stdout, /\tanna\tanna\tBenutzer\tanna@example\.org\n/)
  t.match(await print('user', 'email', 'anna', 'anna'), { code: 1, stderr: /muss eine E-Mail-Adresse sein/ })
  t.match(await print('user', 'email', 'anna'), { code: 1, stderr: 'Erwartet wird eine Adresse oder --off.\n' })
  t.match(await json('user', 'email', 'anna', '--off'), { id: Number, email: null })
  t.match(await print('user', 'personnel-number', 'anna', '00417'), { code: 0, stdout: 'Personalnummer 00417: anna\n' })
  t.match(await json('user', 'personnel-number', 'anna', '--off'), { id: Number, personnel_number: null })
  t.match(await print('user', 'disable', 'anna', '--from', '30.2.2027'), { code: 1, stderr: /muss ein Tag sein/ })
  t.match(await print('user', 'disable', 'chef'), {
    code: 1,
    stderr: 'Den letzten Administrator kann man nicht deaktivieren\n',
  })
})

t.test('manages teams and their members', async (t) => {
  t.match(await print('team', 'add', 'Werkstatt', '--group', 'g-1'), { stdout: /^Team angelegt: Werkstatt \(\d+\)\n$/ })
  t.match(await print('team', 'add', ' Werkstatt'), { code: 1, stderr: /gibt es schon/ })
  t.match(await print('team', 'member', 'Werkstatt', 'anna', '--lead'), {
    code: 0,
    stdout: 'Leitet jetzt das Team Werkstatt: anna\n',
  })
  t.match((await print('team', 'list')).stdout, /^\d+\tWerkstatt\t1\tg-1\n$/)
  t.match((await print('team', 'list', 'Werkstatt')).stdout, /^\d+\tanna\tanna\tLeitung\n$/)
  t.match(await json('team', 'member', 'Werkstatt', 'anna', '--off'), { role: null })
  t.strictSame(await json('team', 'list', 'Werkstatt'), { members: [] })
  t.match(await print('team', 'release', 'Werkstatt'), { code: 0, stdout: 'Nicht mit SCIM verbunden: Werkstatt\n' })
  t.match(await json('team', 'release', 'Werkstatt'), { released: false })
  const client = new pg.Client(store.variables().DATABASE_URL)
  await client.connect()
  await client.query("update teams set external_group = null, scim_state = 'bound' where name = 'Werkstatt'")
  await client.end()
  t.match(await print('team', 'release', 'Werkstatt'), { code: 0, stdout: 'Von SCIM gelöst: Werkstatt\n' })
  t.match(await print('team', 'release', 'Lager'), { code: 1, stderr: 'Es gibt kein Team Lager.\n' })
  t.match(await print('team', 'delete', 'Werkstatt'), { code: 0, stdout: 'Team gelöscht: Werkstatt\n' })
  t.match(await print('team', 'delete', 'Werkstatt'), { code: 1, stderr: 'Es gibt kein Team Werkstatt.\n' })
})

t.test('sets a password for the first login only', async (t) => {
  const { id } = await json('user', 'add', 'neu', '--must-change')
  t.strictSame(await json('user', 'password', 'neu', '--must-change'), { id })
  const { entries } = await json('audit', '--limit', '2')
  t.match(entries, [
    { target: 'neu', action: 'user.password', details: { fields: ['password', 'must_change_password'] } },
    { target: 'neu', action: 'user.create', details: { is_admin: false, must_change_password: true } },
  ])
})

t.test('shows and ends sessions and tokens of a user', async (t) => {
  t.strictSame(await json('user', 'sessions', 'anna'), { sessions: [] })
  t.strictSame(await json('user', 'tokens', 'anna'), { tokens: [] })
  t.strictSame(await json('user', 'sessions', 'anna', '--end'), { ended: 0 })
  t.match(await print('user', 'tokens', 'anna', '--end', '7'), { code: 0, stdout: 'API-Token gelöscht: 0\n' })
  t.match(await print('user', 'tokens', 'anna', '--end', 'x'), { code: 1, stderr: 'Ungültige Token-ID\n' })
  t.match(await print('user', 'sessions', 'niemand'), { code: 1, stderr: 'Es gibt keinen Benutzer niemand.\n' })
})

t.test('creates a token for SCIM, prints only it, and names service tokens that end', async (t) => {
  const { code, stdout, stderr } = await print('token', 'scim')
  t.strictSame([code, stderr], [0, ''])
  t.match(stdout, /^svct_[\w-]{43}\n$/)
  const { entries } = await json('audit', '--limit', '1')
  t.match(entries, [
    { action: 'token.create', via: 'cli', target: /^SCIM \(Kommandozeile, \d{4}-\d{2}-\d{2}T[\d:.]+Z\)$/ },
  ])
  const { owner } = entries[0].details
  const [token] = (await json('user', 'tokens', owner)).tokens
  t.match(token, { name: entries[0].target, scopes: ['scim'], expires_at: null })
  await json('user', 'add', 'zweite', '--admin')
  const disabled = await print('user', 'disable', owner, '--from', '2999-12-31')
  const line = `Dienst-Token endet: ${token.name} (${token.id})\n`
  t.match(disabled, { code: 0, stdout: `Deaktiviert ab 2999-12-31: ${owner}\n${line}` })
  const again = await json('user', 'disable', owner, '--from', '2999-12-31')
  t.strictSame(again.service_tokens, [{ id: token.id, name: token.name }])
  await json('user', 'disable', owner, '--off')
  await json('user', 'delete', 'zweite')
})

t.test('escapes names that would control the terminal or the layout', async (t) => {
  const name = '\u001b[31mrot\u009b\n1\tadmin\u202e'
  const shown = '\\u001b[31mrot\\u009b\\u000a1\\u0009admin\\u202e'
  t.match(await print('user', 'add', name), {
    code: 1,
    stderr: 'Das Feld „username“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten\n',
  })
  // A name from a version that accepted control characters.
  const client = new pg.Client(store.variables().DATABASE_URL)
  await client.connect()
  await client.query('insert into users (username, display_name, password_hash) values ($1, $1, null)', [name])
  await client.end()
  const { stdout } = await print('user', 'list')
  t.ok(stdout.includes(`\t${shown}\t${shown}\tBenutzer\n`), JSON.stringify(stdout))
  t.equal((await json('user', 'list')).users.at(-1).username, name, 'machine-readable output has the unchanged name')
  t.match(await run(store.variables(), ['user', 'password', '\u001b[31m\n'], 'geheim-genug\n'), {
    code: 1,
    stderr: 'Es gibt keinen Benutzer \\u001b[31m\\u000a.\n',
  })
  await json('user', 'delete', name)
})

t.test('reports an unwritable backup in one line and is silent after a closed pipe', async (t) => {
  t.strictSame(await print('backup', '/does/not/exist'), {
    code: 1,
    stdout: '',
    stderr: 'Die Datei /does/not/exist lässt sich nicht schreiben (ENOENT).\n',
  })
  t.strictSame(await runCommand(store.variables(), ['backup', '-'], '', { closeOutput: true }), {
    code: 1,
    stdout: '',
    stderr: '',
  })
})

t.test('checks and imports content', async (t) => {
  t.match(await print('import', '--check'), { code: 0, stdout: 'In Ordnung: 1 Decks, 2 Karten, 0 Cheat Sheets\n' })
  t.match(await json('import', '--check'), {
    decks: 1,
    cards: 2,
    cheatsheets: 0,
    plan: { cards: { created: 2 } },
    warnings: { length: 0 },
  })
  t.match(await print('import'), { code: 0, stdout: /Karten: 2 neu, 0 geändert, 0 unverändert, 0 archiviert/ })
  t.match(await json('import'), { stats: { cards: { created: 0, unchanged: 2 } } })

  await changeFiles(folder, { 'decks/sub/x.md': 'nicht gelesen' })
  const message = 'Nicht eingelesen: die Dateien liegen unmittelbar in decks/'
  for (const args of [['--check'], []]) {
    t.match(await print('import', ...args), { code: 0, stderr: `decks/sub/x.md:1: Warnung: ${message}\n` })
  }
  const warnings = [{ file: 'decks/sub/x.md', line: 1, message }]
  t.strictSame((await json('import', '--check')).warnings, warnings)
  t.strictSame((await json('import')).stats.warnings, warnings)
  await changeFiles(folder, { 'decks/sub/x.md': null })

  await changeFiles(folder, { 'decks/git.md': deckFile('Git', [{ id: 'eins' }, { id: 'eins' }]) })
  for (const args of [['--check'], []]) {
    const { code, stderr } = await print('import', ...args)
    t.equal(code, 1)
    t.match(stderr, /^decks\/git\.md:\d+: .*\nImport abgebrochen: 1 Fehler in den Inhalten\n$/)
  }
  const told = await print('import', '--json')
  t.match(JSON.parse(told.stdout), { errors: [{ file: 'decks/git.md', line: Number, message: String }] })
  t.match(told, { code: 1, stderr: /^Import abgebrochen: / })
})

t.test('names the API call while the service holds the embedded store', async (t) => {
  await store.close()
  const service = await startProcess(t, variables)
  const send = await loginOver(service.url, { username: 'anna', password: 'passwort' })
  t.equal((await send('/api/decks')).status, 200)
  if (variables.DATABASE_URL === undefined) {
    for (const [args, call] of [
      [['user', 'list'], 'GET /api/accounts'],
      [['user', 'password', 'chef'], 'PATCH /api/accounts/{id}'],
      [['user', 'delete', 'chef'], 'DELETE /api/admin/users/{id}'],
      [['audit'], 'GET /api/accounts/audit'],
      [['import'], 'POST /api/admin/import'],
    ] as const) {
      const { code, stderr } = await print(...args)
      t.equal(code, 1)
      t.ok(stderr.includes(call), stderr)
    }
    t.match(await print('import', '--check'), { code: 1, stderr: /git\.md:\d+/ }, 'checking needs no store')
  }
  t.equal(await service.stop(), 0)
})

t.test('keeps the last administrator and deletes other users', async (t) => {
  t.match(await print('user', 'delete', 'chef'), {
    code: 1,
    stderr: 'Den letzten Administrator kann man nicht löschen\n',
  })
  const { id } = await json('user', 'add', 'otto')
  t.strictSame(await json('user', 'delete', 'otto'), { id })
  t.match(await print('user', 'delete', 'anna'), { code: 0, stdout: 'Benutzer gelöscht: anna\n' })
  t.match(await print('user', 'delete', 'anna'), { code: 1, stderr: 'Es gibt keinen Benutzer anna.\n' })
})

t.test('shows the audit trail', async (t) => {
  const { entries } = await json('audit')
  const actions: string[] = entries.map(({ action }: { action: string }) => action)
  t.strictSame(
    actions.filter((action) => action !== 'content.import'),
    [
      ...['user.delete', 'user.delete', 'user.create'],
      ...['user.delete', 'user.delete', ...Array(3).fill('user.update'), 'user.create', 'token.create'],
      ...['user.password', 'user.create'],
      ...['team.delete', 'team.update', 'team.leave', 'team.join', 'team.create', ...Array(12).fill('user.update')],
      ...['user.password', 'user.password', 'user.create', 'user.create'],
    ],
  )
  t.ok(actions.includes('content.import'))
  t.match(entries.at(-1), { via: 'cli', actor: userInfo().username, actor_id: null, details: { is_admin: true } })
  t.equal((await json('audit', '--limit', '1')).entries.length, 1)
  const lines = (await print('audit')).stdout.trimEnd().split('\n')
  t.match(lines.at(-1), new RegExp(`^\\S+Z\t${userInfo().username}\tcli\tuser\\.create\tchef \\(\\d+\\)\t`))
})

t.test('webhooks are added, listed, tested and removed', async (t) => {
  const url = 'https://hr.example.org/hooks/geheim'
  const added = await run(
    store.variables(),
    ['webhook', 'add', 'Personal', '--event', 'proof.issued', '--json'],
    `${url}\n`,
  )
  const { id, secret } = JSON.parse(added.stdout)
  t.match(secret, /^whsec_/)
  const shown = await print('webhook', 'add', 'Kanal', 'https://teams.example.org/x', '--teams', '--names')
  t.match(shown, { code: 0, stdout: /^Webhook angelegt: Kanal \(\d+\), an teams\.example\.org\n.*whsec_/ })
  const { stdout } = await print('webhook', 'list')
  t.match(stdout, `${id}\tPersonal\thr.example.org\tstandard\taktiv\t0\tproof.issued\n`)
  t.notMatch(stdout, /geheim|whsec_/)
  t.match(await json('webhook', 'list'), { webhooks: [{ name: 'Kanal', kind: 'teams', include_names: true }, { id }] })
  for (const [args, stderr] of [
    [['add', 'x', 'http://hr.example.org/'], /muss mit https:\/\/ beginnen/],
    [['add', 'x', 'https://127.0.0.1/'], /WEBHOOK_ALLOW nicht nennt/],
    [['add', 'x', url, '--event', 'user.login'], /Das Ereignis user\.login gibt es nicht/],
    [['test', '2147483647'], /Diesen Webhook gibt es nicht/],
    [['remove', 'x'], /Die Nummer eines Webhooks ist eine ganze Zahl/],
  ] as const) {
    t.match(await print('webhook', ...args), { code: 1, stderr }, args.join(' '))
  }
  const unknown = await run(store.variables(), ['webhook', 'add', 'Niemand', 'https://name.invalid/', '--json'])
  const test = await print('webhook', 'test', String(JSON.parse(unknown.stdout).id))
  t.match(test, { code: 1, stdout: '', stderr: /^(Den Namen des Empfängers gibt es nicht|Der Empfänger)/ })
  t.match(await print('webhook', 'remove', String(id)), { code: 0, stdout: 'Webhook gelöscht: Personal\n' })
  t.equal((await json('webhook', 'list')).webhooks.length, 2)
})
