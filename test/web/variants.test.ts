import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { writeContentFolder } from '../support/content.js'
import { type App, CHROMIUM, findBarriers, isTooWide, openApp, PHONE } from './support/app.js'
import { post, writeSome, writeTest } from './support/written.js'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')
const OUTDATED = 'Übersetzung veraltet'
const SHEET = '/api/content/sheets/netzwerk-kompakt'

const QUESTION = (text: string, wrong: string) =>
  `\n## ${text}\n<!-- id: a; level: x -->\n\n### Antwort\n${text}\n\n- [x] ${text}\n- [ ] ${wrong}\n`
const head = (rest: string, lang: string, original?: string) =>
  `---\n${rest}\nlang: ${lang}\n${original === undefined ? '' : `translation_of: ${original}\n`}---\n`

const FILES = {
  'decks/sicher.md': head('name: Sicher arbeiten\ndescription: Für alle', 'de') + QUESTION('Feuer?', 'Wasser'),
  'decks/safe.md': head('name: Working safely\ndescription: For all', 'en', 'sicher') + QUESTION('Fire?', 'Water'),
  'decks/aman.md': head('name: العمل بأمان\ndescription: للجميع', 'ar', 'sicher') + QUESTION('نار؟', 'ماء'),
  'decks/git.md': head('name: Git', 'de') + QUESTION('Zweig?', 'Ast'),
  'cheatsheets/zettel.md': `${head('title: Im Notfall\ncategory: Hilfe', 'de')}# Im Notfall\n\nRuf an.\n`,
  'cheatsheets/sheet.md': `${head('title: In an emergency\ncategory: Hilfe', 'en', 'zettel')}# In an emergency\n\nCall.\n`,
  'cheatsheets/waraqa.md': `${head('title: في الطوارئ\ncategory: Hilfe', 'ar', 'zettel')}# في الطوارئ\n\nاتصل.\n`,
  'tests/pruefung.md': `${head('name: Prüfung\npass_percent: 60\nreview_when: now\nsections:\n  - { deck: sicher, draw: 1 }', 'de')}Lies genau.\n`,
  'tests/imtihan.md': `${head('name: امتحان', 'ar', 'pruefung')}اقرأ.\n`,
  'tests/exam.md': `${head('name: Exam', 'en', 'pruefung')}Read carefully.\n`,
}

