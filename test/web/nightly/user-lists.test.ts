import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, findBarriers, isTooWide, openApp } from '../support/app.js'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const line = (page: Page, number: number) => page.getByLabel(`Zeile ${number}`, { exact: true })
const PHONE_SMALL = { width: 320, height: 640 }

t.test('a list of users with faults', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const countOf = async (q: string) =>
    ((await (await app.asAdmin('GET', `/api/accounts?q=${q}`)).json()) as { total: number }).total

  await t.test('allows corrections line by line and keeps the input without a connection', async (t) => {
    const { page, complaints } = await app.newPerson({ isAdmin: true, viewport: PHONE_SMALL })
    await page.goto(`${app.url}/verwaltung/benutzer/import`)
    const list = page.getByLabel('Oder hier einfügen')
    await list.fill('Benutzername;Name;Administrator\nzeile-1;Änne;nein\nzeile-1;"Zwei\nZeilen";vielleicht\nzu;wenig\n')
    await button(page, 'Liste prüfen').click()
    await page.getByText('4 Fehler in der Liste').waitFor()
    await page.getByText('Spalten: Benutzername;Name;Administrator').waitFor()

    t.equal(await line(page, 3).inputValue(), 'zeile-1;"Zwei\nZeilen";vielleicht', 'a record of two lines')
    t.equal(await line(page, 5).inputValue(), 'zu;wenig')
    const errorOf = async (number: number) => {
      const id = await line(page, number).getAttribute('aria-describedby')
      return page.locator(`[id="${id}"]`).textContent()
    }
    t.match(await errorOf(3), /„Anzeigename“ darf keine Tabulatoren, Zeilenumbrüche/)
    t.match(await errorOf(3), /steht schon in Zeile 2\./)
    t.match(await errorOf(3), /Das Feld „Administrator“ muss true oder false/)
    t.match(await errorOf(5), /Die Zeile hat 2 statt 3 Felder/)
    t.equal(await line(page, 5).getAttribute('aria-invalid'), 'true')
    t.strictSame(await findBarriers(page), [])
    t.notOk(await isTooWide(page))

    await line(page, 3).fill('zeile-2;Zwei Zeilen;nein')
    await line(page, 5).fill('zeile-3;;nein')
    const corrected = 'Benutzername;Name;Administrator\nzeile-1;Änne;nein\nzeile-2;Zwei Zeilen;nein\nzeile-3;;nein\n'
    t.equal(await list.inputValue(), corrected, 'the list has the corrections at once')
    await page.route('**/api/accounts/bulk*', (route) => route.abort())
    await button(page, 'Erneut prüfen').click()
    await page.getByText('Der Dienst ist gerade nicht erreichbar').waitFor()
    t.equal(await line(page, 3).inputValue(), 'zeile-2;Zwei Zeilen;nein')
    t.equal(await list.inputValue(), corrected)
    await page.unroute('**/api/accounts/bulk*')
    await line(page, 5).press('Enter')
    await page.getByRole('cell', { name: 'zeile-3' }).first().waitFor()
    t.equal(await countOf('zeile-'), 0)
    await button(page, '3 Konten anlegen').click()
    await page.getByText('3 Konten angelegt').waitFor()
    t.equal(await countOf('zeile-'), 3)
    t.match(
      complaints,
      [/^Failed to load resource: net::ERR_FAILED .*\/api\/accounts\/bulk/],
      'only the lost connection',
    )
    t.equal(complaints.length, 1)
  })

  await t.test('corrects a file saved by Excel', async (t) => {
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/verwaltung/benutzer/import`)
    const choose = (buffer: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name: 'liste.csv', mimeType: 'text/csv', buffer })
    await choose(Buffer.from('Benutzername;Name\r\n;Jürgen Größer\r\ndatei-2;Zoë\r\n', 'latin1'))
    await button(page, 'Liste prüfen').click()
    await page.getByText('Der Benutzername fehlt').waitFor()
    t.equal(await line(page, 2).inputValue(), ';Jürgen Größer')
    await line(page, 2).fill('datei-1;Jürgen Größer')
    await page.getByText('liste.csv, hier geändert').waitFor()
    await button(page, 'Erneut prüfen').click()
    await page.getByRole('cell', { name: 'Zoë' }).waitFor()
    await button(page, '2 Konten anlegen').click()
    await page.getByRole('cell', { name: 'Jürgen Größer' }).waitFor()

    await button(page, 'Noch eine Liste').click()
    await choose(Buffer.from('Benutzername\nj\x9arg\n', 'latin1'))
    await button(page, 'Liste prüfen').click()
    await page.getByText('nicht in UTF-8 kodiert').waitFor()
    t.equal(await line(page, 2).count(), 0, 'no correction field where the text is unknown')
    t.strictSame(complaints, [])
  })

  await t.test('hints at user names with a blank', async (t) => {
    const { page } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/verwaltung/benutzer/import`)
    await page.getByLabel('Oder hier einfügen').fill('Benutzername\nmax muster\nmoritz\n')
    await button(page, 'Liste prüfen').click()
    await page.getByText('Der Benutzername enthält ein Leerzeichen').waitFor()
    await button(page, '2 Konten anlegen').waitFor()
    t.equal(await line(page, 2).getAttribute('aria-invalid'), null, 'no error')
    await line(page, 2).fill('max.muster')
    t.equal(await button(page, '2 Konten anlegen').count(), 0, 'only a checked list can be created')
    await button(page, 'Erneut prüfen').click()
    await page.getByRole('cell', { name: 'max.muster' }).first().waitFor()
    await button(page, '2 Konten anlegen').waitFor()
    t.equal(await page.getByText('enthält ein Leerzeichen').count(), 0)
  })
})
