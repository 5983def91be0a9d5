import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { IdentityProvider } from '../../support/identity-provider.js'
import { CLIENT_ID, CLIENT_SECRET } from '../../support/identity-provider.js'
import { firstLogin, type Login, loginOver, type RunningService, startProcess } from '../../support/process.js'
import { collectComplaints, DESK, findBarriers } from './app.js'
import { PATIENCE_MS } from './patience.js'

export interface Company {
  provider: IdentityProvider
  browser: Browser
  /** Public URL, ending with a slash */
  publicUrl: string
  /** Environment variables of the service, without those of the provider */
  variables: Record<string, string>
}

export function providerVariables(provider: IdentityProvider, publicUrl: string): Record<string, string> {
  return {
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_ADMIN_CLAIM: 'groups',
    OIDC_ADMIN_VALUE: 'training-admins',
    OIDC_LABEL: 'Firmenkonto',
  }
}

const PASSWORD = 'vier-zufaellige-woerter'
const ERIKA = { sub: 'e-1', preferred_username: 'erika', name: 'Erika aus der Firma' }
const OTTO = { sub: 'o-1', preferred_username: 'otto', name: 'Otto Neu' }
const KARL = { sub: 'k-1', preferred_username: 'karl.gross', name: 'Karl aus der Firma' }

/** Origin of the fonts that the provider's pages load */
const FONTS = 'https://fonts.googleapis.com/'

