import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { CDPSession, Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { createStoreVariables, startProcess } from '../support/process.js'
import { type App, CHROMIUM, findBarriers, openApp, type Person, until } from './support/app.js'

const skip = !existsSync(CHROMIUM) && 'no Chromium'

const LOGIN_OPTIONS = '/api/auth/passkeys/login-options'

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The service at the address under which browsers know passkeys without TLS. */
async function openLocalApp(t: Test): Promise<App> {
  const port = String(await findFreePort())
  return openApp(t, { PORT: port, PUBLIC_URL: `http://localhost:${port}/` })
}

interface Device {
  cdp: CDPSession
  authenticatorId: string
  credentials(): Promise<Credential[]>
  /** Another device with the same content, in place of this one. */
  replaceBy(credentials: Credential[]): Promise<void>
  /** Whether somebody touches it as soon as it asks; so the list of names at the login counts as chosen, too. */
  isTouched(is: boolean): Promise<void>
}
interface Credential {
  credentialId: string
  signCount: number
}

const OPTIONS = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
}

/** A device that holds passkeys, as Chromium has one for tests. */
async function addDevice(page: Page): Promise<Device> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const add = async () =>
    (await cdp.send('WebAuthn.addVirtualAuthenticator', { options: OPTIONS as never })).authenticatorId
  const device: Device = {
    cdp,
    authenticatorId: await add(),
    credentials: async () => {
      const { authenticatorId } = device
      return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
    },
    replaceBy: async (credentials) => {
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: device.authenticatorId })
      device.authenticatorId = await add()
      for (const credential of credentials) {
        await cdp.send('WebAuthn.addCredential', {
          authenticatorId: device.authenticatorId,
          credential: credential as never,
        })
      }
    },
    isTouched: async (enabled) => {
      await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId: device.authenticatorId, enabled })
    },
  }
  return device
}

/** Somebody new at their account page. */
async function newPersonAt(
  app: App,
  options: Parameters<App['newPerson']>[0] = {},
): Promise<Person & { device: Device }> {
  const person = await app.newPerson(options)
  const device = await addDevice(person.page)
  await person.page.goto(`${app.url}/konto`)
  return { ...person, device }
}

const card = (page: Page) => page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

async function addPasskey(page: Page, name: string): Promise<void> {
  await card(page).getByRole('button', { name: 'Passkey hinzufügen' }).click()
  const asked = dialog(page, 'Passkey hinzufügen')
  await asked.getByLabel('Name').fill(name)
  await asked.getByRole('button', { name: 'Weiter' }).click()
  await card(page).getByText(name).waitFor()
}

/** Out, and at the login page again, where nothing is chosen before the test does. */
async function logOut({ page, device }: { page: Page; device: Device }, url: string, isTouched = false): Promise<void> {
  await device.isTouched(isTouched)
  await page.request.post(`${url}/api/auth/logout`)
  await page.evaluate('localStorage.clear()')
  const offered = page.waitForResponse(`**${LOGIN_OPTIONS}`)
  await page.goto(`${url}/anmelden`)
  await offered
}

/** The device never answers what it was asked before it is touched, so the question waits for the finger. */
async function logInByButton({ page, device }: { page: Page; device: Device }): Promise<void> {
  const touch = async (route: Route) => {
    await device.isTouched(true)
    await route.continue()
  }
  await page.route(`**${LOGIN_OPTIONS}`, touch, { times: 1 })
  await page.getByRole('button', { name: 'Mit Passkey anmelden' }).click()
}

/** Waits until the service has written why it refused somebody. */
async function logged(app: App, reason: RegExp): Promise<void> {
  for (let tries = 0; !reason.test(app.service.output()); tries++) {
    if (tries > 100) throw new Error(`not in the log: ${reason}`)
    await delay(50)
  }
}

/** Sends what the page's own code would, twice; the statuses. */
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