t.test('variants', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t, { config: { contentDir: await writeContentFolder(t, FILES) } })
  const german = { locale: 'de-DE' }

  await t.test('a group is one line, whose language is switched in place by keyboard', async (t) => {
    const { page, complaints } = await app.newPerson(german)
    const listed = async (path: string, selector: string, hasText = '') => {
      await page.goto(`${app.url}/${path}`)
      await page.locator(selector, { hasText }).first().waitFor()
      return page.locator(selector).allTextContents()
    }
    const languages = page.getByRole('navigation', { name: 'Sprache' })
    const heading = page.locator('h1')
    /** Follows the link to a language by keyboard. */
    const choose = async (name: string, title: string) => {
      await languages.getByRole('link', { name }).focus()
      await page.keyboard.press('Enter')
      await heading.filter({ hasText: title }).waitFor()
      await languages.locator('[aria-current]', { hasText: name }).waitFor()
    }

    t.strictSame(await listed('decks', '.tiles h2'), ['Git', 'Sicher arbeiten'])
    await page.getByRole('link', { name: 'Sicher arbeiten', exact: true }).click()
    await languages.waitFor()
    t.strictSame(await languages.getByRole('link').allTextContents(), ['العربية', 'Deutsch', 'English'])
    t.strictSame(await findBarriers(page), [])
    await choose('English', 'Working safely')
    t.match(page.url(), /\/decks\/safe$/)
    t.strictSame([await heading.getAttribute('lang'), await heading.getAttribute('dir')], ['en', 'ltr'])
    t.equal(await page.getByRole('switch', { name: 'Mitlernen' }).isChecked(), true)
    await page.reload()
    await languages.locator('[aria-current]', { hasText: 'English' }).waitFor()
    await page.goBack()
    t.match(page.url(), /\/decks$/, 'the switch adds no entry to the history')
    t.strictSame(await listed('decks', '.tiles h2'), ['Git', 'Working safely'])
    t.strictSame(await listed('', '.choice li label'), ['Git', 'Working safely'])
    await page.goto(`${app.url}/quiz`)
    await page.locator('option', { hasText: 'Working safely' }).waitFor({ state: 'attached' })
    t.strictSame(await page.locator('option').allTextContents(), ['Alle Decks', 'Git', 'Working safely'])
    await page.goto(`${app.url}/decks/sicher`)
    await page.getByText('Unter „Heute“ kommen die Karten in einer anderen Sprache dran: English.').waitFor()

    t.strictSame(await listed('spickzettel', '.sheets a'), ['Im Notfall'])
    await page.getByRole('link', { name: 'Im Notfall' }).click()
    await choose('العربية', 'في الطوارئ')
    const text = page.locator('article').first()
    t.strictSame([await text.getAttribute('lang'), await text.getAttribute('dir')], ['ar', 'rtl'])
    t.strictSame(await findBarriers(page), [])
    t.strictSame(await listed('spickzettel', '.sheets a[lang=ar]'), ['في الطوارئ'])

    t.strictSame(await listed('tests', '.tests h2'), ['Prüfung'])
    await page.getByRole('link', { name: 'Prüfung' }).click()
    await choose('English', 'Exam')
    await page.getByText('Read carefully.').waitFor()
    // On a slow machine, the list that the page has stored is shown first.
    t.strictSame(await listed('tests', '.tests h2', 'Exam'), ['Exam'])
    t.strictSame(complaints, [])
  })

  await t.test('names language and direction of each text that is not in that of the page', async (t) => {
    const { page, complaints } = await app.newPerson(german)
    const isArabic = async (selector: string) => {
      const text = page.locator(`main ${selector}`).first()
      await text.waitFor()
      const own = text.locator('xpath=ancestor-or-self::*[@lang][1]')
      t.strictSame([await own.getAttribute('lang'), await own.getAttribute('dir')], ['ar', 'rtl'], selector)
    }
    await page.goto(`${app.url}/decks/aman`)
    await isArabic('summary .inline')
    await page.locator('summary').first().click()
    await isArabic('details .markdown')
    await page.goto(`${app.url}/suche?q=${encodeURIComponent('العمل')}`)
    await isArabic('mark')
    await page.goto(`${app.url}/quiz/aman`)
    await button(page, 'Quiz beginnen').click()
    await isArabic('.question .markdown')
    await isArabic('.options .inline')
    await page.locator('.run[data-ready]').waitFor()
    await page.locator('.options button').first().click()
    await isArabic('.answer .markdown')
    t.strictSame(await findBarriers(page), [])
    await page.goto(`${app.url}/tests/imtihan`)
    await button(page, 'Test beginnen').click()
    await isArabic('.question .markdown')
    await isArabic('.options .inline')
    await page.getByRole('radio').first().check()
    await page.getByRole('button', { name: 'Abgeben …' }).first().click()
    await dialog(page).getByRole('button', { name: 'Abgeben' }).click()
    await isArabic('summary .inline')
    await page.locator('summary').first().click()
    await isArabic('details .options .inline')
    t.strictSame(await findBarriers(page), [])
    t.strictSame(complaints, [])
  })

  await t.test('a phone in English shows the English variants', async (t) => {
    const { page, complaints } = await app.newPerson({ locale: 'en-GB', viewport: PHONE })
    await page.goto(`${app.url}/decks`)
    const tiles = page.locator('.tiles article')
    await tiles.filter({ hasText: 'Git' }).getByText('Deutsch').waitFor()
    t.equal(await tiles.filter({ hasText: 'Working safely' }).getByText('English').count(), 0)
    for (const [path, title] of [
      ['decks', 'Working safely'],
      ['spickzettel', 'In an emergency'],
      ['tests', 'Exam'],
    ] as const) {
      await page.goto(`${app.url}/${path}`)
      await page.getByRole('link', { name: title, exact: true }).click()
      await page.locator('h1', { hasText: title }).waitFor()
      await page.locator('nav a[lang=en][aria-current]').waitFor()
      t.equal(await isTooWide(page), false, path)
    }
    await page.goto(`${app.url}/lernen`)
    await page.locator('.question [lang]').first().waitFor()
    t.notMatch(await page.locator('main').textContent(), /Feuer|نار/)
    t.strictSame(complaints, [])
  })

  await writeVariants(t, app)
})

