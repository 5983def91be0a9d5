import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createStoreVariables, runCommand, shareProgram } from '../support/process.js'
import { serveStore } from '../support/serve-store.js'

const cards = Array.from({ length: 12 }, (_, index) => ({ id: `karte-${index}` }))
const folder = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', cards) })
const variables: Record<string, string> = { ...(await createStoreVariables(t, 'empty')), CONTENT_DIR: folder }
const store = await serveStore(t, variables)
const program = shareProgram(t)
const run = (...args: string[]) => program(store.variables(), ['import', ...args])

const counts = (decks: number, cards: number) => `In Ordnung: ${decks} Decks, ${cards} Karten, 0 Cheat Sheets\n`
const table = (decks: string, cards: string) =>
  `Decks: ${decks}\nKarten: ${cards}\nCheat Sheets: 0 neu, 0 geändert, 0 unverändert, 0 archiviert\n`

t.test('a check creates no store', async (t) => {
  const elsewhere = { ...variables, DATA_DIR: `${variables.DATA_DIR}/none`, DATABASE_URL: '' }
  t.strictSame(await runCommand(elsewhere, ['import', '--check'], ''), {
    code: 0,
    stdout: `${counts(1, 12)}Was ein Import ändern würde, ist nicht bekannt: Es gibt noch keinen Datenbestand.\n`,
    stderr: '',
  })
})

t.test('a check shows the changes of an import without applying them', async (t) => {
  t.match(await run('--json'), { code: 0 })
  await changeFiles(folder, {
    'decks/git.md': deckFile('Git', [{ id: 'neu', question: 'Frage karte-0?' }, ...cards.slice(1, 11)]),
    'decks/sql.md': deckFile('SQL', [{ id: 'eins' }]),
  })
  const expected = {
    code: 0,
    stdout: `${counts(2, 12)}Ein Import würde ändern:\n${table(
      '1 neu, 0 geändert, 1 unverändert, 0 archiviert',
      '2 neu, 0 geändert, 10 unverändert, 2 archiviert',
    )}`,
    stderr:
      'decks/git.md:4: Warnung: Die Karte „neu“ ist neu, die Karte „karte-0“ mit derselben Frage wird archiviert: der Lernfortschritt beginnt von vorn; mit aliases: [karte-0] bleibt er erhalten\n',
  }
  t.strictSame(await run('--check'), expected)
  t.strictSame(await run('--check'), expected)
})

t.test('archives most cards only if forced', async (t) => {
  await changeFiles(folder, { 'decks/git.md': deckFile('Git', cards.slice(0, 2)) })
  const stderr = 'Der Import würde 10 von 12 Karten archivieren; --force erlaubt es\n'
  const changes = table(
    '1 neu, 0 geändert, 1 unverändert, 0 archiviert',
    '1 neu, 0 geändert, 2 unverändert, 10 archiviert',
  )
  const stdout = `${counts(2, 3)}Ein Import würde ändern:\n${changes}`
  t.strictSame(await run('--check'), { code: 1, stdout, stderr }, 'the output contains the plan and the refusal')
  t.match(await run('--check', '--json'), { code: 1, stdout: /"archived":10\b/, stderr })
  t.strictSame(await run('--check', '--force'), { code: 0, stdout, stderr: '' })
  t.strictSame(await run(), { code: 1, stdout: '', stderr })
  t.match(await run('--force'), { code: 0, stdout: changes, stderr: '' })
})
