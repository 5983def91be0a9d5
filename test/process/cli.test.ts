import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createStoreVariables, loginOver, runCommand, startProcess } from '../support/process.js'

const folder = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'eins' }]) })
const variables = { ...(await createStoreVariables(t)), CONTENT_DIR: folder }
const run = (args: string[], input?: string) => runCommand(variables, args, input)

t.test('users are added, listed, given passwords and deleted', async (t) => {
  t.match(await run(['migrate']), { code: 0, stdout: 'Das Schema ist aktuell.\n' })
  const added = await run(['user', 'add', 'erika', '--display-name', 'Erika Muster', '--admin'], 'geheim-1\n')
  t.match(added, { code: 0, stdout: /^Benutzer erstellt: erika \(\d+\)\n$/ })
  t.match(await run(['user', 'add', 'max'], 'geheim-2'), { code: 0 })
  t.match(await run(['user', 'add', 'max'], 'geheim-2'), { code: 1, stderr: 'Benutzername existiert bereits\n' })
  t.match(await run(['user', 'add', 'kurz'], 'kurz'), { code: 1, stderr: 'Passwort muss mindestens 6 Zeichen haben\n' })
  t.match((await run(['user', 'list'])).stdout, /\terika\tErika Muster\tAdministrator\n\d+\tmax\tmax\tBenutzer\n/)
  t.match(await run(['user', 'password', 'erika'], 'geheim-3\n'), { code: 0, stdout: 'Passwort geändert: erika\n' })
  t.match(await run(['user', 'password', 'niemand'], 'geheim-3\n'), { code: 1, stderr: /keinen Benutzer niemand/ })
  t.match(await run(['user', 'delete', 'max']), { code: 0, stdout: 'Benutzer gelöscht: max\n' })
  t.match(await run(['user', 'delete', 'max']), { code: 1, stderr: /keinen Benutzer max/ })

  const service = await startProcess(t, variables)
  const send = await loginOver(service.url, { username: 'erika', password: 'geheim-3' })
  t.equal((await send('/api/admin/users')).status, 200)
  t.equal(await service.stop(), 0)
})

t.test('content is checked and imported', async (t) => {
  t.match(await run(['import', '--check']), { code: 0, stdout: 'In Ordnung: 1 Decks, 1 Karten, 0 Cheat Sheets\n' })
  await changeFiles(folder, { 'decks/git.md': deckFile('Git', [{ id: 'eins' }, { id: 'zwei' }]) })
  t.match(await run(['import']), { code: 0, stdout: /Karten: 1 neu, 0 geändert, 1 unverändert, 0 archiviert/ })
  await changeFiles(folder, { 'decks/git.md': deckFile('Git', [{ id: 'eins' }, { id: 'eins' }]) })
  for (const args of [['import', '--check'], ['import']]) {
    const refused = await run(args)
    t.equal(refused.code, 1)
    t.match(refused.stderr, /^decks\/git\.md:\d+: .*\nImport abgebrochen: 1 Fehler in den Inhalten\n$/)
  }
})

t.test('wrong usage ends with status 2, help with 0', async (t) => {
  for (const args of [['unknown'], ['user'], ['user', 'add'], ['import', '--nonsense'], ['user', 'add', 'a', 'b']]) {
    t.equal((await run(args)).code, 2, args.join(' '))
  }
  const help = await run(['--help'])
  t.equal(help.code, 0)
  for (const command of ['serve', 'migrate', 'import', 'user']) t.match(help.stdout, command)
})
