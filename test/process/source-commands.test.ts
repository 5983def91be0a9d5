import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { createStoreVariables, shareProgram } from '../support/process.js'
import { serveStore } from '../support/serve-store.js'
import { workbookOf } from '../support/workbooks.js'

const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-sources-'))
t.teardown(() => rm(folder, { recursive: true }))
const TMP_DIR = path.join(folder, 'tmp')
const store = await serveStore(t, { ...(await createStoreVariables(t, 'empty')), TMP_DIR })
const program = shareProgram(t)
const run = (...args: string[]) => program(store.variables(), args)

const file = path.join(folder, 'Netz.csv')
await writeFile(file, 'Id;Frage;Antwort\n1;Was ist TCP?;Ein Protokoll\n2;Was ist IP?;Auch eins\n')

t.test('previews, imports and updates a file', async (t) => {
  const numbers = (cards: string) =>
    new RegExp(`Karten: ${cards}\\nCheat Sheets: 0 neu, .*\\nBilder: 0 neu, 0 vorhanden\\n  netz \\(„Netz“\\): `)
  const look = await run('import', '--check', file)
  t.match(look, { code: 0, stderr: '', stdout: /^Ein Import in „Netz“ \(eine neue Quelle\) würde ändern:\n/m })
  t.match(look.stdout, numbers('2 neu, 0 geändert, 0 unverändert, 0 archiviert'))
  t.match(await run('source', 'list', '--json'), { code: 0, stdout: '{"sources":[]}\n' })

  t.match(await run('import', file), { code: 0, stdout: /^Importiert in „Netz“ \(Quelle 1\)$/m })
  t.match(await run('import', file), {
    code: 1,
    stderr: 'Eine Quelle „Netz“ gibt es schon: --source 1 aktualisiert sie, --new legt eine zweite an.\n',
  })
  t.match(await run('import', file, '--source', '1'), {
    code: 0,
    stdout: numbers('0 neu, 0 geändert, 2 unverändert, 0 archiviert'),
  })
  const second = await run('import', file, '--new', '--name', 'Zweite', '--deck', 'Woanders', '--json')
  t.match(JSON.parse(second.stdout), {
    check: false,
    source: { id: 2, name: 'Zweite' },
    decks: [{ slug: 'woanders', created: 2 }],
  })
  t.strictSame(await readdir(TMP_DIR), [], 'nothing is left')
})

t.test('lists, archives, removes and releases sources', async (t) => {
  t.match(await run('source', 'list'), {
    code: 0,
    stdout: /^2\tZweite\ttable\t1 Decks, 2 Karten\t.*\n1\tNetz\ttable\t1 Decks, 2 Karten\t/,
  })
  t.match(await run('source', 'delete', '1'), { code: 0, stdout: 'Archiviert.\n' })
  t.match(await run('source', 'list'), { stdout: /^1\tNetz\ttable\t0 Decks, 0 Karten, archiviert\t/m })
  t.match(await run('source', 'delete', '1', '--purge'), { code: 0, stdout: 'Endgültig entfernt.\n' })
  t.match(await run('source', 'release', '2'), { code: 0, stdout: 'Die Decks gehören jetzt zum Ordner der Inhalte.\n' })
  t.match(await run('source', 'release', '2'), { code: 1, stderr: 'Quelle nicht gefunden\n' })
})

t.test('refuses contradictory options', async (t) => {
  for (const [args, code, message] of [
    [['import', '--mirror'], 2, /^--mirror gilt nur für eine Datei\n/],
    [['import', file, '--force'], 2, /^--force gilt nur ohne Datei\n/],
    [['source', 'delete', 'x'], 2, /^<Nummer>: „x“ geht nicht\. /],
    [['import', path.join(folder, 'fehlt.csv')], 1, /ist nicht lesbar \(ENOENT\)\.\n$/],
    [['import', folder], 1, /ist keine Datei\.\n$/],
    [['import', file, '--source', '9'], 1, /^Quelle nicht gefunden\n$/],
  ] as const) {
    t.match(await run(...args), { code, stderr: message }, args.join(' '))
  }
  const faulty = path.join(folder, 'Faul.csv')
  await writeFile(faulty, 'Id;Frage;Antwort\n1;"Was;Ein\n')
  t.match(await run('import', faulty), { code: 1, stderr: /^Faul\.csv:2: Anführungszeichen nicht geschlossen$/m })
})

t.test('imports an Excel workbook; without new content it creates no source', async (t) => {
  const rows = [
    ['Frage', 'Antwort', 'GUID'],
    ['Was ist BGP?', 'Wege', 'g-1'],
  ]
  const book = path.join(folder, 'Wege.xlsx')
  await writeFile(book, await workbookOf({ sheets: [{ rows }] }))
  t.match(await run('import', book), { code: 0, stdout: /^Importiert in „Wege“ \(Quelle \d+\)$/m })
  const sources = await run('source', 'list', '--json')
  t.match(await run('import', book, '--new', '--name', 'Noch einmal'), {
    code: 0,
    stdout: /^Es gab nichts zu übernehmen; eine Quelle ist nicht entstanden\.$/m,
  })
  t.strictSame(await run('source', 'list', '--json'), sources)
})
