import { type Browser, chromium, type Page } from 'playwright-core'
import { startIdentityProvider } from '../../support/identity-provider.js'
import { freePort } from '../../support/postgres.js'
import {
  createStoreVariables,
  firstLogin,
  type Login,
  loginOver,
  type Owner,
  startProcess,
} from '../../support/process.js'
import { HEADLESS } from './app.js'
import { providerVariables } from './company.js'
import { addDevice, addPasskey } from './device.js'
import { PATIENCE_MS } from './patience.js'

const PASSWORD = 'vier-zufaellige-woerter'
const ERIKA = { sub: 'e-1', preferred_username: 'erika', name: 'Erika von der Sonnenberg-Hohenstein' }
const OTTO = { sub: 'o-1', preferred_username: 'otto', name: 'Otto Neu' }

/**
 * A function that inspects a page
 * @param state name of the page's state, also used as file name
 */
type Look = (page: Page, state: string) => Promise<void>

/** Opens login, account and administration pages with different login methods, and calls `look` for each state. */
export async function visitSignInStates(t: Owner, look: Look): Promise<void> {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}/`
  const at = (path: string) => publicUrl + path
  const provider = await startIdentityProvider(t, at('api/auth/oidc/callback'))
  const browser = await chromium.launch({ executablePath: HEADLESS, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const store = { ...(await createStoreVariables(t)), PORT: String(port), PUBLIC_URL: publicUrl }
  const withProvider = { ...store, ...providerVariables(provider, publicUrl) }
  let service = await startProcess(t, withProvider)
  const restart = async (variables: Record<string, string>) => {
    await service.stop()
    service = await startProcess(t, variables)
  }
  const admin = firstLogin(service, store)
  const asAdmin = await loginOver(service.url, admin)
  for (const username of ['erika', 'tomasz', 'lena']) {
    const user = { username, password: PASSWORD, display_name: username }
    const { id } = (await (await asAdmin('/api/admin/users', { body: user })).json()) as { id: number }
    if (username !== 'lena') continue
    await asAdmin(`/api/accounts/${id}`, {
      method: 'PATCH',
      body: { link_next_login: true, must_change_password: true },
    })
  }

  const newPage = () => openPage(browser)
  const byPassword = async ({ username, password }: Login) => {
    const page = await newPage()
    await page.request.post(at('api/auth/login'), { data: { username, password } })
    await page.goto(at('konto'))
    await page.getByText('dieses Gerät').waitFor()
    return page
  }
  const byProvider = async (person: typeof OTTO) => {
    const page = await newPage()
    provider.person = person
    await page.goto(at('konto'))
    await page.getByRole('link', { name: 'Mit Firmenkonto anmelden' }).click()
    await page.getByText('dieses Gerät').waitFor()
    return page
  }
  const addPasskeys = async (page: Page, ...names: string[]) => {
    const device = await addDevice(page)
    for (const name of names) {
      await addPasskey(page, name)
      // The next passkey is created on another device.
      await device.replaceBy([])
    }
  }
  const lookAtLogin = async (state: string, path = 'anmelden') => {
    const page = await newPage()
    await page.goto(at(path))
    await page
      .getByText(/Mit .+ anmelden/)
      .first()
      .waitFor()
    await look(page, state)
    return page
  }
  const lookAtAccount = async (page: Page, state: string) => {
    await page.goto(at('konto'))
    await page.getByText('dieses Gerät').waitFor()
    await page.getByRole('heading', { name: 'API-Token' }).waitFor()
    await look(page, state)
  }
  const lookAtRecentLogin = async (page: Page, state: string) => {
    await page.getByRole('button', { name: 'Neuer Token' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Nachtlauf')
    await page.getByRole('button', { name: 'Anlegen' }).click()
    await page.getByRole('dialog', { name: 'Bitte erneut anmelden' }).getByText('bestätigen').first().waitFor()
    await look(page, state)
  }
  const lookAtUsers = async (page: Page, state: string, ...names: string[]) => {
    await page.goto(at('verwaltung/benutzer'))
    await page.locator('main table td').first().waitFor()
    await look(page, `${state}-benutzer`)
    for (const name of names) {
      await page.goto(at('verwaltung/benutzer'))
      await page.getByRole('link', { name }).click()
      await page.getByRole('heading', { name: 'Anmeldung' }).waitFor()
      await look(page, `${state}-${name.split(' ')[0]?.toLowerCase()}`)
    }
  }

  await lookAtLogin('alles-anmelden')
  await lookAtLogin('alles-anmelden-abgelehnt', 'anmelden?fehler=name_vergeben')
  const none = await byPassword({ username: 'tomasz', password: PASSWORD })
  await look(none, 'alles-konto-nichts-davon')
  await addPasskeys(none, 'Telefon')
  await none.getByLabel('Nur mit Passkey anmelden').click()
  await none.getByText('Das Passwort wird jetzt abgelehnt.').waitFor()
  await lookAtAccount(none, 'alles-konto-nur-passkey')
  const first = await byPassword({ username: 'erika', password: PASSWORD })
  await addPasskeys(first, 'Diensthandy', 'Notebook im Besprechungsraum, das allen gehört')
  provider.person = ERIKA
  await first.getByRole('button', { name: 'Verknüpfen' }).click()
  const question = first.getByRole('dialog', { name: 'Mit „erika“ verknüpfen?' })
  await question.waitFor()
  await look(first, 'alles-konto-verknuepfen')
  await question.getByRole('button', { name: 'Verknüpfen' }).click()
  await first.getByRole('button', { name: /trennen$/ }).waitFor()
  // The provider reports no authentication time, so a login never counts as recent.
  const all = await byProvider(ERIKA)
  await lookAtAccount(all, 'alles-konto-alles')
  await lookAtRecentLogin(all, 'alles-bestaetigen-alles')
  const only = await byProvider(OTTO)
  await lookAtAccount(only, 'alles-konto-nur-anbieter')
  await lookAtRecentLogin(only, 'alles-bestaetigen-nur-anbieter')
  const boss = await byPassword(admin)
  await lookAtUsers(boss, 'alles', ERIKA.name, OTTO.name, 'tomasz', 'lena')

  await restart({ ...withProvider, PASSWORD_LOGIN: 'off' })
  const off = await lookAtLogin('ohne-passwort-anmelden')
  await off.getByRole('button', { name: 'Mit Passwort anmelden' }).click()
  await off.getByLabel('Benutzername').fill('erika')
  await off.getByLabel('Passwort', { exact: true }).fill(PASSWORD)
  await off.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await off.getByText('Anmeldung mit Passwort ist abgeschaltet').waitFor()
  await look(off, 'ohne-passwort-anmelden-abgelehnt')
  await lookAtAccount(all, 'ohne-passwort-konto-alles')
  await all.getByText('Die Anmeldung mit Passwort ist hier abgeschaltet.').waitFor()
  await lookAtRecentLogin(all, 'ohne-passwort-bestaetigen-alles')
  await lookAtUsers(boss, 'ohne-passwort', ERIKA.name, 'admin')

  await provider.stop()
  await restart(withProvider)
  const broken = await newPage()
  await broken.goto(at('anmelden'))
  await broken.getByRole('link', { name: 'Mit Firmenkonto anmelden' }).click()
  await broken.getByText('ist gerade nicht zu erreichen').waitFor()
  await look(broken, 'kaputt-anmelden')
  await lookAtAccount(only, 'kaputt-konto')
  await lookAtRecentLogin(only, 'kaputt-bestaetigen')
  await only.getByRole('link', { name: 'Mit Firmenkonto bestätigen' }).click()
  await only.getByText('ist gerade nicht zu erreichen').waitFor()
  await look(only, 'kaputt-konto-abgelehnt')

  await restart(store)
  await lookAtLogin('weg-anmelden')
  await lookAtAccount(all, 'weg-konto-alles')
  await lookAtAccount(only, 'weg-konto-nur-anbieter')
  await lookAtUsers(boss, 'weg', OTTO.name)
  await boss.getByText('verknüpft, aber hier nicht mehr eingerichtet').waitFor()
}

async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ locale: 'de-DE', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' })
  context.setDefaultTimeout(PATIENCE_MS)
  return context.newPage()
}
