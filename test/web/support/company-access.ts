import { decodeJwt } from 'jose'
import type { Test } from 'tap'
import type { IdentityProvider } from '../../support/identity-provider.js'
import { startProcess } from '../../support/process.js'
import { collectComplaints, DESK, findBarriers, until } from './app.js'
import { type Company, providerVariables } from './company.js'
import { addDevice, LOGIN_OPTIONS, logInByButton, passkeysOf } from './device.js'
import { PATIENCE_MS } from './patience.js'

const OTTO = { sub: 'o-1', preferred_username: 'otto', name: 'Otto Neu' }
const ELEVEN_MINUTES = 660

/** Makes the provider report, for the next login, that the user authenticated eleven minutes earlier. */
function backdateAuthentication(provider: IdentityProvider): void {
  provider.tamper = async (answer) => ({
    ...answer,
    id_token: await provider.key.sign({
      ...decodeJwt(answer.id_token),
      auth_time: Math.floor(Date.now() / 1000) - ELEVEN_MINUTES,
    }),
  })
}

export async function testWithoutPassword(t: Test, { provider, browser, publicUrl, variables }: Company) {
  await startProcess(t, { ...variables, ...providerVariables(provider, publicUrl), OIDC_ADMIN_VALUE: 'chefs' })
  const context = await browser.newContext({ viewport: DESK, locale: 'de-DE', reducedMotion: 'reduce' })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const complaints = collectComplaints(page, publicUrl)
  const device = await addDevice(page)
  const { hostname, origin } = new URL(publicUrl)
  const at = (path: string) => publicUrl + path
  const dialog = (name: string) => page.getByRole('dialog', { name })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const again = dialog('Bitte erneut anmelden')
  /** Sends a request from the page, because only the browser trusts the certificate. */
  const send = (method: string, path: string, body?: unknown) =>
    page.evaluate(
      async ([method, url, body]) => {
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(url, { method, ...(body !== null && { headers, body }) })
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
        return response.json()
      },
      [method, at(path), body === undefined ? null : JSON.stringify(body)] as const,
    )

  const logInByProvider = async (groups: string[] = []) => {
    provider.person = { ...OTTO, groups }
    backdateAuthentication(provider)
    await page.getByRole('link', { name: 'Mit Firmenkonto anmelden' }).click()
    await page.getByRole('button', { name: `Menü von ${OTTO.name}` }).waitFor()
  }
  const logOut = async () => {
    await device.setAutoConfirm(false)
    await send('POST', 'api/auth/logout')
    await page.evaluate('localStorage.clear()')
    const offered = page.waitForResponse(`**${LOGIN_OPTIONS}`)
    await page.goto(at('anmelden?weiter=/konto'))
    t.match(await (await offered).json(), { rpId: hostname, userVerification: 'required' })
  }
  const askForToken = async (name: string) => {
    await button('Neuer Token').click()
    if (name) await dialog('Neuer Token').getByLabel('Name').fill(name)
    await button('Anlegen').click()
    await again.waitFor()
  }
  const confirm = () => again.getByRole('link', { name: 'Mit Firmenkonto bestätigen' }).click()
  const tokens = async () => {
    const { tokens } = (await send('GET', 'api/auth/tokens')) as { tokens: { name: string }[] }
    return tokens.map(({ name }) => name).toSorted()
  }

  await t.test('continues with the typed input after the provider has confirmed', async (t) => {
    await page.goto(at('konto'))
    await logInByProvider()
    await button('Neuer Token').click()
    await dialog('Neuer Token').getByLabel('Gültig').selectOption({ label: '30 Tage' })
    await dialog('Neuer Token').getByLabel('Name').fill('Nachtlauf')
    await button('Anlegen').click()
    await again.waitFor()
    t.strictSame(await findBarriers(page), [])
    const asked = page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/auth?`))
    await confirm()
    t.equal(new URL((await asked).url()).searchParams.get('max_age'), '0', 'the provider must authenticate again')
    await dialog('Neuer Token').getByText('du bist bestätigt').waitFor()
    t.equal(page.url(), at('konto'))
    t.equal(await dialog('Neuer Token').getByLabel('Name').inputValue(), 'Nachtlauf')
    t.equal(await dialog('Neuer Token').getByLabel('Gültig').inputValue(), '30')
    t.strictSame(await findBarriers(page), [])
    await button('Anlegen').click()
    await page.getByLabel('Token „Nachtlauf“').waitFor()
    await button('Fertig').click()
    await page.reload()
    await page.getByText('dieses Gerät').waitFor()
    t.equal(await dialog('Neuer Token').count(), 0, 'once')
  })

  await t.test('refuses another identity and restores the typed input', async (t) => {
    await logOut()
    await logInByProvider()
    await askForToken('Zweiter')
    // Ends the session at the provider, so that another user can log in there.
    await context.clearCookies({ domain: '127.0.0.1' })
    provider.person = { sub: 'x-1', preferred_username: 'fremd', name: 'Jemand anderes' }
    await confirm()
    await page.getByText('Beim Anbieter hat sich jemand anderes angemeldet').waitFor()
    t.equal(page.url(), at('konto'))
    t.equal(await dialog('Neuer Token').count(), 0)
    await context.clearCookies({ domain: '127.0.0.1' })
    provider.person = OTTO
    await askForToken('')
    await confirm()
    await dialog('Neuer Token').getByText('du bist bestätigt').waitFor()
    t.equal(await dialog('Neuer Token').getByLabel('Name').inputValue(), 'Zweiter')
    await button('Abbrechen').click()
    await button('Neuer Token').click()
    t.equal(await dialog('Neuer Token').getByLabel('Name').inputValue(), '', 'a cancelled action stays cancelled')
    await button('Abbrechen').click()
    t.strictSame(await tokens(), ['Nachtlauf'])
  })

  await t.test('adds a passkey after the provider has confirmed, and logs in with it', async (t) => {
    await logOut()
    await logInByProvider()
    await device.setAutoConfirm(true)
    await passkeysOf(page).getByRole('button', { name: 'Passkey hinzufügen' }).click()
    await dialog('Passkey hinzufügen').getByLabel('Name').fill('Diensthandy')
    await button('Weiter').click()
    await confirm()
    await dialog('Passkey hinzufügen').getByText('du bist bestätigt').waitFor()
    t.equal(await dialog('Passkey hinzufügen').getByLabel('Name').inputValue(), 'Diensthandy')
    const made = page.waitForRequest(
      (request) => request.url() === at('api/auth/passkeys') && request.method() === 'POST',
    )
    await button('Weiter').click()
    await passkeysOf(page).getByText('Diensthandy').waitFor()
    const { credential } = (await made).postDataJSON()
    t.match(JSON.parse(Buffer.from(credential.response.clientDataJSON, 'base64url').toString()), { origin })
    t.match(await device.credentials(), [{ rpId: hostname, isResidentCredential: true }])

    await logOut()
    await logInByButton(page, device)
    await until(page, `location.href === '${at('konto')}'`)
    await passkeysOf(page).getByText('zuletzt benutzt').waitFor()
  })

  await t.test('confirms by passkey without leaving the page', async (t) => {
    await logOut()
    await logInByProvider()
    await device.setAutoConfirm(true)
    await askForToken('Dritter')
    t.strictSame(await findBarriers(page), [])
    await again.getByRole('button', { name: 'Mit Passkey bestätigen' }).click()
    await page.getByLabel('Token „Dritter“').waitFor()
    await button('Fertig').click()
    t.strictSame(await tokens(), ['Dritter', 'Nachtlauf'])
  })

  await t.test('still offers to grant the right after the confirmation', async (t) => {
    await logOut()
    await logInByProvider(['chefs'])
    const aylin = { username: 'aylin', display_name: 'Aylin Demir', password: 'vier-zufaellige-woerter' }
    await send('POST', 'api/admin/users', aylin)
    await page.goto(at('verwaltung/benutzer'))
    await page.getByRole('link', { name: 'Aylin Demir' }).click()
    await page.getByLabel('Administrator').check()
    await button('Speichern').click()
    await confirm()
    await page.getByText('du bist bestätigt').waitFor()
    t.ok(await page.getByLabel('Administrator').isChecked())
    t.strictSame(await findBarriers(page), [])
    await button('Speichern').click()
    await page.getByText('Das Konto ist gespeichert.').waitFor()
    t.equal(await page.getByText('du bist bestätigt').count(), 0)
  })

  await t.test('asks again for an action without a form', async (t) => {
    await logOut()
    await logInByProvider(['chefs'])
    await page.goto(at('verwaltung/benutzer'))
    await page.getByRole('link', { name: 'Aylin Demir' }).click()
    await page.getByLabel('Beim nächsten Anmelden verknüpfen').check()
    await confirm()
    await page.getByText('Mach bitte noch einmal, was du gerade vorhattest').waitFor()
    t.notOk(await page.getByLabel('Beim nächsten Anmelden verknüpfen').isChecked())
    t.strictSame(await findBarriers(page), [])
  })

  await t.test('refuses a removed passkey', async () => {
    await page.goto(at('konto'))
    await button('Passkey Diensthandy entfernen').click()
    await passkeysOf(page).getByText('Diensthandy').waitFor({ state: 'detached' })
    await logOut()
    await logInByButton(page, device)
    await page.getByText('Die Anmeldung mit Passkey ist fehlgeschlagen').first().waitFor()
  })

  t.strictSame(
    complaints.filter((complaint) => !complaint.startsWith(provider.issuer)),
    [],
  )
}
