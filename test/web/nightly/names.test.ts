import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { deckFile, writeContentFolder } from '../../support/content.js'
import { CHROMIUM, openApp } from '../support/app.js'
import { press, untilReady } from '../support/keys.js'
import { findUserId } from '../support/written.js'

/** Returns a name that ends with a Hebrew letter, which can change the direction of the text after it. */
const turning = (name: string) => `${name}-xyz\u05D0`
const NAMES = {
  deck: turning('Deck'),
  level: turning('Stufe'),
  user: turning('Person'),
  source: turning('Quelle'),
  file: turning('Datei'),
  sheet: turning('Blatt'),
  category: turning('Kategorie'),
  token: turning('Token'),
}
const QUESTION = 'Frage xyz\u05D0?'

/**
 * Expression that returns the number of texts with a name, and the places where a name can reverse the text around it,
 * one line each. A name must be alone in an isolate or block, or between U+2068 and U+2069. The expression ignores
 * cards, quotations, form fields and charts, because they are displayed apart from other text.
 */
const UNISOLATED = `((names) => {
  const MARK = '\\u05d0'
  const outside = (text) => text.replace(/\\u2068[^\\u2066-\\u2069]*\\u2069/g, '')
  const without = (text) => text.replace(/[\\u2066-\\u2069]/g, '').trim()
  const alone = new Set(names.map(without))
  const faults = []
  const tell = (what, element, text) => faults.push(what + ' in ' + element.cloneNode().outerHTML.slice(0, 90) + ': ' + JSON.stringify(text))
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  let found = 0
  while (texts.nextNode()) {
    const node = texts.currentNode
    if (!node.data.includes(MARK)) continue
    found++
    if (!outside(node.data).includes(MARK)) continue
    let element = node.parentElement
    if (element.closest('.markdown, .inline, .excerpt, textarea, blockquote, svg text, svg title')) continue
    const isolates = (one) => {
      const { display, unicodeBidi } = getComputedStyle(one)
      return unicodeBidi.startsWith('isolate') || unicodeBidi === 'plaintext' || !/^(inline|contents)$/.test(display)
    }
    while (!isolates(element)) element = element.parentElement
    const isInline = getComputedStyle(element).display === 'inline'
    if ((element.localName !== 'bdi' && !alone.has(without(element.textContent))) || (isInline && node.data.includes('\\u2069'))) tell('text', element, element.textContent.slice(0, 90))
  }
  for (const element of document.querySelectorAll('[title], [aria-label], [alt], [aria-valuetext], [placeholder]')) {
    for (const name of ['title', 'aria-label', 'alt', 'aria-valuetext', 'placeholder']) {
      const value = element.getAttribute(name) ?? ''
      if (outside(value).includes(MARK) && !alone.has(without(value))) tell(name, element, value)
    }
  }
  if (outside(document.title).includes(MARK)) faults.push('title of the page: ' + JSON.stringify(document.title))
  return { found, faults }
})(${JSON.stringify([...Object.values(NAMES), QUESTION])})`

async function check(t: Test, page: Page, place: string, expected = true): Promise<void> {
  const { found, faults } = await page.evaluate<{ found: number; faults: string[] }>(UNISOLATED)
  t.strictSame(faults, [], place)
  if (expected) t.ok(found > 0, `${place}: shows a name`)
}