/** Writes variants of a deck, a sheet and a test as an editor. */
async function writeVariants(t: Test, app: App): Promise<void> {
  const { deck, cards } = await writeSome(app)
  await writeTest(app)
  const { page, complaints } = await app.newPerson({ isAdmin: true })
  const isRightToLeft = (selector: string) => page.locator(selector).evaluate((element) => element.matches(':dir(rtl)'))

  await t.test('creates a variant of a deck with drafts of its cards, by keyboard', async (t) => {
    await page.goto(`${app.url}/inhalte/decks/${deck}`)
    await button(page, 'Mehr zum Deck').press('Enter')
    await page.getByRole('menuitem', { name: 'Variante anlegen' }).press('Enter')
    await dialog(page).getByLabel('Name').fill('شبكات')
    await dialog(page).getByLabel('Sprache').selectOption('de')
    await page.keyboard.press('Control+Enter')
    await dialog(page).getByRole('alert').filter({ hasText: 'in dieser Sprache gibt es schon „netzwerk“' }).waitFor()
    t.equal(await dialog(page).getByLabel('Sprache').getAttribute('aria-invalid'), 'true')
    await dialog(page).getByLabel('Sprache').selectOption('ar')
    t.equal(await dialog(page).getByLabel('Übersetzung von').inputValue(), deck)
    await page.keyboard.press('Control+Enter')
    await page.waitForURL((url) => /\/inhalte\/decks\/(?!netzwerk)/.test(url.pathname))
    await page.getByText('Übersetzung von Netzwerk').waitFor()
    await page.getByRole('link', { name: 'Was macht Schicht 1?' }).click()
    await page.getByRole('form').getByLabel('Frage', { exact: true }).waitFor()
    t.equal(await isRightToLeft('form textarea >> nth=0'), true, 'Arabic is written from right to left')
    t.equal(await isRightToLeft('form label >> nth=0'), false, 'the labels are not')
    t.equal(await page.getByRole('switch', { name: 'Entwurf' }).isChecked(), true)
  })

  await t.test('shows what has changed in the original, until the variant is checked', async (t) => {
    await post(app, `/api/content/cards/${cards[0]}`, { version: 1, answer: 'Sie trägt **alles**.' }, 'PATCH')
    const body = { deck, question: 'Was ist neu?', answer: 'Das.', client_id: 'new' }
    await post(app, '/api/content/cards', body)
    await page.goto(`${app.url}/inhalte`)
    const rows = page.getByRole('table', { name: 'Decks' }).getByRole('row')
    await rows.filter({ hasText: 'شبكات' }).waitFor()
    const at = (await rows.allTextContents()).findIndex((text) => text.includes('شبكات'))
    t.match(await rows.nth(at - 1).textContent(), /Deutsch\s*Netzwerk/, 'stands beneath its original')
    t.match(await rows.nth(at).textContent(), /العربية/)
    await rows.nth(at).getByText(OUTDATED).waitFor()
    await rows.nth(at).getByRole('link').click()
    await page.getByRole('heading', { name: OUTDATED }).waitFor()
    await page.getByText('Was sich geändert hat (2)').click()
    await page.getByRole('group', { name: 'Antwort: Unterschied' }).first().getByText('alles').waitFor()
    t.strictSame(await findBarriers(page), [])
    await page.setViewportSize(PHONE)
    t.notOk(await isTooWide(page), 'fits a phone')
    await page.setViewportSize({ width: 1440, height: 900 })
    await button(page, 'Fehlende Karten übernehmen').click()
    await page.getByText('Als Entwurf übernommen: 1 Karte.').waitFor()
    await button(page, 'Fehlende Karten übernehmen').waitFor({ state: 'detached' })
    // A key press does not wait until the button has ended the work of the other one.
    await page.locator('button:not([aria-busy])', { hasText: 'Als geprüft markieren' }).press('Enter')
    await page.getByRole('heading', { name: OUTDATED }).waitFor({ state: 'detached' })
    await page.goto(`${app.url}/inhalte/decks/${deck}`)
    await page.getByRole('link', { name: 'شبكات' }).waitFor()
    t.equal(await page.getByText(OUTDATED).count(), 0)
  })

  await t.test('begins a variant of a sheet with its text', async (t) => {
    await page.goto(`${app.url}/inhalte/spickzettel/netzwerk-kompakt`)
    await button(page, 'Variante anlegen').click()
    const form = page.getByRole('form', { name: 'Spickzettel' })
    t.match(await form.getByLabel('Text', { exact: true }).inputValue(), /Schichten/)
    t.equal(await form.getByLabel('Sprache').inputValue(), 'en')
    await form.getByLabel('Titel').fill('Networks in brief')
    await form.getByLabel('Text', { exact: true }).fill('# Networks\n\nSeven layers.\n')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/networks-in-brief/)
    await page.getByText('Übersetzung von Netzwerk kompakt').waitFor()
    await post(app, SHEET, { version: 1, content_md: '# Netzwerk\n\nDoch acht.\n' }, 'PATCH')
    await page.reload()
    await page.getByText('Was sich geändert hat (1)').click()
    await page.getByRole('group', { name: 'Text: Unterschied' }).getByText('acht').waitFor()
    // The original changes once more before the editor has marked it.
    await post(app, SHEET, { version: 2, content_md: '# Netzwerk\n\nNeun.\n' }, 'PATCH')
    await button(page, 'Als geprüft markieren').click()
    await page.getByText('hat sich gerade noch einmal geändert').waitFor()
    await page.getByRole('group', { name: 'Text: Unterschied' }).getByText('Neun').waitFor()
    await button(page, 'Als geprüft markieren').click()
    await page.getByRole('heading', { name: OUTDATED }).waitFor({ state: 'detached' })
    await page.getByRole('form').getByLabel('Sprache').selectOption('de')
    await button(page, 'Speichern').click()
    await page.getByRole('alert').filter({ hasText: 'gibt es schon „netzwerk-kompakt“' }).first().waitFor()
    complaints.length = 0
  })

  await t.test('asks for the texts of a variant of a test only', async (t) => {
    await page.goto(`${app.url}/inhalte/tests/osi`)
    await button(page, 'Variante anlegen').click()
    await page.getByText('Fragen und Regeln kommen vom Original').waitFor()
    t.equal(await page.getByLabel('Bestanden ab (%)').count(), 0)
    const form = page.getByRole('form', { name: 'Test' })
    t.match(await form.getByLabel('Einleitung').inputValue(), /Zeit/)
    await form.getByLabel('Name').fill('OSI, basics')
    await button(page, 'Anlegen').click()
    await page.waitForURL(/osi-basics/)
    await page.getByText('Übersetzung von OSI, Grundlagen').waitFor()
    await page.goto(`${app.url}/inhalte/tests`)
    const rows = page.getByRole('table', { name: 'Tests' }).getByRole('row')
    await rows.filter({ hasText: 'OSI, basics' }).getByText('English').waitFor()
    t.strictSame(await findBarriers(page), [])
  })
  t.strictSame(complaints, [])
}
