import { stat } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { calendarIn } from '../../src/domain/time/calendar.js'
import { SECRET } from '../support/constants.js'
import { deckFile, writeContentFolder } from '../support/content.js'
import { TEST_DATABASE_URL } from '../support/database.js'
import {
  createStoreVariables,
  firstLogin,
  loginOver,
  runCommand,
  shareProgram,
  startProcess,
} from '../support/process.js'

/** Small content folder for tests that do not depend on the content; the shipped content takes longer to import */
const small = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'eins' }]) })

t.test('the first start prepares everything, and the next one reuses it', async (t) => {
  const variables = await createStoreVariables(t, 'empty')
  const first = await startProcess(t, variables)
  t.match(first.output(), /Inhalte importiert: \d+ Decks, \d+ Karten, \d+ Cheat Sheets, 7 Tests$/m)
  const login = firstLogin(first, variables)
  const send = await loginOver(first.url, login)
  const { decks } = (await (await send('/api/decks')).json()) as { decks: unknown[] }
  t.ok(decks.length >= 6)
  t.equal((await send('/api/quiz/submit', { body: { total: 4, correct: 3 } })).status, 200)
  t.equal(await first.stop('SIGINT'), 0, 'Ctrl-C is a clean end')

  const second = await startProcess(t, variables)
  t.notMatch(second.output(), /Passwort|importiert/)
  const again = await loginOver(second.url, login)
  t.match(await (await again('/api/quiz/history')).json(), { results: [{ score_percent: 75 }] })
  t.equal(await second.stop('SIGTERM'), 0)
})

t.test(
  'the embedded store is private and used by one process',
  { skip: TEST_DATABASE_URL !== undefined && 'no embedded store' },
  async (t) => {
    const variables: Record<string, string> = { ...(await createStoreVariables(t)), CONTENT_DIR: small }
    const service = await startProcess(t, variables)
    const secret = await stat(path.join(variables.DATA_DIR as string, 'session-secret'))
    t.equal(secret.mode & 0o777, 0o600)
    const second = await runCommand(variables, ['serve'])
    t.equal(second.code, 1)
    t.match(second.stderr, /schon von einem laufenden Prozess benutzt/)
    await service.stop('SIGKILL')
    const after = await startProcess(t, variables)
    t.equal(await after.stop(), 0, 'a start right after SIGKILL works')
  },
)

t.test('faulty content is reported and leaves the store empty while the service runs', async (t) => {
  const folder = await writeContentFolder(t, {
    'decks/gut.md': deckFile('Gut', [{ id: 'eins' }]),
    'decks/schlecht.md': '---\nfarbe: rot\n---\n',
  })
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR: folder }
  const service = await startProcess(t, variables)
  t.match(service.output(), /decks\/schlecht\.md:2: /)
  const send = await loginOver(service.url, firstLogin(service, variables))
  t.strictSame(await (await send('/api/decks')).json(), { decks: [] })
  await service.stop()
})

t.test('the first import reports ignored files', async (t) => {
  const folder = await writeContentFolder(t, {
    'decks/gut.md': deckFile('Gut', [{ id: 'eins' }]),
    'decks/mehr/git.md': deckFile('Git', [{ id: 'eins' }]),
  })
  const service = await startProcess(t, { ...(await createStoreVariables(t)), CONTENT_DIR: folder })
  t.match(service.output(), /^decks\/mehr\/git\.md:1: Warnung: Nicht eingelesen: \S/m)
  t.match(service.output(), /^Inhalte importiert: 1 Decks, 1 Karten, 0 Cheat Sheets$/m)
  await service.stop()
})

t.test('the start names the time zone of the service', async (t) => {
  for (const zone of ['Europe/Berlin', undefined]) {
    const { TIME_ZONE: _, ...variables } = await createStoreVariables(t)
    const zones = zone === undefined ? { TZ: 'UTC' } : { TIME_ZONE: zone, TZ: 'UTC' }
    const service = await startProcess(t, { ...variables, ...zones, CONTENT_DIR: small })
    t.match(service.output(), new RegExp(`^Zeitzone: ${zone ?? 'UTC'}; .*TIME_ZONE`, 'm'))
    await service.stop()
  }
})