t.test(
  'a name never changes the direction of the text around it',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    const cards = Array.from({ length: 6 }, (_, at) => ({ id: `karte-${at}`, question: QUESTION, level: NAMES.level }))
    const contentDir = await writeContentFolder(t, {
      'decks/kurs.md': deckFile(NAMES.deck, cards, { slug: 'kurs', description: NAMES.deck }),
      'cheatsheets/blatt.md': `---\ntitle: ${JSON.stringify(NAMES.sheet)}\ncategory: ${JSON.stringify(NAMES.category)}\n---\n# ${NAMES.sheet}\n\nText\n`,
    })
    const app = await openApp(t, { config: { contentDir } })
    const { page, complaints } = await app.newPerson({ isAdmin: true, name: NAMES.user })
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
    const dialog = page.locator('dialog[open]')
    const open = async (path: string, ready = 'h1') => {
      await page.goto(`${app.url}/${path}`)
      await page.locator(ready).first().waitFor()
      await page.waitForLoadState('networkidle')
    }

    await t.test('on the pages of a learner', async (t) => {
      await open('')
      await check(t, page, 'first visit')
      await open('lernen', 'article')
      await check(t, page, 'question')
      await press(page, 'i')
      await dialog.waitFor()
      await check(t, page, 'facts of the card')
      await press(page, 'Escape')
      for (let at = 0; at < cards.length; at++) await press(page, ' ', at === 0 ? '1' : '3')
      for (const path of [
        '',
        'decks',
        'decks/kurs',
        'statistik',
        'verlauf',
        'spickzettel',
        'spickzettel/blatt',
        'quiz',
      ]) {
        await open(path)
        await check(t, page, `/${path}`)
      }
      const { cards: known } = await (await page.request.get(`${app.url}/api/review/cards?limit=1`)).json()
      await open(`karten/${known[0].card_id}`)
      await check(t, page, 'card')
      for (const q of ['xyz', 'Deck', 'Blatt']) {
        await open(`suche?q=${q}`, '[role=option]')
        await check(t, page, `search for ${q}`)
      }
    })

    await t.test('in a quiz', async (t) => {
      await open('quiz/kurs')
      await button('Quiz beginnen').click()
      await page.getByText('Frage 1 von').first().waitFor()
      await check(t, page, 'question')
      await open('quiz')
      await page.getByText('Du bist mitten in einem Quiz').waitFor()
      await check(t, page, 'open quiz')
      await button('Weitermachen').click()
      for (let at = 0; at < cards.length; at++) {
        await page
          .getByText(`Frage ${at + 1} von`)
          .first()
          .waitFor()
        await untilReady(page)
        await page.keyboard.press('1')
        await page.getByRole('button', { name: /Weiter|Zum Ergebnis/ }).click()
      }
      await page.getByRole('heading', { name: 'Ergebnis' }).waitFor()
      await check(t, page, 'result')
      await open('quiz')
      await check(t, page, 'results')
    })

    await t.test('on the account page', async (t) => {
      await page.request.post(`${app.url}/api/auth/tokens`, { data: { name: NAMES.token } })
      for (const path of ['konto', 'einstellungen']) {
        await open(path)
        await check(t, page, path)
      }
    })

    await t.test('on the pages of an administrator', async (t) => {
      const data = { username: NAMES.user, display_name: NAMES.user, password: 'vier-zufaellige-woerter' }
      t.ok((await page.request.post(`${app.url}/api/admin/users`, { data })).ok())
      const { cards: known } = await (await page.request.get(`${app.url}/api/review/cards?limit=1`)).json()
      const report = { data: { text: QUESTION } }
      await page.request.post(`${app.url}/api/review/cards/${known[0].card_id}/reports`, report)
      for (const path of [
        '',
        '/benutzer',
        `/benutzer?q=${encodeURIComponent(NAMES.user)}`,
        '/inhalte',
        '/meldungen',
        '/protokoll',
      ]) {
        await open(`verwaltung${path}`)
        await check(t, page, `/verwaltung${path}`)
      }
      await open('verwaltung/benutzer/import')
      await page.getByLabel('Oder hier einfügen').fill(`Benutzername;Name\n"${NAMES.user} b";${NAMES.user}\n`)
      await button('Liste prüfen').click()
      await button('1 Konto anlegen').waitFor()
      await check(t, page, 'preview of users')
      await page.getByLabel('Oder hier einfügen').fill(`Benutzername;Name\n${NAMES.user}zwei;${NAMES.user}\n`)
      await button('Liste prüfen').click()
      await button('1 Konto anlegen').click()
      await page.getByText('1 Konto angelegt').waitFor()

      await open(`verwaltung/benutzer/${await findUserId(app, NAMES.user)}`)
      await button('Neues Passwort').click()
      await check(t, page, 'new password')
      await button('Neues Passwort setzen').click()
      await page.getByLabel(/^Passwort von/).waitFor()
      await check(t, page, 'shown password')
      await button('Fertig').click()
      await button('Konto löschen …').click()
      await check(t, page, 'deletion')
      await dialog.getByRole('textbox').fill(NAMES.user)
      await button('Endgültig löschen').click()
      await page.getByText(/^Das Konto „.*“ ist gelöscht/).waitFor()
      await check(t, page, 'toast')
      await open('verwaltung/protokoll')
      await check(t, page, 'protocol')
    })

    await t.test('in an upload', async (t) => {
      const source = async () => {
        await open('inhalte/hochladen')
        await page.locator('input[type=file]').setInputFiles({
          name: `${NAMES.file}.csv`,
          mimeType: 'text/csv',
          buffer: Buffer.from(`Frage;Antwort;Deck;Stufe\nWas?;Das;${NAMES.deck} 2;${NAMES.level}\n`),
        })
        await page.getByText('Mehr bestimmen').click()
        await page.getByLabel('Name der Quelle').fill(NAMES.source)
        await button('Ansehen, was geschieht').click()
      }
      await source()
      await button('Jetzt übernehmen').waitFor()
      await check(t, page, 'plan')
      await button('Jetzt übernehmen').click()
      await page.getByText(/ist übernommen/).waitFor()
      await check(t, page, 'done')
      await source()
      await button('Diese aktualisieren').waitFor()
      await check(t, page, 'source exists')
      await open('inhalte')
      await check(t, page, 'sources')
      await button(/^Mehr zu/).click()
      await page.getByRole('menuitem', { name: 'Archivieren' }).click()
      await check(t, page, 'archiving')
      await dialog.getByRole('button', { name: 'Archivieren', exact: true }).click()
      await page.getByText(/“ ist archiviert\.$/).waitFor()
      await check(t, page, 'toast of a source')
    })
    t.strictSame(complaints, [])
  },
)
