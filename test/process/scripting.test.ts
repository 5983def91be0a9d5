import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { ROOT } from '../support/constants.js'
import { gifOf, targetOf } from '../support/pictures.js'
import { createStoreVariables, startProcess } from '../support/process.js'

/** Recipes of docs/scripting.md; each runs unchanged in a separate shell */
const recipes = readRecipes()
const folder = t.testdir({
  'login.json': JSON.stringify({ username: 'chef', password: 'streng-geheim' }),
  'password.json': JSON.stringify({ password: 'ganz "neu"' }),
  'users.csv':
    'P-1;erika;Erika "die Schnelle" Müller;geheim\\1\r\nP-2;otto;Otto Normal;geheim-2\nP-2#b;anna;Anna;geheim-3\nP-3;kurz;Kurz;123\n',
  bin: { 'svc-training': `#!/bin/sh\nexec "${process.execPath}" "${ROOT}dist/src/cli.js" "$@"\n` },
  origin: { decks: { 'eins.md': deck('Eins', 'Eine Frage') }, cheatsheets: {} },
})
await mkdir(`${folder}/origin/cheatsheets`, { recursive: true })
execFileSync('chmod', ['+x', `${folder}/bin/svc-training`])
writeFileSync(`${folder}/origin/cheatsheets/stash.md`, '# Stash\n\nMit `git stash` legt man Änderungen beiseite.\n')
const hasBsdtar = spawnSync('bsdtar', ['--version']).status === 0
// Without bsdtar, a substitute script unpacks standard input into the folder that the recipe names.
if (!hasBsdtar) {
  const unpack = `import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { unzip } from '${ROOT}dist/test/support/packages.js'
for (const [name, bytes] of await unzip(await buffer(process.stdin))) {
  const file = path.join(process.argv[2], name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, bytes)
}
`
  writeFileSync(`${folder}/unpack.mjs`, unpack)
  writeFileSync(`${folder}/bin/bsdtar`, `#!/bin/sh\nexec "${process.execPath}" "${folder}/unpack.mjs" "$4"\n`, {
    mode: 0o755,
  })
}
const git = (...args: string[]) =>
  execFileSync('git', ['-C', `${folder}/origin`, '-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args])
git('init', '--quiet')
git('add', '.')
git('commit', '--quiet', '-m', 'one deck')
execFileSync('git', ['clone', '--quiet', `${folder}/origin`, `${folder}/checkout`])

const CONTENT_DIR = `${folder}/checkout`
const service = await startProcess(t, {
  ...(await createStoreVariables(t)),
  CONTENT_DIR,
  ADMIN_USERNAME: 'chef',
  ADMIN_PASSWORD: 'streng-geheim',
})

const follow = async (title: string) => {
  const script = recipes.get(title)
  if (script === undefined) throw new Error(`no such recipe: ${title}`)
  recipes.delete(title)
  const { HOME = '/' } = process.env
  const child = spawn('sh', ['-eu', '-c', script], {
    cwd: folder,
    env: { PATH: `${folder}/bin:${process.env.PATH}`, HOME, LANG: 'C.UTF-8', BASE: service.url, CONTENT_DIR },
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  if (child.exitCode === null) await once(child, 'exit')
  return { status: child.exitCode, stdout, stderr }
}
const header = () => readFileSync(`${folder}/token.header`, 'utf8')
const login = async (username: string, password: string) => {
  const body = JSON.stringify({ username, password })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${service.url}/api/auth/login`, { method: 'POST', body, headers })).status
}

t.test('the recipes for readiness and tokens work', async (t) => {
  t.match(await follow('Wait until the service is ready'), { status: 0, stderr: '' })
  t.match(await follow('Create a token'), { status: 0, stdout: '', stderr: '' })
  const first = header()
  t.match(first, /^Authorization: Bearer svct_[\w-]{43}\n?$/)
  t.equal(statSync(`${folder}/token.header`).mode & 0o077, 0, 'only its owner can read it')
  const me = await follow('Check a token')
  t.equal(JSON.parse(me.stdout).user.username, 'chef')

  t.match(await follow('Rotate a token'), { status: 0, stdout: '', stderr: '' })
  t.not(header(), first)
  const headers = { authorization: first.slice('Authorization: '.length).trim() }
  t.equal((await fetch(`${service.url}/api/auth/me`, { headers })).status, 401, 'the old token is invalid')
  t.notOk(existsSync(`${folder}/session.cookie`))
})

t.test('the recipes for users work', async (t) => {
  const script = recipes.get('Create and update users from a CSV file') as string
  const created = await follow('Create and update users from a CSV file')
  t.match(created, {
    status: 0,
    stdout: 'created: erika\ncreated: otto\ncreated: anna\n',
    stderr: /^refused: kurz: .*mindestens 6/,
  })
  recipes.set('again', script)
  t.match(await follow('again'), { status: 0, stdout: 'up to date: erika\nup to date: otto\nup to date: anna\n' })
  t.equal(await login('erika', 'geheim\\1'), 200)

  t.match(await follow('List users, one per line'), { status: 0, stdout: /^1;chef\n\d+;erika\n\d+;otto\n\d+;anna\n?$/ })
  t.match(await follow('Create all users of a CSV file, or none'), { status: 0, stdout: '', stderr: '' })
  const list = (name: string) => JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')).users
  t.match(list('preview'), [
    { line: 2, id: null, password: null },
    { line: 3, is_admin: true },
  ])
  t.equal(await login('lena', list('created')[0].password), 200)
  const changed = await follow('Set a forgotten password')
  t.match(JSON.parse(changed.stdout), { user: { username: 'erika', display_name: 'Erika "die Schnelle" Müller' } })
  t.equal(await login('erika', 'ganz "neu"'), 200)
  t.match(await follow('Delete a user'), { status: 0, stdout: '{"ok":true}' })
  t.equal(await login('otto', 'geheim-2'), 401)
})

t.test('the recipes for content work', async (t) => {
  writeFileSync(`${folder}/origin/decks/zwei.md`, deck('Zwei', 'Noch eine'))
  git('add', '.')
  git('commit', '--quiet', '-m', 'another deck')
  t.match(await follow('Check content before it is merged'), { status: 0, stdout: /^In Ordnung: 1 Decks, 1 Karten/ })
  const imported = await follow('Import every night from a git checkout')
  t.equal(imported.status, 0, imported.stderr)
  t.match(JSON.parse(imported.stdout), { stats: { decks: { created: 1, unchanged: 1 } } })
  t.equal((await follow('Export all cards for Anki')).status, 0)
  t.match(readFileSync(`${folder}/cards.txt`, 'utf8'), /^Eine Frage\t.*\nNoch eine\t.*\tsvc-training::Zwei\t/)
  const found = await follow('Search the cheat sheets')
  t.match(JSON.parse(found.stdout), { query: 'git stash', cheatsheets: [{ slug: 'stash' }] })
  const hits = await follow('Search in decks, sheets and cards')
  t.match(JSON.parse(hits.stdout), { query: 'git stash', results: [{ kind: 'cheatsheet', slug: 'stash' }] })

  const picture = gifOf('Plan')
  writeFileSync(`${folder}/plan.gif`, picture)
  const written = await follow('Write a cheat sheet')
  const content_md = `# Bereitschaft\n\n![Plan der Woche](${targetOf(picture)})\n`
  t.match(JSON.parse(written.stdout), { sheet: { slug: 'bereitschaft', version: 1, content_md } })
  const changed = await follow('Change a cheat sheet')
  t.match(JSON.parse(changed.stdout), { sheet: { version: 2, content_md: '# Bereitschaft\n\nDiese Woche: Erika\n' } })

  const keep = recipes.get('Keep a source in a Git repository') as string
  const log = () => execFileSync('git', ['-C', `${folder}/kept`, 'log', '--format=', '--name-status']).toString()
  t.match(await follow('Keep a source in a Git repository'), { status: 0, stdout: '', stderr: '' })
  t.equal(log(), 'A\tcheatsheets/bereitschaft.md\n')
  t.match(
    readFileSync(`${folder}/kept/cheatsheets/bereitschaft.md`, 'utf8'),
    /\n---\n# Bereitschaft\n\nDiese Woche: Erika\n$/,
  )
  recipes.set('keep again', keep)
  t.match(await follow('keep again'), { status: 0, stderr: '' })
  t.equal(log(), 'A\tcheatsheets/bereitschaft.md\n', 'unchanged content makes no commit')
})

t.test('the recipes for audits, own data, teams and assignments work', async (t) => {
  const { entries } = JSON.parse((await follow('Read the audit trail')).stdout)
  const imports = entries.filter(({ action }: { action: string }) => action === 'content.import')
  t.match(imports, [{ action: 'content.import', actor: 'chef', via: 'token' }])
  t.equal((await follow('Save all data of your account')).status, 0)
  t.match(JSON.parse(readFileSync(`${folder}/my-data.json`, 'utf8')), { user: { username: 'chef' } })
  t.match(await follow('Let a user write content'), { status: 0, stdout: '{"ok":true}', stderr: '' })
  const left = await follow('Disable the account of a person who leaves')
  t.match({ ...left, stdout: JSON.parse(left.stdout) }, { status: 0, stdout: { user: { username: 'erika' } } })
  t.equal(await login('erika', 'ganz "neu"'), 401)
  writeFileSync(`${folder}/teams.csv`, 'T-1;Werkstatt;P-4;lead\nT-1;Werkstatt;P-5;member\n')
  t.match(await follow('Keep teams as in a directory'), { status: 0, stdout: '{"ok":true}{"ok":true}', stderr: '' })
  const assign = recipes.get('Assign an instruction to a team') as string
  t.match(await follow('Assign an instruction to a team'), { status: 0, stdout: '', stderr: '' })
  const assignment = () => JSON.parse(readFileSync(`${folder}/assignment.json`, 'utf8')).assignment
  const assigned = assignment()
  t.match(assigned, { title: 'Bereitschaft, jährlich', parts: [{}, {}] })
  recipes.set('assign again', assign)
  t.match(await follow('assign again'), { status: 0, stdout: '', stderr: '' })
  t.strictSame(assignment(), assigned, 'the same assignment')
  t.match(await follow('List who has not finished'), {
    status: 0,
    stderr: '',
    stdout: /^\d+;Lena Muster;\d{4}-\d\d-\d\d\n\d+;Mia Muster;\d{4}-\d\d-\d\d\n?$/,
  })
  t.match(await follow('Save all certificates for an audit'), { status: 0, stdout: '', stderr: '' })
  t.match(readFileSync(`${folder}/certificates.csv`, 'utf8'), /^\uFEFF.*;.*\r\n$/)
  const changes = recipes.get('Follow changes every night') as string
  const run = async (name = 'Follow changes every night') => {
    t.match(await follow(name), { status: 0, stdout: '', stderr: '' })
    return readFileSync(`${folder}/changed.txt`, 'utf8').split('\n').filter(Boolean)
  }
  writeFileSync(`${folder}/accounts.since`, '2026-01-01T00:00:00Z')
  recipes.set('too long ago', changes)
  t.match(await follow('too long ago'), { status: 22 })
  writeFileSync(`${folder}/accounts.since`, new Date(Date.now() - 3_600_000).toISOString())
  const all = (await run()).map((line) => JSON.parse(line))
  t.match(all, [{ username: 'chef' }, { username: 'erika' }, { deleted: true }, { username: 'anna' }, {}, {}])
  t.strictSame(Object.keys(all[2]), ['id', 'deleted'])
  recipes.set('follow again', changes)
  t.strictSame(await run('follow again'), [])
  t.match(await follow('Delete a token'), { status: 0, stdout: '{"ok":true}' })
  t.strictSame([...recipes.keys()], [], 'every recipe has been followed')
})

function readRecipes(): Map<string, string> {
  const source = readFileSync(`${ROOT}docs/scripting.md`, 'utf8')
  const found = source.matchAll(/^## \d+\. (.+)\n[\s\S]*?```sh\n([\s\S]*?)```/gm)
  return new Map([...found].map(([, title = '', script = '']) => [title, script]))
}

function deck(name: string, question: string): string {
  return `---\nname: ${name}\n---\n## ${question}\n<!-- id: erste; level: grundlagen -->\n\n### Antwort\nEine Antwort\n`
}
