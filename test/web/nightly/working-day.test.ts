import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../../support/content.js'
import { CHROMIUM, openApp, PHONE } from '../support/app.js'
import { press, untilReady } from '../support/keys.js'
import { until } from '../support/patience.js'

const PEOPLE = 30
const cards = Array.from({ length: 12 }, (_, at) => ({ id: `karte-${at}`, question: `Frage ${at + 1}?` }))
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Benutzername').fill(username)
  await page.getByLabel('Passwort', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

async function choosePassword(page: Page, next: string): Promise<void> {
  await page.getByLabel('Neues Passwort').fill(next)
  await button(page, 'Passwort ändern').click()
}

t.test('a working day', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const content = await writeContentFolder(t, { 'decks/team.md': deckFile('Unser Team', cards, { slug: 'team' }) })
  const app = await openApp(t, { config: { contentDir: content } })
  const passwords = new Map<string, string>()

  const office = await app.newBrowser()
  const admin = office.page

  await t.test('an administrator sets up accounts for thirty people', async (t) => {
    await admin.goto(app.url)
    await logIn(admin, app.admin.username, app.admin.password)
    await admin.getByRole('heading', { level: 1 }).waitFor()
    await admin.getByRole('button', { name: /^Menü von/ }).click()
    await admin.getByRole('menuitem', { name: 'Verwaltung' }).click()
    await admin.getByRole('link', { name: 'Benutzer', exact: true }).click()
    await admin.getByRole('link', { name: 'Viele auf einmal' }).click()
    const lines = Array.from({ length: PEOPLE }, (_, at) => `kollege-${at + 1};Kollege ${at + 1}`)
    await admin.getByLabel('Oder hier einfügen').fill(`Benutzername;Name\n${lines.join('\n')}\n`)
    await button(admin, 'Liste prüfen').click()
    await button(admin, `${PEOPLE} Konten anlegen`).click()
    const kept = admin.waitForEvent('download')
    await button(admin, 'Als CSV herunterladen').click()
    const [, ...rows] = (await readFile(await (await kept).path(), 'utf8')).trim().split('\r\n')
    for (const row of rows) {
      const [username = '', , password = ''] = row.split(';')
      passwords.set(username, password)
    }
    t.equal(passwords.size, PEOPLE)
  })

  await t.test('imports content with a fault and corrects it', async (t) => {
    await changeFiles(content, { 'decks/neu.md': '---\nname: Neues\n---\n## Eine Frage ohne Antwort?\n' })
    await admin.goto(`${app.url}/inhalte/ordner`)
    await button(admin, 'Dateien prüfen').click()
    await admin
      .getByText(/^decks\/neu\.md:\d+/)
      .first()
      .waitFor()
    await changeFiles(content, { 'decks/neu.md': deckFile('Neues', [{ id: 'eine' }, { id: 'zwei' }]) })
    await button(admin, 'Noch einmal prüfen').click()
    await button(admin, 'Jetzt einlesen').click()
    await admin.getByText('Die Inhalte sind eingelesen.').waitFor()
    await admin.getByText('2 Decks, 14 Karten').waitFor()
    t.strictSame(office.complaints, [])
  })

  const train = await app.newBrowser({ viewport: PHONE, hasTouch: true, isMobile: true })
  const phone = train.page

  await t.test('a learner studies on a phone, loses the network and returns', async (t) => {
    await phone.goto(app.url)
    await logIn(phone, 'kollege-1', passwords.get('kollege-1') ?? '')
    await choosePassword(phone, 'eins-zwei-drei')
    await phone.getByRole('link', { name: 'Erste Karten lernen' }).tap()
    for (let card = 0; card < 6; card++) {
      await phone.getByRole('button', { name: /^Antwort zeigen/ }).waitFor()
      await untilReady(phone)
      await phone.getByRole('button', { name: /^Antwort zeigen/ }).tap()
      await phone.getByRole('button', { name: /^Gut/ }).waitFor()
      await untilReady(phone)
      const isRating = (request: Request) => request.method() === 'POST' && request.url().includes('/api/review')
      const arrived = card < 3 && phone.waitForEvent('requestfinished', isRating)
      await phone.getByRole('button', { name: /^Gut/ }).tap()
      await arrived
      if (card === 2) await phone.context().setOffline(true)
    }
    await phone.getByText('3 warten').waitFor()
    await phone.context().setOffline(false)
    await phone.getByText(/wartet|warten/).waitFor({ state: 'detached' })
    const { entries } = (await (await phone.request.get(`${app.url}/api/review/history`)).json()) as {
      entries: { card_id: number }[]
    }
    t.equal(entries.length, 6)
    t.equal(new Set(entries.map(({ card_id }) => card_id)).size, 6)
  })

  await t.test('another learner uses the keyboard alone', async (t) => {
    const desk = await app.newBrowser()
    const { page } = desk
    await page.goto(app.url)
    await page.getByLabel('Benutzername').waitFor()
    await page.keyboard.type('kollege-2')
    await page.keyboard.press('Tab')
    await page.keyboard.type(passwords.get('kollege-2') ?? '')
    await page.keyboard.press('Enter')
    await page.getByLabel('Neues Passwort').waitFor()
    t.equal(await page.evaluate('document.activeElement.autocomplete'), 'new-password')
    await page.keyboard.type('vier-fuenf-sechs')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Erste Karten lernen' }).waitFor()
    for (let steps = 0; steps < 30; steps++) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate('document.activeElement.textContent')) === 'Erste Karten lernen') break
    }
    await page.keyboard.press('Enter')
    // The decks have twelve and two cards. The rating „Leicht“ adds no repetition.
    for (let card = 0; card < 14; card++) {
      await page.getByRole('button', { name: /^Antwort zeigen/ }).waitFor()
      await press(page, ' ', '4')
    }
    await page
      .getByRole('heading', { name: /geschafft|Karten/i })
      .first()
      .waitFor()
    await press(page, 'Escape')
    await until(async () => {
      const queue = await (await page.request.get(`${app.url}/api/review/queue`)).json()
      return queue.counts.due + queue.counts.new === 0
    }, 'all cards are rated')
    t.strictSame(desk.complaints, [])
  })

  await t.test('a learner has forgotten the password', async (t) => {
    const { page } = await app.newBrowser()
    await page.goto(app.url)
    await logIn(page, 'kollege-3', 'keine-ahnung')
    await page.getByText('Benutzername oder Passwort falsch').waitFor()

    await admin.goto(`${app.url}/verwaltung/benutzer`)
    await admin.getByRole('searchbox').fill('kollege 3')
    await admin.getByText('2 Treffer').first().waitFor()
    await admin.getByRole('link', { name: 'Kollege 3', exact: true }).click()
    await button(admin, 'Neues Passwort').click()
    await button(admin, 'Neues Passwort setzen').click()
    const secret = await admin.locator('dialog[open]').getByLabel('Passwort von kollege-3').inputValue()

    await logIn(page, 'kollege-3', secret)
    await choosePassword(page, 'diesmal-gemerkt')
    await page.getByRole('link', { name: 'Erste Karten lernen' }).waitFor()
    t.strictSame(office.complaints, [])
  })
})
