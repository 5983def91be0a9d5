import t from 'tap'
import { deckFile, writeContentFolder } from '../support/content.js'
import { createStoreVariables, firstLogin, loginOver, shareProgram, startProcess } from '../support/process.js'

const CONTENT_DIR = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'eins' }]) })
/** Settings of a provider at an address without a listener */
const OIDC = {
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'training',
  OIDC_CLIENT_SECRET: 'geheim',
  PUBLIC_URL: 'http://127.0.0.1:3999',
}
const run = shareProgram(t)

t.test('an incomplete provider configuration stops the start with one line', async (t) => {
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR }
  const { OIDC_CLIENT_SECRET: _, ...half } = OIDC
  for (const [more, line] of [
    [half, 'OIDC_CLIENT_SECRET: fehlt, obwohl OIDC_ISSUER gesetzt ist\n'],
    [{ ...OIDC, PUBLIC_URL: '' }, 'PUBLIC_URL: ist mit OIDC_ISSUER erforderlich\n'],
    [{ PASSWORD_LOGIN: 'off' }, 'PASSWORD_LOGIN: off braucht eine andere Anmeldung (OIDC_ISSUER fehlt)\n'],
  ] as const) {
    t.strictSame(await run({ ...variables, ...more }, ['serve']), { code: 1, stdout: '', stderr: line })
  }
})

t.test('password login can be off only with an emergency administrator, even if the provider is down', async (t) => {
  const variables = { ...(await createStoreVariables(t)), CONTENT_DIR }
  const off = { ...variables, ...OIDC, PASSWORD_LOGIN: 'off' }
  const first = await startProcess(t, off)
  const login = firstLogin(first, variables)
  await loginOver(first.url, login)
  const response = await fetch(`${first.url}/api/auth/oidc/start`, { redirect: 'manual' })
  t.equal(response.headers.get('location'), '/anmelden?fehler=nicht_erreichbar')
  await first.stop()

  t.match(await run(off, ['user', 'emergency', login.username, '--off']), {
    code: 1,
    stdout: '',
    stderr: /^Solange Passwörter abgeschaltet sind, behält der letzte Administrator mit Notfallzugang ihn/,
  })
  const ended = await run(variables, ['user', 'emergency', login.username, '--off'])
  t.strictSame(ended, { code: 0, stdout: `Kein Notfallzugang mehr: ${login.username}\n`, stderr: '' })
  t.strictSame(await run(off, ['serve']), {
    code: 1,
    stdout: '',
    stderr:
      'PASSWORD_LOGIN: off braucht einen Administrator mit Notfallzugang (svc-training user emergency <Benutzername>)\n',
  })
  const marked = await run(variables, ['user', 'emergency', login.username, '--json'])
  t.match(JSON.parse(marked.stdout), { id: Number, emergency: true })
  t.match(await run(variables, ['user', 'emergency', 'niemand']), { code: 1, stderr: /Es gibt keinen Benutzer/ })
  const second = await startProcess(t, off)
  await loginOver(second.url, login)
  await second.stop()
})