t.test('a wrong setting stops the start with one line that names it', async (t) => {
  const variables = await createStoreVariables(t)
  const run = shareProgram(t)
  for (const [name, value] of [
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['DATABASE_POOL_MAX', '0'],
    ['SESSION_SECRET', `${SECRET},short`],
    ['CONTENT_DIR', '/does/not/exist'],
    ['TIME_ZONE', 'Mars/Olympus'],
    ['TRUST_PROXY', '1'],
    ['ADMIN_PASSWORD', 'kurz'],
    ['DATA_DIR', process.execPath],
    ['TMP_DIR', process.execPath],
    ['TMP_DIR', '/proc/missing'],
    ['TMP_DIR', '/proc'],
  ] as const) {
    if (name === 'DATA_DIR' && TEST_DATABASE_URL !== undefined) continue
    const first = { ADMIN_USERNAME: 'admin', ADMIN_PASSWORD: 'admin-passwort' }
    const { code, stderr, stdout } = await run({ ...variables, ...first, [name]: value }, ['serve'])
    t.equal(code, 1)
    t.match(stderr, new RegExp(`^${name}: [^\n]+\n$`))
    if (name === 'TMP_DIR') t.ok(stderr.includes(` ${value} `), 'names the folder')
    t.equal(stdout, '')
  }
  const { SESSION_SECRET: _, ...secretless } = variables
  const unreachable = { ...secretless, DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }
  t.match(await run(unreachable, ['serve']), { code: 1, stderr: /^SESSION_SECRET: [^\n]+\n$/ })
  t.match(await run({ ...unreachable, SESSION_SECRET: SECRET }, ['serve']), {
    code: 1,
    stderr: /^Die Datenbank ist nicht erreichbar: [^\n]+\n$/,
  })
})

t.test('an unusable address stops the start with one line that names the setting', async (t) => {
  const running = await startProcess(t, { ...(await createStoreVariables(t)), CONTENT_DIR: small })
  const run = shareProgram(t)
  const { port } = new URL(running.url)
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR: small }
  for (const [wrong, line] of [
    [{ PORT: port }, `HOST oder PORT: 127.0.0.1:${port} ist nicht benutzbar (EADDRINUSE)\n`],
    [{ METRICS_PORT: port }, `METRICS_PORT: 127.0.0.1:${port} ist nicht benutzbar (EADDRINUSE)\n`],
  ] as const) {
    t.strictSame(await run({ ...variables, ...wrong }, ['serve']), { code: 1, stdout: '', stderr: line })
  }
  const { code, stderr } = await run({ ...variables, HOST: 'host.invalid' }, ['serve'])
  t.equal(code, 1)
  t.match(stderr, /^HOST oder PORT: host\.invalid:0 ist nicht benutzbar \((ENOTFOUND|EAI_AGAIN)\)\n$/)
  await running.stop()
  const first = await startProcess(t, variables)
  if (!TEST_DATABASE_URL)
    t.match(first.output(), /Passwort \S+\n/, 'the first password is shown only by a successful start')
  await first.stop()
})

t.test(
  'several instances can start at once on an empty database',
  { skip: !TEST_DATABASE_URL && 'needs a server' },
  async (t) => {
    const variables = await createStoreVariables(t)
    const instances = await Promise.all([1, 2, 3].map(() => startProcess(t, variables)))
    t.equal(instances.filter(({ output }) => /importiert/.test(output())).length, 1)
    const login = { username: 'admin', password: 'admin-passwort' }
    const [send] = await Promise.all(instances.map(({ url }) => loginOver(url, login)))
    if (send === undefined) throw new Error('no instance')
    const { users } = (await (await send('/api/admin/users')).json()) as { users: unknown[] }
    t.equal(users.length, 1)
    await Promise.all(instances.map((instance) => instance.stop()))
  },
)

t.test(
  'without any user, one line says how to create one',
  { skip: !TEST_DATABASE_URL && 'the embedded mode creates one' },
  async (t) => {
    const { ADMIN_USERNAME: _, ADMIN_PASSWORD: __, ...variables } = await createStoreVariables(t)
    const service = await startProcess(t, variables)
    t.match(service.output(), /Es gibt noch keinen Benutzer: .*user add/)
    await service.stop()
  },
)

t.test('SIMULATED_DATE: service and commands use another day, and the start logs a warning', async (t) => {
  const variables = await createStoreVariables(t)
  const mail = { SMTP_HOST: '127.0.0.1', SMTP_FROM: 'training@example.org' }
  const service = await startProcess(t, { ...variables, ...mail, CONTENT_DIR: small, SIMULATED_DATE: '2027-01-01' })
  t.match(service.output(), /^Achtung: Der Dienst läuft zum Ausprobieren mit dem Datum 2027-01-01/m)
  t.match(service.output(), /^Achtung: Es gehen keine Erinnerungen hinaus, weil PUBLIC_URL fehlt/m)
  const send = await loginOver(service.url, firstLogin(service, variables))
  const { today } = (await (await send('/api/review/stats')).json()) as { today: string }
  t.match(today, /^2027-01-0[12]$/, 'the second date if midnight passes in between')
  const state = await send('/api/accounts/service')
  t.match(await state.json(), { simulated_date: '2027-01-01' })
  t.match(calendarIn('Europe/Berlin')(new Date(state.headers.get('x-service-time') ?? '')), /^2027-01-0[12]$/)
  t.equal(await service.stop('SIGTERM'), 0)
  // Checks the output after the service has ended, because these log entries may follow the line with the address.
  t.match(service.output(), /"simulatedDate":"2027-01-01"/)
  t.match(service.output(), /"msg":"no mail is planned: SMTP_HOST is set, PUBLIC_URL is not"/)
})
