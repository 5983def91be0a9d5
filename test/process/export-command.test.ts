import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { deckFile, writeContentFolder } from '../support/content.js'
import { query, unzip } from '../support/packages.js'
import { createStoreVariables, shareProgram } from '../support/process.js'
import { serveStore } from '../support/serve-store.js'
import { zipOf } from '../support/upload-packages.js'

const folder = await writeContentFolder(t, {
  'decks/git.md': deckFile('Git', [{ id: 'eins' }, { id: 'zwei' }]),
  'decks/sql.md': deckFile('SQL', [{ id: 'drei' }]),
})
const variables: Record<string, string> = { ...(await createStoreVariables(t, 'empty')), CONTENT_DIR: folder }
const store = await serveStore(t, variables)
const program = shareProgram(t)
const run = (...args: string[]) => program(store.variables(), args)
const target = await mkdtemp(path.join(tmpdir(), 'svc-training-test-'))
t.teardown(() => rm(target, { recursive: true }))
const at = (name: string) => path.join(target, name)
const refused = (stderr: string) => ({ code: 1, stdout: '', stderr: `${stderr}\n` })

t.test('selects the format by the extension', async (t) => {
  t.match(await run('import', '--json'), { code: 0 })
  const file = at('karten.apkg')
  t.strictSame(await run('export', file), { code: 0, stdout: `Exportiert: ${file}\n`, stderr: '' })
  const collection = (await unzip(await readFile(file))).get('collection.anki2')
  t.strictSame(query(collection, 'select count(*) as notes from notes'), [{ notes: 3 }])
  t.match(await run('export', at('karten.csv'), '--json'), { code: 0, stdout: `{"file":"${at('karten.csv')}"}\n` })
  t.equal((await readFile(at('karten.csv'), 'utf8')).split('\r\n').length, 5)
  t.match(await run('export', at('git'), '--format', 'markdown', '--deck', 'git'), { code: 0 })
  t.strictSame([...(await unzip(await readFile(at('git')))).keys()], ['decks/git.md'])
})

t.test('leaves no file after a refusal', async (t) => {
  const before = await readdir(target)
  t.strictSame(await run('export', at('karten.csv')), refused(`Die Datei ${at('karten.csv')} gibt es schon.`))
  const unknown = 'Das Format ist nicht bekannt: bitte .apkg, .csv, .zip oder --format'
  t.strictSame(await run('export', at('x.pdf')), refused(unknown))
  t.strictSame(await run('export', at('x.csv'), '--user', 'erika'), refused('--user gilt nur für das Format apkg.'))
  t.strictSame(await run('export', at('x.apkg'), '--user', 'nein'), refused('Es gibt keinen Benutzer nein.'))
  t.strictSame(await run('export', at('x.apkg'), '--deck', 'nein'), refused('Deck nicht gefunden'))
  t.match(await run('export', at('nein/x.apkg')), { code: 1, stderr: /kann nicht zugegriffen werden/ })
  t.match(await run('export', at('x'), '--format', 'pdf'), { code: 2, stderr: /apkg, csv, markdown/ })
  t.strictSame(await readdir(target), before)
})

t.test('exports one source, which an import of the file leaves unchanged', async (t) => {
  const pool = deckFile('Prüfung', [{ id: 'geheim' }], { tests_only: true })
  const archive = at('quelle.zip')
  await writeFile(archive, await zipOf({ 'decks/pruefung.md': pool }))
  const { stdout } = await run('import', archive, '--json')
  const { id } = JSON.parse(stdout).source
  t.match(await run('export', at('eine.zip'), '--source', String(id)), { code: 0 })
  const files = await unzip(await readFile(at('eine.zip')))
  t.strictSame([...files.keys()], ['decks/pruefung.md'])
  t.match(files.get('decks/pruefung.md')?.toString(), /^tests_only: true$/m)
  const again = await run('import', at('eine.zip'), '--source', String(id), '--theirs', '--check', '--json')
  t.match(JSON.parse(again.stdout).stats.cards, { created: 0, updated: 0, unchanged: 1 })
  t.strictSame(await run('export', at('x.zip'), '--source', '999'), refused('Quelle nicht gefunden'))
  const both = await run('export', at('x.zip'), '--source', String(id), '--deck', 'git')
  t.strictSame(both, refused('--source und --deck schließen sich aus.'))
})

t.test('includes the progress of a user', async (t) => {
  t.match(await program(store.variables(), ['user', 'add', 'erika'], 'geheim-genug'), { code: 0 })
  t.match(await run('export', at('ich.apkg'), '--user', 'erika'), { code: 0 })
  const files = await unzip(await readFile(at('ich.apkg')))
  t.strictSame([...files.keys()], ['collection.anki2', 'collection.anki21', 'media'])
})
