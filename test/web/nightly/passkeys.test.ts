import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { createLogger } from '../../../src/logger.js'
import { freePort } from '../../support/postgres.js'
import { type App, CHROMIUM, findBarriers, openApp, type Person, until } from '../support/app.js'
import {
  addDevice,
  addPasskey,
  passkeysOf as card,
  type Device,
  LOGIN_OPTIONS,
  logInByButton,
} from '../support/device.js'
import { openGateway } from '../support/gateway.js'
import { until as untilTrue } from '../support/patience.js'

async function newPersonAt(
  app: App,
  options: Parameters<App['newPerson']>[0] = {},
): Promise<Person & { device: Device }> {
  const person = await app.newPerson(options)
  const device = await addDevice(person.page)
  await person.page.goto(`${app.url}/konto`)
  return { ...person, device }
}

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

/** Logs out and opens the login page. The device confirms passkey prompts there only if `isConfirming` is set. */
async function logOut(
  { page, device }: { page: Page; device: Device },
  url: string,
  isConfirming = false,
): Promise<void> {
  await device.setAutoConfirm(isConfirming)
  await page.request.post(`${url}/api/auth/logout`)
  await page.evaluate('localStorage.clear()')
  const offered = page.waitForResponse(`**${LOGIN_OPTIONS}`)
  await page.goto(`${url}/anmelden`)
  await offered
}

/** Returns an expression that logs in with a passkey and sends the login request twice; resolves to both statuses. */
const logInByScript = (userVerification = 'required') => `(async () => {
  const asked = await (await fetch('${LOGIN_OPTIONS}', { method: 'POST' })).json()
  const userVerification = '${userVerification}'
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...asked, userVerification })
  const credential = (await navigator.credentials.get({ publicKey })).toJSON()
  const send = () => fetch('/api/auth/passkeys/login', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ credential }),
  })
  return [(await send()).status, (await send()).status]
})()`

