import { existsSync } from 'node:fs'
import t from 'tap'
import { writeContentFolder } from '../support/content.js'
import { CHROMIUM, findBarriers, isTooWide, openApp, PHONE } from './support/app.js'

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
  'tests/pruefung.md': `${head('name: Prüfung\npass_percent: 60\nsections:\n  - { deck: sicher, draw: 1 }', 'de')}Lies genau.\n`,
  'tests/exam.md': `${head('name: Exam', 'en', 'pruefung')}Read carefully.\n`,
}

t.test('variants', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t, { config: { contentDir: await writeContentFolder(t, FILES) } })
  const german = { locale: 'de-DE' }

  await t.test('a group is one line, whose language is switched in place by keyboard', async (t) => {
    const { page, complaints } = await app.newPerson(german)
    const listed = async (path: string, selector: string) => {
      await page.goto(`${app.url}/${path}`)
      await page.locator(selector).first().waitFor()
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
    t.strictSame(await listed('tests', '.tests h2'), ['Exam'])
    t.strictSame(complaints, [])
  })

  await t.test('a phone in English shows the English variants', async (t) => {
    const { page, complaints } = await app.newPerson({ locale: 'en-GB', viewport: PHONE })
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
    await page.locator('.question[lang]').first().waitFor()
    t.notMatch(await page.locator('main').textContent(), /Feuer|نار/)
    t.strictSame(complaints, [])
  })
})
