import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { issueCertificate } from '../support/assignments.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { unzip } from '../support/packages.js'
import { CHROMIUM, findBarriers, isTooWide, logInAs, openApp, PHONE } from './support/app.js'
import { routeOnce } from './support/route.js'
import { findUserId, writeAssignment, writeSome } from './support/written.js'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first().waitFor()

t.test('evidence', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t, { now: () => new Date('2026-12-04T10:00:00Z') })
  const { db } = app
  await writeSome(app)
  const title = 'Brandschutz'
  const personal = { kind: 'personal', title: 'Rundgang' }
  const id = await writeAssignment(app, { title, parts: [{ kind: 'sheet', slug: 'netzwerk-kompakt' }, personal] })
  const ada = await app.newPerson({ name: 'Ada Äpfel' })
  const adaId = await findUserId(app, ada.login.username)
  await issueCertificate(db, { id, title }, adaId, {
    name: 'Ada Äpfel',
    personnel_number: '00417',
    valid_until: '2026-12-20',
  })
  await issueCertificate(db, { id, title }, await findUserId(app, 'admin'), { name: 'Bo Birne' })
  const { username } = await createUser(db, { is_auditor: true, display_name: 'Petra Prüfer' })
  const newAuditor = async (options = {}) => {
    const browser = await app.newBrowser(options)
    await logInAs(browser.page, app.url, { username, password: PASSWORD })
    return browser
  }

  await t.test('an administrator downloads all proofs as a ZIP', async (t) => {
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/aufgaben/vergeben/${id}`)
    await button(page, 'Alle Nachweise als ZIP …').click()
    await button(page, 'Herunterladen').click()
    await dialog(page).getByText('Wofür wird das ZIP gebraucht?').waitFor()
    await dialog(page).getByLabel('Zweck').fill('Ablage 2026')

    await page.route('**/proofs.zip?*', () => {})
    await button(page, 'Herunterladen').click()
    await dialog(page).getByText('Die PDFs werden gedruckt').waitFor()
    t.strictSame(await findBarriers(page), [])
    await button(page, 'Abbrechen').click()
    await page.getByText('Abgebrochen. Es ist keine Datei entstanden.').waitFor()
    await page.unroute('**/proofs.zip?*')

    await button(page, 'Alle Nachweise als ZIP …').click()
    await dialog(page).getByLabel('Zweck').fill('Ablage 2026')
    for (const [answer, sentence] of [
      [{ status: 429, headers: { 'x-error-code': 'too_many_attempts' } }, /gerade schon ein ZIP .* geht das nächste/],
      ['failed', /Dienst ist gerade nicht erreichbar.* Es ist keine Datei entstanden/],
    ] as const) {
      await routeOnce(page, '**/proofs.zip?*', (route) =>
        answer === 'failed' ? route.abort(answer) : route.fulfill({ ...answer, json: {} }),
      )
      await dialog(page).locator('footer button').last().click()
      await dialog(page).getByText(sentence).waitFor()
      t.equal(await dialog(page).getByLabel('Zweck').inputValue(), 'Ablage 2026', 'nothing typed is lost')
    }
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Noch einmal').click()])
    t.match(download.suggestedFilename(), /^nachweise_\d{4}-\d\d-\d\d\.zip$/)
    t.equal((await unzip(await readFile(await download.path()))).size, 2)
    await dialog(page).getByText('Fertig: 2 Nachweise sind gespeichert.').waitFor()
    t.match(complaints.splice(0), [/ERR_FAILED/], 'the failed request')
  })

  await t.test('an auditor finds states, proofs, files, the audit trail and the privacy page', async (t) => {
    for (const options of [{}, { viewport: PHONE, colorScheme: 'dark' }] as const) {
      const { page, complaints } = await newAuditor(options)
      const look = async (name: string) => {
        t.strictSame(await findBarriers(page), [], name)
        t.equal(await isTooWide(page), false, name)
      }
      await page.goto(`${app.url}/aufgaben/vergeben`)
      await heading(page, 'Aufgaben betreuen')
      t.equal(await page.getByRole('link', { name: 'Neue Aufgabe' }).count(), 0)
      await page.getByRole('link', { name: title, exact: true }).click()
      await page.locator('main tr').filter({ hasText: 'Ada Äpfel' }).getByText('offen').first().waitFor()
      t.equal(await page.getByRole('button', { name: /^Entscheiden für/ }).count(), 0)
      t.equal(await page.getByRole('button', { name: /^Persönlichen Teil bestätigen/ }).count(), 0)
      t.equal(await page.getByRole('checkbox').count(), 0)
      t.equal(await page.getByRole('link', { name: 'Ändern' }).count(), 0)
      await look('list of an assignment')
      await button(page, 'Stand (CSV) …').click()
      await dialog(page).getByLabel('Zweck').fill('Audit, Stand')
      const [table] = await Promise.all([page.waitForEvent('download'), button(page, 'Herunterladen').click()])
      t.match(table.suggestedFilename(), /^stand_.*\.csv$/)
      await dialog(page).waitFor({ state: 'detached' })
      await button(page, 'Alle Nachweise als ZIP …').click()
      await dialog(page).getByLabel('Zweck').fill('Audit')
      await Promise.all([page.waitForEvent('download'), button(page, 'Herunterladen').click()])
      await button(page, 'Schließen').last().click()

      await page.goto(`${app.url}/aufgaben/vergeben/nachweise`)
      const row = page.locator('main tbody tr')
      await row.filter({ hasText: 'Bo Birne' }).waitFor()
      await page.getByLabel('Person', { exact: true }).fill('0041')
      await row.filter({ hasText: 'Bo Birne' }).waitFor({ state: 'detached' })
      await row.filter({ hasText: 'Ada Äpfel' }).waitFor()
      t.equal(await button(page, 'Widerrufen …').count(), 0)
      await look('search')
      const [pdf] = await Promise.all([
        page.waitForEvent('download'),
        row.getByRole('button', { name: /^PDF des Nachweises/ }).click(),
      ])
      t.match(await readFile(await pdf.path(), 'latin1'), /^%PDF-/)

      await page.getByRole('navigation').getByRole('link', { name: 'Läuft ab' }).first().click()
      await row.filter({ hasText: '20.12.2026' }).filter({ hasText: 'Ada Äpfel' }).waitFor()
      await look('what ends soon')
      await button(page, 'Tabelle (CSV) …').click()
      await button(page, 'Herunterladen').click()
      await dialog(page).getByText('Wofür wird die Tabelle gebraucht?').waitFor()
      await dialog(page).getByLabel('Zweck').fill('Audit, Ablauf')
      const [ending] = await Promise.all([page.waitForEvent('download'), button(page, 'Herunterladen').click()])
      t.match(ending.suggestedFilename(), /^laeuft-ab_.*\.csv$/)
      await dialog(page).waitFor({ state: 'detached' })
      await page.getByRole('navigation').getByRole('link', { name: 'Protokoll' }).first().click()
      await row.filter({ hasText: 'Ablage 2026' }).waitFor()
      t.equal(await page.getByRole('option', { name: 'Benutzer angelegt' }).count(), 0)
      await look('audit trail')
      await page.getByRole('navigation').getByRole('link', { name: 'Datenschutz' }).first().click()
      await page.getByText('Tabellen ohne Bezug').waitFor()
      await look('privacy page')
      t.strictSame(complaints, [])
    }
  })
})