/** Simulates the day on which a company that uses passwords introduces single sign-on. */
export async function testFirstDay(t: Test, { provider, browser, publicUrl, variables }: Company): Promise<void> {
  let service: RunningService = await startProcess(t, variables)
  const admin = firstLogin(service, variables)
  // Closes all pages, which would report errors during the restart, and restarts the service with the provider.
  const restart = async (more: Record<string, string> = {}) => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    await service.stop()
    service = await startProcess(t, { ...variables, ...providerVariables(provider, publicUrl), ...more })
  }
  const complaints: string[][] = []
  const newPage = async () => {
    const context = await browser.newContext({ viewport: DESK, locale: 'de-DE', reducedMotion: 'reduce' })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    complaints.push(collectComplaints(page, publicUrl))
    return page
  }
  const at = (path: string) => publicUrl + path
  const heading = (page: Page) => page.locator('h1')
  const button = (page: Page) => page.getByRole('link', { name: 'Mit Firmenkonto anmelden' })
  const clickProvider = async (page: Page, person: object) => {
    provider.person = person as IdentityProvider['person']
    await button(page).click()
  }
  const byPassword = async (page: Page, { username, password }: Login) => {
    await page.getByLabel('Benutzername').fill(username)
    await page.getByLabel('Passwort', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  }
  const logOut = async (page: Page, name: string) => {
    await page.getByRole('button', { name: `Menü von ${name}` }).click()
    await page.getByText('Abmelden', { exact: true }).click()
  }
  const isAtLogin = async (page: Page) => {
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    return true
  }

  const asAdmin = await loginOver(service.url, admin)
  for (const username of ['erika', 'karl']) {
    const made = await asAdmin('/api/admin/users', {
      body: { username, password: PASSWORD, display_name: `${username} mit Passwort` },
    })
    t.equal(made.status, 200, await made.text())
  }

  await t.test('offers the provider beside the password', async (t) => {
    const before = await newPage()
    await before.goto(at('anmelden'))
    await before.getByLabel('Benutzername').waitFor()
    t.equal(await button(before).count(), 0, 'not before the permission')
    await restart()
    const page = await newPage()
    await page.goto(at('anmelden'))
    await button(page).waitFor()
    t.ok(await page.getByLabel('Benutzername').isVisible())
    t.strictSame(await findBarriers(page), [])
  })

  await t.test('refuses an account of the same name until an administrator allows linking once', async (t) => {
    const page = await newPage()
    await page.goto(at('anmelden?weiter=/hilfe'))
    await clickProvider(page, ERIKA)
    await page.getByText('Ein Konto mit deinem Benutzernamen gibt es hier schon').waitFor()
    t.strictSame(await findBarriers(page), [])
    t.equal(page.url(), at('anmelden?weiter=%2Fhilfe'))
    await page.reload()
    await button(page).waitFor()
    t.equal(await page.getByText('gibt es hier schon').count(), 0, 'the message is shown once')

    const boss = await newPage()
    await boss.goto(at('verwaltung/benutzer'))
    await byPassword(boss, admin)
    await boss.getByRole('link', { name: 'erika mit Passwort' }).click()
    await boss.getByText('nicht verknüpft').waitFor()
    await boss.getByLabel('Beim nächsten Anmelden verknüpfen').check()
    await boss.getByText('Die nächste Anmeldung wird verknüpft.').waitFor()

    await clickProvider(page, ERIKA)
    await page.waitForURL(at('hilfe'))
    await heading(page).waitFor()
    await page.goto(at('konto'))
    const name = page.getByLabel('Anzeigename')
    t.equal(await name.inputValue(), ERIKA.name)
    await page.getByText('Der Name kommt von „Firmenkonto“').waitFor()
    t.equal(await name.getAttribute('readonly'), '')
    t.strictSame(await findBarriers(page), [])
    await boss.reload()
    await boss.getByText('verknüpft', { exact: true }).waitFor()
    t.notOk(await boss.getByLabel('Beim nächsten Anmelden verknüpfen').isChecked(), 'the permission counted once')
    t.strictSame(await findBarriers(boss), [])
  })

  await t.test('creates an account for a new person and keeps its only login method', async (t) => {
    const page = await newPage()
    await page.goto(at('decks/git?a=1'))
    await clickProvider(page, OTTO)
    await page.waitForURL(at('decks/git?a=1'))
    await page.getByRole('button', { name: `Menü von ${OTTO.name}` }).waitFor()
    await page.goto(at('konto'))
    await page.getByText('Dieses Konto hat kein Passwort').waitFor()
    await page.getByRole('button', { name: /trennen$/ }).click()
    await page.getByText('Ohne diesen Weg könnte sich niemand mehr anmelden').waitFor()
    t.equal(await page.getByRole('button', { name: /trennen$/ }).count(), 1)
  })

  await t.test('links and unlinks an account with a password', async (t) => {
    const page = await newPage()
    await page.goto(at('konto'))
    await byPassword(page, { username: 'karl', password: PASSWORD })
    await page.getByRole('button', { name: 'Verknüpfen' }).waitFor()
    provider.person = OTTO
    await page.getByRole('button', { name: 'Verknüpfen' }).click()
    await page.getByText('gehört hier schon zu einem anderen Konto').waitFor()
    t.equal(page.url(), at('konto'), 'shown on the page where linking started')
    // Another person uses a browser without a session at the provider.
    await page.context().clearCookies({ domain: '127.0.0.1' })
    provider.person = KARL
    await page.getByRole('button', { name: 'Verknüpfen' }).click()
    const question = page.getByRole('dialog', { name: /^Mit „.+“ verknüpfen\?$/ })
    await question.getByRole('button', { name: 'Verknüpfen' }).click()
    await page.getByRole('button', { name: /trennen$/ }).waitFor()
    t.equal(page.url(), at('konto'))
    const other = await newPage()
    await other.goto(publicUrl)
    await clickProvider(other, KARL)
    await other.getByRole('button', { name: `Menü von ${KARL.name}` }).waitFor()
    await page.getByRole('button', { name: /trennen$/ }).click()
    await page.getByText('Die Verknüpfung ist getrennt.').waitFor()
    await page.getByRole('button', { name: 'Verknüpfen' }).waitFor()
  })

  await t.test('grants and revokes rights with the group at the next login', async (t) => {
    const page = await newPage()
    await page.goto(publicUrl)
    for (const [groups, isAdmin] of [
      [['training-admins'], true],
      [['andere'], false],
    ] as const) {
      await clickProvider(page, { ...OTTO, groups })
      await page.getByRole('button', { name: `Menü von ${OTTO.name}` }).click()
      await page.getByRole('menuitem', { name: 'Konto' }).waitFor()
      t.equal(await page.getByRole('menuitem', { name: 'Verwaltung' }).count(), isAdmin ? 1 : 0)
      await page.keyboard.press('Escape')
      await logOut(page, OTTO.name)
      await page.waitForURL(`${provider.issuer}/session/end?client_id=${CLIENT_ID}`)
      await page.goto(publicUrl)
      t.ok(await isAtLogin(page), 'the session of this browser has ended')
    }
  })

  await t.test('ends all sessions after a logout at the provider', async (t) => {
    const [first, second] = [await newPage(), await newPage()]
    for (const page of [first, second]) {
      await page.goto(publicUrl)
      await clickProvider(page, OTTO)
      await page.getByRole('button', { name: `Menü von ${OTTO.name}` }).waitFor()
    }
    const cookies = await first.context().cookies(provider.issuer)
    await provider.logOut(new Map(cookies.map(({ name, value }) => [name, value])))
    for (const page of [first, second]) {
      await page.reload()
      t.ok(await isAtLogin(page))
    }
  })

  await t.test('names the outage of the provider while passwords work', async () => {
    await provider.stop()
    await restart()
    const page = await newPage()
    await page.goto(at('anmelden?weiter=/hilfe'))
    await clickProvider(page, ERIKA)
    await page.getByText('Der Anbieter der Anmeldung ist gerade nicht zu erreichen').waitFor()
    await byPassword(page, { username: 'erika', password: PASSWORD })
    await page.waitForURL(at('hilfe'))
    await page.getByRole('button', { name: `Menü von ${ERIKA.name}` }).waitFor()
    await provider.start()
    const healed = await newPage()
    await healed.goto(publicUrl)
    await clickProvider(healed, ERIKA)
    await healed.getByRole('button', { name: `Menü von ${ERIKA.name}` }).waitFor()
  })

  await t.test('admits the emergency account while passwords are off', async (t) => {
    await restart({ PASSWORD_LOGIN: 'off' })
    const page = await newPage()
    await page.goto(publicUrl)
    await button(page).waitFor()
    t.equal(await page.getByLabel('Benutzername').count(), 0)
    t.strictSame(await findBarriers(page), [])
    await page.getByRole('button', { name: 'Mit Passwort anmelden' }).click()
    await byPassword(page, { username: 'erika', password: PASSWORD })
    await page.getByText('Anmeldung mit Passwort ist abgeschaltet').waitFor()
    await byPassword(page, admin)
    await page.getByRole('button', { name: /^Menü von/ }).waitFor()
    await page.goto(at('verwaltung/benutzer'))
    await page.getByText('Notfallzugang').first().waitFor()
  })

  await t.test('leaves no console messages', async (t) => {
    const isExpected = (complaint: string) => [provider.issuer, FONTS].some((part) => complaint.includes(part))
    t.strictSame(
      complaints.flat().filter((complaint) => !isExpected(complaint)),
      [],
    )
  })
}
