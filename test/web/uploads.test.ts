import { existsSync } from 'node:fs'
import t from 'tap'
import { zipOf } from '../support/upload-packages.js'
import { CHROMIUM, openApp } from './support/app.js'
import { createGate } from './support/gate.js'
import { routeOnce } from './support/route.js'

t.test('an upload previews the current choice only', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const { page } = await app.newPerson({ isAdmin: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(`${app.url}/inhalte/hochladen`)
  t.match(await page.locator('input[type=file]').getAttribute('accept'), /(?:^|,)\.xlsx(?:,|$)/)
  await page.getByText('(.xlsx, .csv, .tsv, .txt)').waitFor()
  const sheet = Buffer.from(await zipOf({ 'cheatsheets/netz.md': '# Netz\n\nEin Text\n' }))
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'blatt.zip', mimeType: 'application/zip', buffer: sheet })
  await page.getByText('Mehr bestimmen').click()

  const page413 = { status: 413, contentType: 'text/html', body: '<h1>413 Request Entity Too Large</h1>' }
  await routeOnce(page, '**/api/content/imports*', (route) => route.fulfill(page413))
  await button('Ansehen, was geschieht').click()
  await page.getByText(/Die Datei ist mit .+ zu groß zum Hochladen/).waitFor()

  let asked = 0
  const isSeen = createGate()
  await page.route('**/api/content/imports*', async (route) => {
    asked++
    if (asked > 1) {
      await isSeen.opened
      return route.continue()
    }
    const headers = { 'retry-after': '1', 'x-error-code': 'readers_busy' }
    await route.fulfill({ status: 503, headers, json: { statusCode: 503, message: 'Der Dienst liest andere Dateien' } })
  })
  await button('Ansehen, was geschieht').click()
  await page.getByText('Deine kommt danach an die Reihe').waitFor()
  isSeen.open()
  await button('Jetzt übernehmen').waitFor()
  t.equal(asked, 2, 'the page sends the file again')
  await page.unroute('**/api/content/imports*')
  await page.getByLabel('Fehlendes archivieren').check()
  await page.getByLabel('Fehlendes archivieren').uncheck()

  const gate = createGate()
  await page.route('**/api/content/imports*', async (route) => {
    await gate.opened
    await route.continue()
  })
  await button('Ansehen, was geschieht').click()
  await page.getByText('Noch wird nichts geändert.').waitFor()
  await page.getByLabel('Fehlendes archivieren').check()
  gate.open()
  await page.getByText('Noch wird nichts geändert.').waitFor({ state: 'detached' })
  t.equal(await button('Jetzt übernehmen').count(), 0, 'a preview of an earlier choice cannot be applied')

  await button('Ansehen, was geschieht').click()
  await button('Jetzt übernehmen').click()
  await page.getByText('„blatt“ ist übernommen').waitFor()
  await page.goto(`${app.url}/inhalte`)
  await page.getByText('0 Decks, 0 Karten').first().waitFor()
  t.equal(await page.getByText('archiviert', { exact: true }).count(), 0, 'a source of sheets alone')
})

t.test(
  'an author chooses what the columns of a table are',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    const app = await openApp(t)
    const { page } = await app.newPerson({ isAdmin: true })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await page.goto(`${app.url}/inhalte/hochladen`)
    const table = 'Tier;Laut;Beine;Kapitel\nHund;bellt;vier;Haus\nHuhn;gackert;zwei;Hof\n'
    await page.getByLabel('Oder eine Tabelle einfügen').fill(table)
    await button('Ansehen, was geschieht').click()
    await page.getByText('Was steht in den Spalten?').waitFor()
    t.equal(await button('Jetzt übernehmen').count(), 0)
    await page.getByText('Tier · Hund · Huhn').waitFor()
    await page.getByLabel('Die erste Zeile ist eine Überschrift').check()
    await page.getByLabel('„Tier“ ist').selectOption({ label: 'Antwort' })
    await page.getByLabel('„Laut“ ist').selectOption({ label: 'Frage' })
    t.equal(await button('So ansehen').isEnabled(), true)
    await page.getByLabel('„Tier“ ist').selectOption({ label: 'Frage' })
    t.equal(await page.getByLabel('„Laut“ ist').inputValue(), '-', 'only one column is the question')
    t.equal(await button('So ansehen').isEnabled(), false)
    await page.getByLabel('„Laut“ ist').selectOption({ label: 'Antwort' })
    await page.getByLabel('„Kapitel“ ist').selectOption({ label: 'Deck' })
    await button('So ansehen').click()
    await button('Jetzt übernehmen').waitFor()
    t.same(await page.locator('.question').allInnerTexts(), ['Hund', 'Huhn'])
    await button('Jetzt übernehmen').click()
    await page.getByText('„Eingefügte Tabelle“ ist übernommen').waitFor()
  },
)
