import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, findBarriers, isAt, isTooWide, openApp } from '../support/app.js'
import { post } from '../support/written.js'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const form = (page: Page) => page.getByRole('form', { name: 'Test' })
const field = (page: Page, name: string) => form(page).getByLabel(name, { exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')

async function save(page: Page, name = 'Speichern'): Promise<void> {
  await button(page, name).click()
  await page.getByText(/^Gespeichert um/).waitFor()
}

t.test('an editor writes a test and publishes it', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  await post(app, '/api/content/sources', { name: 'Datenschutz' })
  const { page, complaints } = await app.newPerson({ isAdmin: true, name: 'Aylin Demir' })

  await t.test('creates a deck only for tests, and explains that', async (t) => {
    await page.goto(`${app.url}/inhalte`)
    await button(page, 'Neues Deck').click()
    await dialog(page).getByLabel('Name').fill('Prüfungsfragen')
    await dialog(page).getByLabel('Nur für Tests').check()
    await dialog(page).getByText('Lernende sehen die Karten nie.').waitFor()
    await button(page, 'Anlegen').click()
    await isAt(t, page, `${app.url}/inhalte/decks/pruefungsfragen?karte=neu`)
  })

  await t.test('writes questions of three forms, with a check of the answer while typing', async () => {
    const card = page.getByRole('form', { name: 'Karte' })
    const write = async (question: string, answer: string, kind: string) => {
      await card.getByLabel('Frage', { exact: true }).fill(question)
      await card.getByLabel('Antwort', { exact: true }).fill(answer)
      const more = card.getByText('Für Quiz und Test')
      if (!(await card.getByLabel('Fragetyp').isVisible())) await more.click()
      await card.getByLabel('Fragetyp').selectOption({ label: kind })
    }
    const saved = async (count: number) => {
      await button(page, 'Anlegen').or(button(page, 'Anlegen und nächste')).first().click()
      await page.getByText(`Gerade angelegt (${count})`).waitFor()
    }
    await write('Wann ist eine Panne zu melden?', 'Innerhalb von Stunden', 'Lücken füllen')
    await page.getByText('In der Antwort ist noch keine Lücke.').waitFor()
    await card.getByLabel('Antwort', { exact: true }).fill('Innerhalb von {{72|zweiundsiebzig}} Stunden')
    await page.getByText('1 Lücke gefunden: 72.').waitFor()
    await saved(1)
    await write('Wie läuft eine Meldung ab?', 'Erst prüfen', 'In die richtige Reihenfolge bringen')
    await page.getByText('In der Antwort steht noch keine nummerierte Liste.').waitFor()
    await card.getByLabel('Antwort', { exact: true }).fill('1. prüfen\n2. melden\n3. beheben')
    await page.getByText('3 Punkte gefunden.').waitFor()
    await saved(2)
    await write('Welcher Artikel regelt die Meldung?', 'Artikel 33', 'Auswahl')
    for (const [at, text] of ['Artikel 5', 'Artikel 17'].entries()) {
      await button(page, 'Antwort hinzufügen').click()
      await card.getByLabel(`Antwort ${at + 1}`, { exact: true }).fill(text)
    }
    await saved(3)
  })

  await t.test('lists tests next to other content', async (t) => {
    await page.getByRole('link', { name: 'Inhalte', exact: true }).first().click()
    await page.getByRole('navigation', { name: 'Inhalte' }).getByRole('link', { name: 'Tests', exact: true }).click()
    await page.getByRole('link', { name: 'Neuer Test' }).waitFor()
    t.strictSame(await findBarriers(page), [])
    await page.getByRole('link', { name: 'Neuer Test' }).click()
    await isAt(t, page, `${app.url}/inhalte/tests/neu`)
  })

  await t.test('says what is missing, and counts the questions of a deck', async (t) => {
    await field(page, 'Beschreibung').waitFor()
    await button(page, 'Anlegen').click()
    await page.getByText('Der Name fehlt noch.').waitFor()
    await field(page, 'Name').fill('Datenschutz, Grundlagen')
    await field(page, 'Deck').selectOption({ label: 'Prüfungsfragen (nur für Tests)' })
    await page.getByText('3 Fragen passen.').waitFor()
    t.strictSame(await findBarriers(page), [])
  })

  await t.test('keeps typed text across a reload', async (t) => {
    await field(page, 'Beschreibung').fill('Für alle')
    await page.getByText('Dein Text liegt auf diesem Gerät.').waitFor()
    await page.reload()
    await page.getByText('Hier steht dein noch nicht gespeicherter').waitFor()
    t.equal(await field(page, 'Name').inputValue(), 'Datenschutz, Grundlagen')
    await button(page, 'Anlegen').click()
    await isAt(t, page, `${app.url}/inhalte/tests/datenschutz-grundlagen`)
    await page.getByRole('heading', { level: 1, name: 'Datenschutz, Grundlagen' }).waitFor()
    await page.locator('main').getByText('Entwurf', { exact: true }).waitFor()
  })

  await t.test('checks it: extent, chance of guessing, findings with links to the cards', async (t) => {
    await button(page, 'Prüfen').click()
    await page.getByText('Veröffentlicht würde').waitFor()
    const result = page.locator('main')
    await result.getByText('3 Fragen', { exact: true }).waitFor()
    await result.getByText('Bestehen durch Raten').waitFor()
    t.equal(await page.getByText('Offene Fragen').count(), 0, 'all questions are of a pool')
    t.strictSame(await findBarriers(page), [])
  })

  await t.test('shows a preview of each form', async (t) => {
    await page.getByRole('link', { name: 'Vorschau', exact: true }).click()
    await page.getByText('Frage 3 von 3').waitFor()
    t.equal(await page.getByRole('radio').count(), 3)
    t.equal(await page.getByRole('button', { name: /^Nach oben:/ }).count(), 3)
    await page.getByRole('textbox').first().fill('72')
    t.strictSame(await findBarriers(page), [])
    await page.goBack()
    await field(page, 'Name').waitFor()
  })

  await t.test('publishes it after a confirmation', async () => {
    await button(page, 'Veröffentlichen …').click()
    await dialog(page).getByText('Version 1 veröffentlichen?').waitFor()
    await dialog(page).getByRole('button', { name: 'Veröffentlichen', exact: true }).click()
    await page.getByText('Version 1 ist veröffentlicht.').waitFor()
    await page.getByText('veröffentlicht', { exact: true }).waitFor()
    await button(page, 'Veröffentlichen …').click()
    await page.getByText('Version 1 ist schon so veröffentlicht.').first().waitFor()
  })

  await t.test('has statistics, which are empty for few persons', async (t) => {
    await page.getByRole('link', { name: 'Auswertung', exact: true }).click()
    await page.getByText('Zahlen gibt es ab 5 Personen').waitFor()
    t.equal(await page.getByText('Noch zu wenige Personen haben diese Frage beantwortet.').count(), 3)
    t.strictSame(await findBarriers(page), [])
  })

  await t.test('shows changes that are not published', async () => {
    await page.goto(`${app.url}/inhalte/tests/datenschutz-grundlagen`)
    await field(page, 'Bestanden ab (%)').fill('90')
    await save(page)
    await page.getByText('seitdem geändert', { exact: true }).waitFor()
    await page.goto(`${app.url}/inhalte/tests`)
    await page
      .getByRole('row', { name: /Datenschutz, Grundlagen/ })
      .getByText('seitdem geändert')
      .waitFor()
  })

  await t.test('names an invalid field as the page does', async () => {
    await page.goto(`${app.url}/inhalte/tests/datenschutz-grundlagen`)
    await field(page, 'Versuche').fill('0')
    await field(page, 'Versuche').press('Control+Enter')
    await page.getByText('„Versuche“ muss eine ganze Zahl zwischen 1 und 100 sein').waitFor()
    await field(page, 'Versuche').fill('2')
    await save(page)
  })

  await t.test('lets the editor choose after a conflict of two editors', async (t) => {
    const other = await app.newPerson({ isAdmin: true, name: 'Tomasz Nowak' })
    await other.page.goto(`${app.url}/inhalte/tests/datenschutz-grundlagen`)
    await field(other.page, 'Beschreibung').fill('Für den Vertrieb')
    await field(page, 'Beschreibung').fill('Für das Lager')
    await save(page)
    await button(other.page, 'Speichern').click()
    await dialog(other.page).getByRole('heading', { name: 'Inzwischen geändert' }).waitFor()
    t.strictSame(await findBarriers(other.page), [])
    await dialog(other.page).getByRole('button', { name: 'Meins nehmen' }).click()
    await other.page.getByText(/^Gespeichert um/).waitFor()
    await page.reload()
    await field(page, 'Beschreibung').waitFor()
    t.equal(await field(page, 'Beschreibung').inputValue(), 'Für den Vertrieb')
  })

  await t.test('is saved with the keyboard alone', async () => {
    await page.getByLabel('Pause zwischen zwei Versuchen').focus()
    await page.keyboard.type('1 T')
    await page.keyboard.press('Control+Enter')
    await page.getByText(/^Gespeichert um/).waitFor()
  })

  await t.test('changes the order of sections with the keyboard, and announces it', async (t) => {
    const section = (number: number) => page.getByRole('group', { name: `Abschnitt ${number}`, exact: true })
    const draws = () =>
      Promise.all([1, 2].map((number) => section(number).getByLabel('Fragen je Versuch').inputValue()))
    await section(1).getByLabel('Fragen je Versuch').fill('2')
    await button(page, 'Abschnitt hinzufügen').click()
    await section(2).getByLabel('Deck').selectOption({ label: 'Prüfungsfragen (nur für Tests)' })
    await section(2).getByLabel('Fragen je Versuch').fill('1')
    t.ok(await button(page, 'Abschnitt 1 nach oben').isDisabled())
    await button(page, 'Abschnitt 2 nach oben').press('Enter')
    await page.getByText('Abschnitt 2 ist jetzt Abschnitt 1 von 2.').waitFor({ state: 'attached' })
    t.strictSame(await draws(), ['1', '2'])
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
    t.equal(await focused(), 'Abschnitt 1 nach unten', 'the focus follows the section')
    await page.keyboard.press('Enter')
    await page.getByText('Abschnitt 1 ist jetzt Abschnitt 2 von 2.').waitFor({ state: 'attached' })
    t.strictSame(await draws(), ['2', '1'])
    t.strictSame(await findBarriers(page), [])
    await button(page, 'Abschnitt 1 entfernen').click()
    await section(2).waitFor({ state: 'detached' })
    t.equal(await section(1).getByLabel('Fragen je Versuch').inputValue(), '1')
    await section(1).getByLabel('Fragen je Versuch').fill('')
    await save(page)
  })

  await t.test('archives and restores it', async () => {
    await button(page, 'Archivieren').click()
    await page.getByText('Der Test ist archiviert: Lernende sehen ihn nicht.').waitFor()
    await button(page, 'Wiederherstellen').click()
    await page.getByRole('heading', { name: 'Prüfen und veröffentlichen' }).waitFor()
  })

  await t.test('offers only pools of its source', async (t) => {
    for (const name of ['Netze', 'Server']) {
      const { source } = await post<{ source: { id: number } }>(app, '/api/content/sources', { name })
      await post(app, '/api/content/decks', { source_id: source.id, name: `Pool ${name}`, tests_only: true })
    }
    await page.goto(`${app.url}/inhalte/tests/neu`)
    const offered = (name: string) => field(page, 'Deck').locator('option', { hasText: `Pool ${name}` })
    for (const [own, other] of [
      ['Netze', 'Server'],
      ['Server', 'Netze'],
    ] as const) {
      await field(page, 'Quelle').selectOption({ label: own })
      await offered(own).waitFor({ state: 'attached' })
      t.equal(await offered(other).count(), 0)
    }
    await page.reload()
    await offered('Server').waitFor({ state: 'attached' })
    t.equal(await field(page, 'Quelle').locator('option:checked').textContent(), 'Server', 'a reload keeps the source')
  })

  await t.test('fits a window of 320 pixels', async (t) => {
    await page.setViewportSize({ width: 320, height: 640 })
    for (const [path, ready] of [
      ['tests', 'main td'],
      ['tests/neu', 'form'],
      ['tests/datenschutz-grundlagen', 'form'],
      ['tests/datenschutz-grundlagen/vorschau', 'fieldset'],
      ['tests/datenschutz-grundlagen/auswertung', 'main section'],
    ] as const) {
      await page.goto(`${app.url}/inhalte/${path}`)
      await page.locator(ready).first().waitFor()
      t.notOk(await isTooWide(page), path)
      t.strictSame(await findBarriers(page), [], path)
    }
  })

  t.strictSame(complaints, [])
})
