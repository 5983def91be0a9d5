import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { type App, CHROMIUM, findBarriers, isAt, isTooWide, openApp, PHONE, until } from '../support/app.js'
import { createGate } from '../support/gate.js'
import { press } from '../support/keys.js'
import { post, writeSome } from '../support/written.js'

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('form').getByLabel(name, { exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')

async function newAuthor(app: App, name: string, options: BrowserContextOptions = {}) {
  const person = await app.newPerson({ name, permissions: ['clipboard-read', 'clipboard-write'], ...options })
  const { users } = await post<{ users: { id: number }[] }>(
    ...([app, `/api/accounts?q=${person.login.username}`, undefined, 'GET'] as const),
  )
  await post(app, `/api/accounts/${users[0]?.id}`, { is_author: true }, 'PATCH')
  await person.page.goto(app.url)
  return person
}

async function paste(page: Page, offer: { text?: string; html?: string; picture?: boolean }): Promise<void> {
  await page.evaluate(`(async ({ text, html, picture }) => {
    const items = {}
    if (text !== undefined) items['text/plain'] = new Blob([text], { type: 'text/plain' })
    if (html !== undefined) items['text/html'] = new Blob([html], { type: 'text/html' })
    if (picture) {
      const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 30 })
      canvas.getContext('2d').fillRect(0, 0, 20, 20)
      items['image/png'] = await new Promise((done) => canvas.toBlob(done, 'image/png'))
    }
    await navigator.clipboard.write([new ClipboardItem(items)])
  })(${JSON.stringify(offer)})`)
  await page.keyboard.press('Control+v')
}

t.test('a day of trainers and a learner', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const author = await newAuthor(app, 'Aylin Demir')
  const colleague = await newAuthor(app, 'Tomasz Nowak', { viewport: PHONE })
  const { page } = author

  await t.test('is closed to learners', async (t) => {
    const learner = await app.newPerson()
    await learner.page.goto(app.url)
    await learner.page.getByRole('link', { name: 'Decks' }).first().waitFor()
    t.equal(await learner.page.getByRole('link', { name: 'Inhalte' }).count(), 0)
    await learner.page.goto(`${app.url}/inhalte`)
    await learner.page.getByText('Hier werden Inhalte geschrieben.').waitFor()
  })

  await t.test('creates a source and a deck', async (t) => {
    await link(page, 'Inhalte').first().click()
    await button(page, 'Quelle anlegen').click()
    await dialog(page).getByLabel('Name').fill('Lager')
    await button(page, 'Anlegen').click()
    await page.getByRole('heading', { level: 1, name: 'Lager' }).waitFor()
    await button(page, 'Neues Deck').click()
    await dialog(page).getByLabel('Name').fill('Einlagern')
    t.ok(await dialog(page).getByLabel('Entwurf').isChecked(), 'a new deck begins as a draft')
    await dialog(page).getByLabel('Für alle an').check({ force: true })
    await button(page, 'Anlegen').click()
    await isAt(t, page, `${app.url}/inhalte/decks/einlagern?karte=neu`)
  })

  await t.test('makes cards of the rows of a spreadsheet', async (t) => {
    await field(page, 'Frage').focus()
    const rows = Array.from({ length: 12 }, (_, at) => [`Wo steht Regal ${at + 1}?`, `Halle "A"\nGang ${at + 1}`])
    const text = rows.map(([question, answer]) => `${question}\t"${answer?.replaceAll('"', '""')}"`).join('\r\n')
    await paste(page, { text, html: '<table><tr><td>Wo?</td></tr></table>', picture: true })
    await button(page, 'Als 12 Karten anlegen').click()
    await page.getByText('12 Karten sind angelegt.').waitFor()
    t.equal(await field(page, 'Frage').inputValue(), '', 'no table is left')
    t.strictSame(await page.getByRole('region', { name: 'Gerade angelegt' }).getByRole('listitem').count(), 12)
    await button(page, 'Gut').click()
  })

  await t.test(
    'pastes cells as a table, a screenshot, and text of a word processor; undo takes them back',
    async (t) => {
      await field(page, 'Frage').fill('Welche Fristen gelten?')
      await page.keyboard.press('Tab')
      await paste(page, { text: 'Ware\tTage\r\nObst\t3\r\n', html: '<table></table>', picture: true })
      t.equal(await field(page, 'Antwort').inputValue(), '| Ware | Tage |\n| --- | --- |\n| Obst | 3 |')
      await page.getByRole('region', { name: 'Vorschau' }).locator('td', { hasText: 'Obst' }).waitFor()
      await page.keyboard.press('Control+z')
      t.equal(await field(page, 'Antwort').inputValue(), '')
      await page.keyboard.press('Control+Shift+z')
      t.match(await field(page, 'Antwort').inputValue(), /^\| Ware/)
      await page.keyboard.press('Control+End')
      await page.keyboard.type('\n\n')
      await paste(page, { picture: true })
      await until(
        page,
        `/!\\[Bild\\]\\(media\\/[0-9a-f]{64}\\.png\\)$/.test(document.querySelectorAll('form textarea')[1].value)`,
      )
      await page.getByRole('region', { name: 'Vorschau' }).locator('img').waitFor()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('\n\n')
      await paste(page, { text: 'Sehr wichtig', html: '<p>Sehr <b>wichtig</b></p>' })
      await until(page, `document.querySelectorAll('form textarea')[1].value.endsWith('Sehr **wichtig**')`)
      await page.keyboard.press('Control+Enter')
      await page.getByText('Gerade angelegt (13)').waitFor()
      t.strictSame(author.complaints, [])
    },
  )

  await t.test('converts pasted text only at its place, also if that has moved', async (t) => {
    const answer = field(page, 'Antwort')
    const pasteAtEnd = async () => {
      await answer.fill('https://github.com ')
      await answer.press('Control+End')
      await paste(page, { text: 'hub', html: '<p><b>hub</b></p>' })
      t.equal(await answer.inputValue(), 'https://github.com hub')
    }
    let gate = createGate()
    await page.route('**/api/content/convert', async (route) => {
      await gate.opened
      await route.continue()
    })
    await pasteAtEnd()
    gate.open()
    await until(page, `document.querySelectorAll('form textarea')[1].value.includes('**')`)
    t.equal(await answer.inputValue(), 'https://github.com **hub**')

    gate = createGate()
    await pasteAtEnd()
    await page.keyboard.type(', am Ende')
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('Am Anfang, lang genug für eine Verwechslung: ')
    gate.open()
    await until(page, `document.querySelectorAll('form textarea')[1].value.includes('**')`)
    t.equal(
      await answer.inputValue(),
      'Am Anfang, lang genug für eine Verwechslung: https://github.com **hub**, am Ende',
    )

    gate = createGate()
    await pasteAtEnd()
    await page.keyboard.press('Control+z')
    const answered = page.waitForResponse('**/api/content/convert')
    gate.open()
    await (await answered).finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    t.equal(await answer.inputValue(), 'https://github.com ', 'undone before the conversion')
    await page.unroute('**/api/content/convert')
    t.strictSame(author.complaints, [])
  })

  await t.test('formats text with keys and buttons', async (t) => {
    await field(page, 'Frage').fill('Was ist FIFO?')
    await field(page, 'Frage').press('Control+a')
    await page.keyboard.press('Control+b')
    t.equal(await field(page, 'Frage').inputValue(), '**Was ist FIFO?**')
    await page.keyboard.press('Control+z')
    t.equal(await field(page, 'Frage').inputValue(), 'Was ist FIFO?')
    await page.keyboard.press('Control+k')
    t.equal(await field(page, 'Frage').inputValue(), '[Was ist FIFO?](https://)', 'the key does not open the search')
    await page.keyboard.press('Control+z')
    await field(page, 'Antwort').fill('First in')
    await button(page, 'Liste').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.press('Enter')
    await page.keyboard.type('first out')
    t.equal(await field(page, 'Antwort').inputValue(), '- First in\n- first out')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Gerade angelegt (14)').waitFor()
  })

  await t.test('lets a colleague correct a card on a phone', async (t) => {
    await page.goto(`${app.url}/inhalte`)
    await link(page, 'Lager').first().click()
    await page.getByLabel('Person hinzufügen').fill(colleague.login.username)
    await button(page, 'Hinzufügen').click()
    await page.getByText('gehört jetzt zur Redaktion').waitFor()
    const { page: phone } = colleague
    await phone.goto(`${app.url}/inhalte/decks/einlagern`)
    await link(phone, 'Was ist FIFO?').click()
    await field(phone, 'Antwort').fill('First in, first out')
    await phone.getByRole('radio', { name: 'Vorschau' }).check()
    await phone.getByRole('region', { name: 'Vorschau' }).getByText('First in, first out').waitFor()
    t.notOk(await isTooWide(phone))
    t.strictSame(await findBarriers(phone), [])
    await phone.getByRole('radio', { name: 'Text' }).check()
    await button(phone, 'Speichern').click()
    await phone.getByText(/^Gespeichert um/).waitFor()
    await link(phone, 'Zur Liste').click()
    await link(phone, 'Was ist FIFO?').waitFor()
    t.strictSame(colleague.complaints, [])
  })

  await t.test('replaces text in many cards after a preview, and undoes that as a whole', async (t) => {
    await page.goto(`${app.url}/inhalte/decks/einlagern?ansicht=tabelle`)
    await page.getByLabel('Alle gezeigten wählen').check()
    await button(page, 'Suchen und ersetzen …').click()
    await dialog(page).getByLabel('Suchen nach').fill('Regal')
    await dialog(page).getByLabel('Ersetzen durch').fill('Schrank')
    await button(page, 'Treffer ansehen').click()
    await dialog(page).getByText('12 Karten würden sich ändern.').waitFor()
    t.equal(await dialog(page).locator('ins').count(), 12)
    t.strictSame(await findBarriers(page), [])
    await button(page, 'In 12 Karten ersetzen').click()
    await page
      .getByRole('cell', { name: /Schrank 12/ })
      .first()
      .waitFor()
    await button(page, 'Zurücknehmen').click()
    await page.getByText('12 Karten zurückgenommen.').waitFor()
    await page
      .getByRole('cell', { name: /Regal 12/ })
      .first()
      .waitFor()
  })

  await t.test('sets the language and the suggested retention of a deck', async (t) => {
    const open = async () => {
      await button(page, 'Mehr zum Deck').click()
      await page.getByRole('menuitem', { name: 'Name, Sprache, Sicherheit …' }).click()
      return page.getByRole('dialog', { name: 'Deck ändern' })
    }
    const dialog = await open()
    t.equal(await dialog.getByLabel('Sprache').inputValue(), 'de')
    await dialog.getByLabel('Sprache').selectOption('Englisch')
    await dialog.getByLabel('Wie sicher?').selectOption({ value: '0.95' })
    t.strictSame(await findBarriers(page), [])
    await dialog.getByRole('button', { name: 'Speichern' }).click()
    await page.getByText('Das Deck ist gespeichert.').waitFor()
    const { decks } = await post<{ decks: { slug: string }[] }>(app, '/api/content/decks', undefined, 'GET')
    t.match(
      decks.find(({ slug }) => slug === 'einlagern'),
      { lang: 'en', desired_retention: 0.95 },
    )
    const again = await open()
    t.equal(await again.getByLabel('Wie sicher?').inputValue(), '0.95')
    await again.getByLabel('Wie sicher?').selectOption('wie die Lernenden eingestellt haben')
    await again.getByRole('button', { name: 'Speichern' }).click()
    await again.waitFor({ state: 'hidden' })
  })

  await t.test('orders cards with keys, and announces their positions', async (t) => {
    const order = async () => {
      const path = '/api/content/cards?deck=einlagern&limit=3'
      const { cards } = await post<{ cards: { question: string }[] }>(app, path, undefined, 'GET')
      return cards.map(({ question }) => question)
    }
    await button(page, 'Mehr zum Deck').click()
    await page.getByRole('menuitem', { name: 'Karten ordnen' }).click()
    await button(page, 'Nach unten: Wo steht Regal 1?').focus()
    const saved = (times: number) => {
      let seen = 0
      return page.waitForResponse((response) => response.url().endsWith('/move') && ++seen === times)
    }
    const down = saved(2)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByText('„Wo steht Regal 1?“ steht jetzt an Stelle 3.').waitFor()
    t.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Nach unten: Wo steht Regal 1?', 'keeps the focus')
    await down
    t.strictSame(await order(), ['Wo steht Regal 2?', 'Wo steht Regal 3?', 'Wo steht Regal 1?'])
    t.strictSame(await findBarriers(page), [])
    const up = saved(2)
    await button(page, 'Nach oben: Wo steht Regal 1?').focus()
    for (let times = 0; times < 3; times++) await page.keyboard.press('Enter')
    await up
    await page.getByText('„Wo steht Regal 1?“ steht jetzt an Stelle 1.').waitFor()
    t.strictSame(await order(), ['Wo steht Regal 1?', 'Wo steht Regal 2?', 'Wo steht Regal 3?'])
    await link(page, 'Fertig').click()
    await link(page, 'Wo steht Regal 1?').waitFor()
    t.strictSame(author.complaints, [])
  })

  await t.test('renames a source', async (t) => {
    await page.goto(`${app.url}/inhalte`)
    for (const [before, after] of [
      ['Lager', 'Hochregal'],
      ['Hochregal', 'Lager'],
    ] as const) {
      await button(page, `Mehr zu ${before}`).click()
      await page.getByRole('menuitem', { name: 'Umbenennen …' }).click()
      await dialog(page).getByLabel('Name').fill(after)
      await button(page, 'Speichern').click()
      await dialog(page).waitFor({ state: 'detached' })
      await link(page, after).first().waitFor()
    }
    const { sources } = await post<{ sources: { name: string }[] }>(app, '/api/content/sources', undefined, 'GET')
    t.strictSame(
      sources.map(({ name }) => name),
      ['Lager'],
    )
    t.strictSame(author.complaints, [])
  })

  await t.test("accepts a learner's suggestion", async (t) => {
    const learner = await app.newPerson({ name: 'Noah Berger' })
    const { page: seen } = learner
    await seen.goto(`${app.url}/lernen/einlagern`)
    await button(seen, /Antwort zeigen/).waitFor()
    const question = ((await seen.getByRole('region', { name: 'Frage' }).first().textContent()) ?? '').trim()
    await press(seen, 'm')
    await dialog(seen).getByLabel('Was stimmt nicht?').fill('Das steht jetzt woanders')
    await dialog(seen).getByLabel('Text vorschlagen').check()
    await dialog(seen).getByLabel('Antwort', { exact: true }).fill('In **Halle B**')
    await button(seen, 'Melden').click()
    await button(seen, 'Meine Meldungen').click()
    await seen.getByText('offen', { exact: true }).waitFor()

    await page.goto(`${app.url}/inhalte/meldungen`)
    await page.getByText('Das steht jetzt woanders').waitFor()
    t.match(await page.locator('ins').last().textContent(), /Halle B|\*\*/)
    t.strictSame(await findBarriers(page), [])
    await button(page, 'Übernehmen').click()
    await page.getByText('Der Vorschlag ist übernommen.').waitFor()
    await seen.reload()
    await seen.getByText('übernommen', { exact: true }).waitFor()
    t.strictSame(await findBarriers(seen), [])
    await page.goto(`${app.url}/inhalte/decks/einlagern`)
    await link(page, question).click()
    t.equal(await field(page, 'Antwort').inputValue(), 'In **Halle B**')
    await link(page, 'Fassungen und mehr').click()
    await page.locator('option', { hasText: 'Noah Berger' }).first().waitFor({ state: 'attached' })
    await button(page, /^Fassung \d wiederherstellen/).click()
    await until(page, `document.querySelectorAll('form textarea')[1].value.includes('Halle "A"')`)
    t.strictSame(learner.complaints, [])
  })

  await t.test('opens the editor from a session with a key, and leads back', async (t) => {
    await page.goto(`${app.url}/lernen/einlagern`)
    await button(page, /Antwort zeigen/).waitFor()
    await press(page, 'e')
    await field(page, 'Antwort').waitFor()
    await link(page, 'Zurück zum Lernen').click()
    await isAt(t, page, `${app.url}/lernen/einlagern`)
    await button(page, /Antwort zeigen/).waitFor()
  })

  await t.test('lists all cheat sheets of a source, also if the service sends several pages', async (t) => {
    const { sources } = await post<{ sources: { id: number }[] }>(app, '/api/content/sources', undefined, 'GET')
    const source = sources[0]?.id
    for (const title of ['Gefahrgut', 'Packen', 'Stapler']) {
      const sheet = { title, category: 'Lager', content_md: '# Text', client_id: title }
      await post(app, '/api/content/sheets', { source_id: source, ...sheet })
    }
    await page.route('**/api/content/sheets?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=1000', 'limit=1') }),
    )
    await page.goto(`${app.url}/inhalte/quellen/${source}`)
    const table = page.getByRole('table', { name: 'Spickzettel' })
    await table.getByRole('link', { name: 'Stapler' }).waitFor()
    t.strictSame(await table.getByRole('link').allInnerTexts(), ['Gefahrgut', 'Packen', 'Stapler'])
    await page.unroute('**/api/content/sheets?*')
  })

  await t.test('writes a cheat sheet and exports everything', async (t) => {
    await page.goto(`${app.url}/inhalte`)
    await link(page, 'Neuer Spickzettel').click()
    await page.getByLabel('Titel').fill('Lager kompakt')
    await page.getByLabel('Kategorie').fill('Lager')
    await field(page, 'Text').fill('# Lager\n\n## Fristen\n\nDrei Tage.\n')
    await page.getByRole('heading', { name: 'Fristen' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await isAt(t, page, `${app.url}/inhalte/spickzettel/lager-kompakt`)
    t.strictSame(await findBarriers(page), [])
    await link(page, 'Lager').first().click()
    const download = page.waitForEvent('download')
    await button(page, 'Exportieren').click()
    const file = await readFile(await (await download).path())
    t.equal(file.subarray(0, 2).toString('latin1'), 'PK')
    t.strictSame(author.complaints, [])
  })
})