t.test('passkeys', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  // Browsers support passkeys without TLS at „localhost“ only.
  const port = await freePort()
  let log = ''
  const app = await openApp(t, {
    config: { publicUrl: `http://localhost:${port}/` },
    logger: createLogger('warn', { write: (line) => (log += line) }),
    port,
  })
  const logged = (reason: RegExp) => untilTrue(async () => reason.test(log), `${reason} in the log`)

  await t.test('adds a passkey, logs in with it without a user name, and removes it', async (t) => {
    const person = await newPersonAt(app)
    const { page, device, complaints } = person
    await addPasskey(page, 'Mein Notebook')
    const [credential] = await device.credentials()
    t.match(credential, { isResidentCredential: true, rpId: 'localhost' })
    t.strictSame(await findBarriers(page), [])

    await logOut(person, app.url)
    t.strictSame(await findBarriers(page), [])
    await logInByButton(page, device)
    await until(page, `location.pathname === '/'`)
    t.match(await (await page.request.get(`${app.url}/api/auth/me`)).json(), { sign_in: { passkeys: 1 } })

    await page.goto(`${app.url}/konto`)
    await card(page).getByText('zuletzt benutzt').waitFor()

    await logOut(person, app.url, true)
    await until(page, `location.pathname === '/'`)
    t.pass("the browser's autofill list logs in as well")

    await page.goto(`${app.url}/konto`)
    await card(page).getByRole('button', { name: 'Passkey Mein Notebook entfernen' }).click()
    await card(page).getByText('Mein Notebook').waitFor({ state: 'detached' })
    await logOut(person, app.url)
    await logInByButton(page, device)
    await page.getByText('Die Anmeldung mit Passkey ist fehlgeschlagen').first().waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('refuses the password of a passkey-only account and keeps the last passkey', async (t) => {
    const person = await newPersonAt(app, { name: 'Tomasz Nowak' })
    const { page, device, login, complaints } = person
    await addPasskey(page, 'Telefon')
    await page.getByLabel('Nur mit Passkey anmelden').click()
    await page.getByText('Das Passwort wird jetzt abgelehnt.').waitFor()
    await card(page).getByRole('button', { name: 'Passkey Telefon entfernen' }).click()
    await page.getByText('Der letzte Passkey bleibt, solange').waitFor()

    await logOut(person, app.url)
    await page.getByLabel('Benutzername').fill(login.username)
    await page.getByLabel('Passwort', { exact: true }).fill(login.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByText('Benutzername oder Passwort falsch').waitFor()
    await logInByButton(page, device)
    await until(page, `location.pathname === '/'`)

    const chief = await app.newBrowser()
    await chief.page.request.post(`${app.url}/api/auth/login`, { data: app.admin })
    await chief.page.goto(`${app.url}/verwaltung/benutzer`)
    await chief.page.getByText('nur mit Passkey').waitFor()
    t.strictSame(await findBarriers(chief.page), [])

    const button = (name: string) => chief.page.getByRole('button', { name, exact: true })
    const count = async () => {
      const { users } = (await (await app.asAdmin('GET', `/api/accounts?q=${login.username}`)).json()) as {
        users: { sign_in: { passkeys: number } }[]
      }
      return users[0]?.sign_in.passkeys
    }
    await chief.page.getByRole('link', { name: 'Tomasz Nowak' }).click()
    await button('Alle Passkeys entfernen …').click()
    const asked = dialog(chief.page, 'Alle Passkeys von Tomasz Nowak entfernen?')
    await asked.getByText('Danach gilt wieder ihr Passwort.').waitFor()
    t.strictSame(await findBarriers(chief.page), [])
    await button('Abbrechen').click()
    await asked.waitFor({ state: 'detached' })
    t.equal(await count(), 1, 'no passkey is removed before the confirmation')
    await button('Alle Passkeys entfernen …').click()
    await button('Alle entfernen').click()
    await chief.page.getByText('Alle Passkeys sind entfernt.').waitFor()
    t.equal(await count(), 0)
    await logOut(person, app.url)
    await page.getByLabel('Benutzername').fill(login.username)
    await page.getByLabel('Passwort', { exact: true }).fill(login.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await until(page, `location.pathname === '/'`)
    t.strictSame([...complaints, ...chief.complaints], [])
  })

  await t.test('requires a new authentication before access is granted, then continues', async (t) => {
    const { page, login, complaints } = await newPersonAt(app)
    await addPasskey(page, 'Telefon')
    /** Makes the next request other than GET fail, as if the login were older than ten minutes. */
    const answerOnce = async (path: string) => {
      let isAnswered = false
      await page.route(`**${path}`, (route) => {
        if (isAnswered || route.request().method() === 'GET') return route.fallback()
        isAnswered = true
        return route.fulfill({
          status: 403,
          headers: { 'x-error-code': 'proof_too_old' },
          json: { statusCode: 403, error: 'Forbidden', message: 'Bitte erneut anmelden' },
        })
      })
    }
    const newToken = async (name: string) => {
      await answerOnce('/api/auth/tokens')
      await page.getByRole('button', { name: 'Neuer Token' }).click()
      await dialog(page, 'Neuer Token').getByLabel('Name').fill(name)
      await dialog(page, 'Neuer Token').getByRole('button', { name: 'Anlegen' }).click()
      await dialog(page, 'Bitte erneut anmelden').waitFor()
    }
    const again = dialog(page, 'Bitte erneut anmelden')

    await newToken('eins')
    t.strictSame(await findBarriers(page), [])
    await again.getByLabel('Passwort', { exact: true }).fill('falsch')
    await again.getByRole('button', { name: 'Weiter' }).click()
    await again.getByText('Passwort ist falsch').waitFor()
    await again.getByLabel('Passwort', { exact: true }).fill(login.password)
    await again.getByRole('button', { name: 'Weiter' }).click()
    await page.getByLabel('Token „eins“').waitFor()
    await page.getByRole('button', { name: 'Fertig' }).click()

    await newToken('zwei')
    await again.getByRole('button', { name: 'Mit Passkey bestätigen' }).click()
    await page.getByLabel('Token „zwei“').waitFor()
    await page.getByRole('button', { name: 'Fertig' }).click()

    await newToken('drei')
    await again.getByRole('button', { name: 'Schließen' }).click()
    await dialog(page, 'Neuer Token').getByText('Bitte erneut anmelden').waitFor()
    const { tokens } = (await (await page.request.get(`${app.url}/api/auth/tokens`)).json()) as { tokens: unknown[] }
    t.equal(tokens.length, 2)
    t.strictSame(complaints, [])
  })

  await t.test('refuses a cloned device, a device without verification, and a replayed response', async (t) => {
    const { page, device } = await newPersonAt(app)
    await addPasskey(page, 'Telefon')
    const stolen = await device.credentials()
    t.strictSame(await page.evaluate(logInByScript()), [200, 401], 'a response is accepted once')

    const newest = await device.credentials()
    await device.replaceBy(stolen)
    t.strictSame(await page.evaluate(logInByScript()), [401, 401], 'the counter of the clone is too low')
    await logged(/the counter went back/)

    await device.replaceBy(newest)
    t.strictSame(
      await page.evaluate(logInByScript('discouraged')),
      [401, 401],
      'a response without user verification is refused',
    )
    await logged(/could not be verified/)
    t.strictSame(await page.evaluate(logInByScript()), [200, 401], 'the original device still works')
  })

  await t.test('offers no passkeys to a page of another origin', async (t) => {
    const { page } = await newPersonAt(app)
    await addPasskey(page, 'Telefon')
    // The other page has the same host name and another port, so that the browser allows it to request the credential.
    const other = await openGateway(t, app.url)
    await page.goto(`http://localhost:${new URL(other.url).port}/mail/abbestellen`)
    const asked = await (await fetch(`${app.url}${LOGIN_OPTIONS}`, { method: 'POST' })).json()
    const credential = await page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(asked)})
    return (await navigator.credentials.get({ publicKey })).toJSON()
  })()`)
    const response = await fetch(`${app.url}/api/auth/passkeys/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ credential }),
    })
    t.equal(response.status, 401)
    await logged(/Unexpected authentication response origin/)
  })
})
