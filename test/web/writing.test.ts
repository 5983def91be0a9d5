import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import {
  type App,
  CHROMIUM,
  DESK,
  endSessionBefore,
  findBarriers,
  logInAs,
  openApp,
  type Person,
  PHONE,
  until,
} from './support/app.js'
import { createGate } from './support/gate.js'
import { routeOnce } from './support/route.js'
import { post, writeSome } from './support/written.js'

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const field = (page: Page, name: string) => page.getByRole('form').getByLabel(name, { exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')
const SAVED = /^Gespeichert um \d\d:\d\d$/

interface Card {
  id: number
  question: string
  answer: string
  version: number
}

const cardsOf = async (app: App, deck: string) =>
  (await post<{ cards: Card[] }>(app, `/api/content/cards?deck=${deck}&limit=200`, undefined, 'GET')).cards
const cardOf = async (app: App, id: number) =>
  (await post<{ card: Card }>(app, `/api/content/cards/${id}`, undefined, 'GET')).card

const untilKept = (page: Page) => page.getByText('Dein Text liegt auf diesem Gerät.').waitFor()

t.test('writing cards', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const { deck, cards } = await writeSome(app)
  const open = async (person: Person, card: number) => {
    await person.page.goto(`${app.url}/inhalte/karten/${card}`)
    await field(person.page, 'Antwort').waitFor()
  }
  let made = 0
  const newCard = async (): Promise<number> => {
    made += 1
    const body = { deck, question: `Frage ${made}?`, answer: `Antwort ${made}.`, client_id: `card-${made}` }
    return (await post<{ card: Card }>(app, '/api/content/cards', body)).card.id
  }
  const saveElsewhere = async (id: number, answer: string) => {
    const { version } = await cardOf(app, id)
    await post(app, `/api/content/cards/${id}`, { version, answer }, 'PATCH')
  }

  await t.test('adds ten cards with the keyboard alone, and corrects one of them', async (t) => {
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    const before = (await cardsOf(app, deck)).length
    await page.goto(`${app.url}/inhalte/decks/${deck}`)
    await page.getByRole('link', { name: 'Neue Karte' }).first().waitFor()
    await page.keyboard.press('n')
    for (let at = 1; at <= 10; at++) {
      await page.locator('textarea:focus').waitFor()
      await page.keyboard.type(`Wofür steht Port ${at}?`)
      await page.keyboard.press('Tab')
      await page.keyboard.type(`Dienst ${at}`)
      await page.keyboard.press('Control+Enter')
      await page.getByText(`Gerade angelegt (${at})`).waitFor()
    }
    await page.keyboard.press('Alt+ArrowUp')
    await page.waitForURL(/karte=\d+/)
    await until(page, `document.activeElement.value === 'Wofür steht Port 10?'`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+End')
    await page.keyboard.type(', genau')
    await page.keyboard.press('Control+Enter')
    await page.getByText(SAVED).waitFor()
    const cards = (await cardsOf(app, deck)).slice(before)
    t.strictSame(
      cards.map(({ question, answer }) => `${question} ${answer}`),
      Array.from({ length: 10 }, (_, at) => `Wofür steht Port ${at + 1}? Dienst ${at + 1}${at === 9 ? ', genau' : ''}`),
    )
    t.strictSame(complaints, [])
  })

  await t.test('restores typed text after a crash of the tab, only for its user', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    const id = await newCard()
    await open(person, id)
    await field(page, 'Antwort').fill('Mitten im Satz')
    await untilKept(page)
    const cdp = await page.context().newCDPSession(page)
    const gone = page.waitForEvent('crash')
    cdp.send('Page.crash').catch(() => {})
    await gone
    const again = { ...person, page: await page.context().newPage() }
    await page.close()
    await open(again, id)
    t.equal(await field(again.page, 'Antwort').inputValue(), 'Mitten im Satz')
    await again.page.getByText('Hier steht dein noch nicht gespeicherter Text').waitFor()

    // Another user logs in with the same browser. Until the service has named the user, the page may show the last one.
    const other = await app.newPerson({ isAdmin: true, name: 'Tomasz Nowak' })
    await logInAs(again.page, app.url, other.login)
    await open(again, id)
    await button(again.page, 'Menü von Tomasz Nowak').waitFor()
    t.match(await field(again.page, 'Antwort').inputValue(), /^Antwort \d+\.$/)
    await logInAs(again.page, app.url, person.login)
    await open(again, id)
    await button(again.page, 'Menü von Erika Muster').waitFor()
    t.equal(await field(again.page, 'Antwort').inputValue(), 'Mitten im Satz')

    await again.page.goto(`${app.url}/inhalte`)
    await again.page.getByText('Das hast du auf diesem Gerät getippt').waitFor()
    await again.page
      .getByRole('link', { name: /^Frage \d+\?$/ })
      .first()
      .click()
    await button(again.page, 'Verwerfen').click()
    await until(again.page, `/^Antwort \\d+\\.$/.test(document.querySelectorAll('form textarea')[1].value)`)
  })

  for (const [choice, stored] of [
    ['Meins nehmen', 'Meins'],
    ['Ihres nehmen', 'Ihres'],
  ] as const) {
    await t.test(`shows both texts when another editor has saved: ${choice}`, async (t) => {
      const person = await app.newPerson({ isAdmin: true })
      const { page, complaints } = person
      const id = await newCard()
      await open(person, id)
      await saveElsewhere(id, 'Ihres')
      await field(page, 'Antwort').fill('Meins')
      await button(page, 'Speichern').click()
      await dialog(page).getByText('Inzwischen geändert').waitFor()
      t.equal((await cardOf(app, id)).answer, 'Ihres', 'nothing was overwritten')
      t.match(await dialog(page).locator('del').textContent(), /Ihres$/)
      t.match(await dialog(page).locator('ins').textContent(), /Meins$/)
      await button(page, choice).click()
      await dialog(page).waitFor({ state: 'detached' })
      await until(page, `document.querySelectorAll('form textarea')[1].value === '${stored}'`)
      if (stored === 'Meins') await page.getByText(SAVED).waitFor()
      t.equal((await cardOf(app, id)).answer, stored)
      t.strictSame(complaints, [])
    })
  }

  await t.test('keeps both texts to edit when another editor has saved', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    const id = await newCard()
    await open(person, id)
    await saveElsewhere(id, 'Ihres')
    await field(page, 'Antwort').fill('Meins')
    await page.keyboard.press('Control+Enter')
    await button(page, 'Beides bearbeiten').click()
    await page.getByText('Die gespeicherte Fassung').waitFor()
    await field(page, 'Antwort').fill('Meins und Ihres')
    await page.keyboard.press('Control+Enter')
    await page.getByText(SAVED).waitFor()
    t.match(await cardOf(app, id), { answer: 'Meins und Ihres', version: 3 })
  })

  await t.test('asks for a login when the session has expired, and saves then', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    const id = await newCard()
    await open(person, id)
    await field(page, 'Antwort').fill('Nach der Pause')
    await endSessionBefore(page, `**/api/content/cards/${id}`, 'PATCH')
    await button(page, 'Speichern').click()
    await dialog(page).getByLabel('Passwort', { exact: true }).fill(person.login.password)
    await dialog(page).getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByText(SAVED).waitFor()
    t.equal((await cardOf(app, id)).answer, 'Nach der Pause')
  })

  await t.test('keeps the text across a logout in another tab', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page, login } = person
    const id = await newCard()
    await open(person, id)
    const other = await page.context().newPage()
    await other.goto(app.url)
    await button(other, 'Menü von Erika Muster').click()
    const logout = other.getByRole('menuitem', { name: 'Abmelden' })
    await logout.waitFor()
    // The app has not stored this text on the device yet when the logout reloads the page.
    await field(page, 'Antwort').fill('Vor dem Abmelden')
    await logout.click()
    await page.getByLabel('Passwort', { exact: true }).waitFor()
    await page.getByLabel('Benutzername').fill(login.username)
    await page.getByLabel('Passwort', { exact: true }).fill(login.password)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await field(page, 'Antwort').waitFor()
    t.equal(await field(page, 'Antwort').inputValue(), 'Vor dem Abmelden')
    await button(page, 'Speichern').click()
    await page.getByText(SAVED).waitFor()
    t.equal((await cardOf(app, id)).answer, 'Vor dem Abmelden')
  })

  await t.test('gives each of two tabs its own draft of a new card', async (t) => {
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    const other = await page.context().newPage()
    const openNew = async (tab: Page) => {
      await tab.goto(`${app.url}/inhalte/decks/${deck}?karte=neu`)
      await field(tab, 'Frage').waitFor()
    }
    await openNew(page)
    t.equal(await page.getByText('in einem anderen Tab offen').count(), 0)
    await field(page, 'Frage').fill('Wer schreibt im ersten Tab?')
    await untilKept(page)
    await openNew(other)
    await other.getByText('in einem anderen Tab offen').waitFor()
    t.equal(await field(other, 'Frage').inputValue(), '')
    await field(other, 'Frage').fill('Wer schreibt im zweiten Tab?')
    await untilKept(other)
    // Each tab finds its own text again.
    await openNew(other)
    t.equal(await field(other, 'Frage').inputValue(), 'Wer schreibt im zweiten Tab?')
    await openNew(page)
    t.equal(await field(page, 'Frage').inputValue(), 'Wer schreibt im ersten Tab?')
    for (const tab of [page, other]) {
      await field(tab, 'Antwort').fill('Erika')
      await tab.keyboard.press('Control+Enter')
      await tab.getByText('Gerade angelegt (1)').waitFor()
    }
    const questions = (await cardsOf(app, deck)).map(({ question }) => question)
    t.strictSame(questions.slice(-2), ['Wer schreibt im ersten Tab?', 'Wer schreibt im zweiten Tab?'])
    // The last open tab continues the text of a tab that was closed.
    await field(other, 'Frage').fill('Wer schreibt das zu Ende?')
    await untilKept(other)
    await other.close()
    await openNew(page)
    t.equal(await field(page, 'Frage').inputValue(), 'Wer schreibt das zu Ende?')
    t.strictSame(complaints, [])
  })

  await t.test('creates one card although the answer of the service was lost', async (t) => {
    const { page } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/inhalte/decks/${deck}?karte=neu`)
    await field(page, 'Frage').fill('Kommt das an?')
    await field(page, 'Antwort').fill('Einmal')
    await page.route('**/api/content/cards', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.keyboard.press('Control+Enter')
    await page.getByText('Noch nicht gespeichert.').waitFor()
    await page.getByText('Der Dienst ist gerade nicht erreichbar').waitFor()
    t.equal(await page.getByText(/Gespeichert um/).count(), 0)
    await page.unroute('**/api/content/cards')
    await page.reload()
    t.equal(await field(page, 'Frage').inputValue(), 'Kommt das an?')
    await field(page, 'Antwort').fill('Genau einmal')
    await page.route('**/api/content/cards/*', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.keyboard.press('Control+Enter')
    await page.getByText('Der Dienst ist gerade nicht erreichbar').waitFor()
    await page.unroute('**/api/content/cards/*')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Gerade angelegt (1)').waitFor()
    const found = (await cardsOf(app, deck)).filter(({ question }) => question === 'Kommt das an?')
    t.match(found, [{ answer: 'Genau einmal' }])
    t.equal(found.length, 1)
  })

  await t.test('shows the refusal of the service, and keeps the text', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    const id = await newCard()
    await open(person, id)
    await field(page, 'Antwort').fill('Zu früh')
    for (const [status, code, message] of [
      [403, 'not_an_editor', 'Du gehörst nicht zur Redaktion dieser Quelle'],
      [413, 'body_too_large', 'Anfrage zu groß'],
      [429, 'too_many_requests', 'Zu viele Anfragen'],
      [503, 'overloaded', 'Der Dienst ist überlastet'],
    ] as const) {
      const headers = { 'x-service': 'svc-training', 'x-error-code': code, 'content-type': 'application/json' }
      const body = JSON.stringify({ error: 'x', message })
      const answer = (route: { fulfill: (answer: object) => Promise<void> }) => route.fulfill({ status, headers, body })
      await routeOnce(page, `**/api/content/cards/${id}`, answer)
      await button(page, 'Speichern').click()
      await page.getByText(message).waitFor()
      await page.getByText('Dein Text liegt auf diesem Gerät.').waitFor()
      t.equal(await field(page, 'Antwort').inputValue(), 'Zu früh')
    }
    await button(page, 'Speichern').click()
    await page.getByText(SAVED).waitFor()
  })

  await t.test('keeps the whole text if it is too long, and reports that', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    await open(person, await newCard())
    const text = 'lang '.repeat(14_000)
    await field(page, 'Antwort').fill(text)
    await button(page, 'Speichern').click()
    await page.getByText('darf höchstens 65.536 Zeichen haben').waitFor()
    t.equal((await field(page, 'Antwort').inputValue()).length, text.length)
  })

  await t.test("links to the learners' page only for cards that they see", async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const id = await newCard()
    await open(person, id)
    const link = person.page.getByText('Ansehen wie Lernende')
    t.equal(await link.count(), 1)
    await post(app, `/api/content/cards/${id}`, { draft: true }, 'PATCH')
    await open(person, id)
    await person.page.getByText('Entwurf', { exact: true }).first().waitFor()
    t.equal(await link.count(), 0)
  })

  await t.test('shows similar questions without moving a button, and lists them', async (t) => {
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    for (const viewport of [PHONE, DESK]) {
      await page.setViewportSize(viewport)
      for (const [path, names] of [
        [`decks/${deck}?karte=neu`, ['Anlegen']],
        [`karten/${cards[0]}`, ['Speichern', 'Endgültig löschen …']],
      ] as const) {
        const gate = createGate()
        await page.route('**/api/content/cards/similar*', async (route) => {
          await gate.opened
          await route.continue()
        })
        await page.goto(`${app.url}/inhalte/${path}`)
        await field(page, 'Antwort').waitFor()
        const text = 'Was macht Schicht 9?'
        const asked = page.waitForRequest((request) => new URL(request.url()).searchParams.get('question') === text)
        await field(page, 'Frage').fill(text)
        await asked
        await untilKept(page)
        const places = () => Promise.all(names.map((name) => button(page, name).boundingBox()))
        const before = await places()
        gate.open()
        const similar = page.getByRole('status').getByText(/ähnliche Fragen/i)
        await similar.waitFor()
        t.strictSame(await places(), before, `${path}, ${viewport.width}`)
        t.strictSame(await findBarriers(page), [])
        await similar.click()
        await dialog(page).getByRole('link', { name: 'Was macht Schicht 2?' }).waitFor()
        t.strictSame(await findBarriers(page), [])
        await page.keyboard.press('Escape')
        t.equal(await similar.evaluate((shown) => shown === shown.ownerDocument.activeElement), true)
        await field(page, 'Frage').fill('Was macht Schicht 3?')
        await page.getByRole('status').getByText('Diese Frage gibt es schon').waitFor()
        t.strictSame(complaints, [])
      }
    }
  })

  await t.test('reports weaknesses of the options', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    const id = await newCard()
    await open(person, id)
    await page.getByText('Für Quiz und Test').click()
    const add = async (text: string) => {
      const shown = await page.getByPlaceholder('Antwort', { exact: true }).count()
      await button(page, 'Antwort hinzufügen').click()
      await page.getByPlaceholder('Antwort', { exact: true }).nth(shown).fill(text)
    }
    await add('Etwas anderes')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nur 2 Antworten zur Auswahl').waitFor()
    t.strictSame(await findBarriers(page), [])
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Warum?' }).click()
    const help = await opened
    await help.getByRole('heading', { name: 'Weniger als drei Antworten' }).waitFor()
    await until(help, `document.activeElement.id === 'few-options'`)
    t.strictSame(await findBarriers(help), [])
    await help.close()
    await page.reload()
    await page.getByText('Nur 2 Antworten zur Auswahl').waitFor()
    await add('Noch etwas')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nur 2 Antworten zur Auswahl').waitFor({ state: 'detached' })
    t.strictSame(person.complaints, [])
  })

  await t.test('lets an administrator purge a card after a confirmation that shows it', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    const id = await newCard()
    const { question } = await cardOf(app, id)
    await open(person, id)
    await button(page, 'Endgültig löschen …').click()
    await dialog(page).getByText(question).waitFor()
    t.strictSame(await findBarriers(page), [])
    await button(page, 'Abbrechen').click()
    t.match(await cardOf(app, id), { question })
    await button(page, 'Endgültig löschen …').click()
    await button(page, 'Endgültig löschen').click()
    await page.waitForURL(`${app.url}/inhalte/decks/${deck}`)
    await page.getByRole('list', { name: 'Karten', exact: true }).waitFor()
    t.equal(await page.getByRole('link', { name: question }).count(), 0)
    t.equal((await app.asAdmin('GET', `/api/content/cards/${id}`)).status, 404)
    t.strictSame(person.complaints, [])
  })

  await t.test('says „Gespeichert“ only after the answer', async (t) => {
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    const id = await newCard()
    await open(person, id)
    const gate = createGate()
    await page.route(`**/api/content/cards/${id}`, async (route) => {
      if (route.request().method() === 'PATCH') await gate.opened
      await route.continue()
    })
    await field(page, 'Antwort').fill('Langsam')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Wird gespeichert …').waitFor()
    t.equal(await page.getByText(/Gespeichert um/).count(), 0)
    gate.open()
    await page.getByText(SAVED).waitFor()
  })
})