t.test('the editor as a screen reader reads it', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const { deck } = await writeSome(app, 'Netz', 1)
  const { page } = await app.newPerson({ isAdmin: true, viewport: { width: 320, height: 700 } })
  await page.goto(`${app.url}/inhalte/decks/${deck}?karte=neu`)
  await field(page, 'Frage').waitFor()
  t.notOk(await isTooWide(page))
  t.strictSame(
    await page.evaluate(
      `[...document.querySelectorAll('nav[aria-label="Hauptbereiche"] a')].filter((a) => a.offsetParent !== null && a.scrollWidth > a.clientWidth).map((a) => a.textContent.trim())`,
    ),
    [],
    'the bar truncates no label',
  )
  t.equal(
    await page.getByRole('form').ariaSnapshot(),
    `- form "Karte":
  - toolbar "Formatieren":
    - button "Fett"
    - button "Kursiv"
    - button "Code"
    - button "Codeblock"
    - button "Link"
    - button "Liste"
    - button "Tabelle"
    - button "Bild"
  - text: Frage
  - status
  - textbox "Frage"
  - text: Antwort
  - textbox "Antwort"
  - text: Level
  - combobox "Level"
  - switch "Entwurf"
  - text: Entwurf
  - paragraph: Nur die Redaktion sieht die Karte.
  - group: Für Quiz und Test
  - button "Anlegen"
  - status`,
  )
})