t.test('a person adds a passkey, logs in by it without a name, and removes it', { skip }, async (t) => {
  const app = await openLocalApp(t)
  const person = await newPersonAt(app)
  const { page, device, complaints } = person
  await addPasskey(page, 'Mein Notebook')
  const [credential] = await device.credentials()
  t.match(credential, { isResidentCredential: true, rpId: 'localhost' })
  t.strictSame(await findBarriers(page), [])

  await logOut(person, app.url)
  t.strictSame(await findBarriers(page), [])
  await logInByButton(person)
  await until(page, `location.pathname === '/'`)
  t.match(await (await page.request.get(`${app.url}/api/auth/me`)).json(), { sign_in: { passkeys: 1 } })

  await page.goto(`${app.url}/konto`)
  await card(page).getByText('zuletzt benutzt').waitFor()

  await logOut(person, app.url, true)
  await until(page, `location.pathname === '/'`)
  t.pass('the list of names that the browser shows logs in, too')

  await page.goto(`${app.url}/konto`)
  await card(page).getByRole('button', { name: 'Passkey Mein Notebook entfernen' }).click()
  await card(page).getByText('Mein Notebook').waitFor({ state: 'detached' })
  await logOut(person, app.url)
  await logInByButton(person)
  await page.getByText('Die Anmeldung mit Passkey ist fehlgeschlagen').first().waitFor()
  t.strictSame(complaints, [])
})

t.test('only with passkeys: the password is refused, and the last one stays', { skip }, async (t) => {
  const app = await openLocalApp(t)
  const person = await newPersonAt(app)
  const { page, login, complaints } = person
  await addPasskey(page, 'Telefon')
  await page.getByLabel('Nur mit Passkey anmelden').check()
  await page.getByText('Das Passwort wird jetzt abgelehnt.').waitFor()
  await card(page).getByRole('button', { name: 'Passkey Telefon entfernen' }).click()
  await page.getByText('Der letzte Passkey bleibt, solange').waitFor()

  await logOut(person, app.url)
  await page.getByLabel('Benutzername').fill(login.username)
  await page.getByLabel('Passwort', { exact: true }).fill(login.password)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByText('Benutzername oder Passwort falsch').waitFor()
  await logInByButton(person)
  await until(page, `location.pathname === '/'`)

  const chief = await app.newBrowser()
  await chief.page.request.post(`${app.url}/api/auth/login`, { data: app.admin })
  await chief.page.goto(`${app.url}/verwaltung/benutzer`)
  await chief.page.getByText('nur mit Passkey').waitFor()
  t.strictSame(await findBarriers(chief.page), [])
  t.strictSame([...complaints, ...chief.complaints], [])
})

t.test('what hands out access asks again, by password or passkey, and then goes on', { skip }, async (t) => {
  const app = await openLocalApp(t)
  const { page, login, complaints } = await newPersonAt(app)
  await addPasskey(page, 'Telefon')
  /** As ten minutes later: the service says so once, and is then asked again by the app. */
  const answerOnce = (path: string) =>
    page.route(
      `**${path}`,
      (route) =>
        route.request().method() === 'GET'
          ? route.continue()
          : route.fulfill({
              status: 403,
              headers: { 'www-authenticate': 'Session error="insufficient_user_authentication"' },
              json: { statusCode: 403, error: 'Forbidden', message: 'Bitte erneut anmelden' },
            }),
      { times: 1 },
    )
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

t.test('a copy of the device, a device that does not ask, and a repeated answer are refused', { skip }, async (t) => {
  const app = await openLocalApp(t)
  const { page, device } = await newPersonAt(app)
  await addPasskey(page, 'Telefon')
  const stolen = await device.credentials()
  t.strictSame(await page.evaluate(logInByScript()), [200, 401], 'an answer counts once')

  const newest = await device.credentials()
  await device.replaceBy(stolen)
  t.strictSame(await page.evaluate(logInByScript()), [401, 401], 'the copy counts from where it was copied')
  await logged(app, /the counter went back/)

  await device.replaceBy(newest)
  t.strictSame(await page.evaluate(logInByScript('discouraged')), [401, 401], 'nobody was asked for finger or PIN')
  await logged(app, /could not be verified/)
  t.strictSame(await page.evaluate(logInByScript()), [200, 401], 'the device itself goes on')
})

t.test('a page of another address gets nothing from the device that counts here', { skip }, async (t) => {
  const app = await openLocalApp(t)
  const { page } = await newPersonAt(app)
  await addPasskey(page, 'Telefon')
  // The same host name, so that the browser lets the page ask, and another port.
  const other = await startProcess(t, await createStoreVariables(t))
  const { port } = new URL(other.url)
  await page.goto(`http://localhost:${port}/anmelden`)
  const asked = await (await fetch(`${app.service.url}${LOGIN_OPTIONS}`, { method: 'POST' })).json()
  const credential = await page.evaluate(`(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(asked)})
    return (await navigator.credentials.get({ publicKey })).toJSON()
  })()`)
  const answer = await fetch(`${app.service.url}/api/auth/passkeys/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ credential }),
  })
  t.equal(answer.status, 401)
  await logged(app, /Unexpected authentication response origin/)
})
