import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { type App, findBarriers, isTooWide, openApp, PHONE, untilKept } from '../support/app.js'
import { createGate } from '../support/gate.js'
import { press, untilReady } from '../support/keys.js'
import { until } from '../support/patience.js'

const app = await openApp(t)
/** Folder for screenshots; if undefined, no screenshots are taken */
const { PICTURES } = process.env
if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true })

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: path.join(PICTURES, `${name}-${colorScheme}.png`) })
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

async function send(page: Page, method: string, address: string, body?: object) {
  const response = await page.request.fetch(`${app.url}/api/review/${address}`, { method, ...(body && { data: body }) })
  return { status: response.status(), body: (await response.json()) as never }
}

interface Card {
  card_id: number
  question: string
  answer: string
}

async function begin(app: App, page: Page, deck = 'git'): Promise<Card[]> {
  const { body } = await send(page, 'GET', `queue?deck=${deck}&limit=300`)
  await page.goto(`${app.url}/lernen/${deck}`)
  await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
  return (body as { cards: Card[] }).cards
}

async function kinds(page: Page): Promise<string> {
  const { body } = await send(page, 'GET', 'history?limit=200')
  const { entries } = body as { entries: { kind: string; is_undone: boolean }[] }
  return entries
    .filter(({ is_undone }) => !is_undone)
    .map(({ kind }) => kind)
    .reverse()
    .join()
}

async function untilKinds(page: Page, expected: string): Promise<string> {
  await until(async () => (await kinds(page)) === expected, expected)
  return kinds(page)
}

/** Imports a deck with short answers, because the answers of the shipped decks are too long to type. */
async function importTerms(): Promise<void> {
  const { page } = await app.newPerson({ isAdmin: true })
  const response = await page.request.post(`${app.url}/api/content/imports?name=Begriffe.csv&new=true&active=true`, {
    headers: { 'content-type': 'application/octet-stream' },
    data: Buffer.from(
      'Frage;Antwort\nWas ist ein Commit?;Ein **gespeicherter** Stand des Projekts.\nCode?;"```\nls\n```"\n',
    ),
  })
  if (!response.ok()) throw new Error(await response.text())
}

await importTerms()

t.test('types answers with the keyboard, on a card that allows it', async (t) => {
  const { page } = await app.newPerson({ reducedMotion: 'reduce' })
  await page.goto(`${app.url}/einstellungen`)
  await page.getByLabel('Antwort tippen').check()
  await page.getByRole('checkbox', { name: 'Sonntag' }).focus()
  await page.keyboard.press('Space')
  t.strictSame(await findBarriers(page), [])
  await picture(page, 'einstellungen')
  await page.getByRole('button', { name: 'Speichern' }).click()
  await page.getByText('Gespeichert').waitFor()
  const { body } = await send(page, 'GET', 'settings')
  t.match(body, { type_answers: true, free_weekdays: [7] })

  await begin(app, page, 'begriffe')
  const field = page.getByLabel('Deine Antwort')
  await field.waitFor()
  await page.waitForFunction('document.activeElement?.tagName === "TEXTAREA"')
  await page.keyboard.type('ein gespeicherter Stand des Rechners.')
  t.strictSame(await findBarriers(page), [])
  await picture(page, 'tippen')
  await press(page, 'Enter')
  const compared = page.getByRole('region', { name: 'Vergleich' })
  await compared.waitFor()
  t.strictSame(await compared.locator('.compared del').allTextContents(), ['Rechners'])
  t.strictSame(await compared.locator('.compared ins').allTextContents(), ['Projekts'])
  t.strictSame(await findBarriers(page), [])
  await picture(page, 'vergleich')
  await press(page, '1')
  t.equal(await untilKinds(page, 'review'), 'review', 'the keys of the ratings work again')
  await page.getByText('Code?').waitFor()
  t.equal(await field.count(), 0, 'code is not typed')
  await untilReady(page)
  for (const key of ['t', 't']) await page.keyboard.press(key)
  await page.getByText('Diese Antwort ist zum Tippen zu lang.').waitFor()
  await press(page, 'Space')
  await press(page, '3')
  await field.waitFor()
  t.equal(await field.inputValue(), '', 'the returning card has an empty field')
  await page.keyboard.press('Escape')
  await untilReady(page)
  await page.keyboard.press('t')
  await field.waitFor({ state: 'detached' })
  t.pass('t switches typing off for the session')
})

t.test('an answer typed without a network is rated once, also after a reload', async (t) => {
  const offline = { serviceWorkers: 'allow' } as const
  const { page } = await app.newPerson({ viewport: PHONE, hasTouch: true, reducedMotion: 'reduce', ...offline })
  await page.goto(app.url)
  t.equal((await send(page, 'PUT', 'settings', { type_answers: true })).status, 200)
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
  const [first, second] = (await begin(app, page, 'begriffe')) as [Card, Card]
  await untilKept(page, 'queue ')
  const field = page.getByLabel('Deine Antwort')
  await field.fill('Ein gespeicherter Stand des Rechners.')
  // The parts of a session must be loaded before the network is lost.
  await page.waitForLoadState('networkidle')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: /Antwort zeigen/ }).click()
  await page.getByRole('region', { name: 'Vergleich' }).waitFor()
  t.strictSame(await page.locator('.compared ins').allTextContents(), ['Projekts'])
  await untilReady(page)
  await page.getByRole('button', { name: /^Gut/ }).click()
  await page.getByText('1 wartet').waitFor()
  await page.reload()
  await page.getByText(/Karten vom Stand .* Dienst antwortet nicht/).waitFor()
  await page.getByText('1 wartet').waitFor()
  await page.getByText(second.question).first().waitFor()
  t.equal(await isTooWide(page), false)
  await picture(page, 'tippen-offline')
  await page.context().setOffline(false)
  t.equal(await untilKinds(page, 'review'), 'review')
  await page.getByText('1 wartet').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText(second.question).first().waitFor()
  const { body } = await send(page, 'GET', 'history?limit=200')
  t.match((body as { entries: object[] }).entries, [{ kind: 'review', card_id: first.card_id, rating: 'medium' }])
  t.equal((body as { entries: object[] }).entries.length, 1, 'stored once')
})

t.test('a card is postponed without a network, and that is undone', async (t) => {
  const { page } = await app.newPerson({ viewport: PHONE, hasTouch: true, reducedMotion: 'reduce' })
  const [first, second] = (await begin(app, page)) as [Card, Card]
  await page.getByRole('button', { name: 'Mehr zu dieser Karte' }).click()
  await page.getByRole('menuitem', { name: 'Morgen' }).waitFor()
  await picture(page, 'menu')
  // The parts of a session must be loaded before the network is lost.
  await page.waitForLoadState('networkidle')
  await page.context().setOffline(true)
  await page.getByRole('menuitem', { name: 'Morgen' }).click()
  await page.getByText('Kommt morgen wieder').waitFor()
  t.equal(await isTooWide(page), false)
  await picture(page, 'morgen')
  await press(page, 'b')
  await page.context().setOffline(false)
  t.equal(await untilKinds(page, 'tomorrow,tomorrow'), 'tomorrow,tomorrow')
  const { body } = await send(page, 'GET', 'queue?deck=git&limit=300')
  const ids = (body as { cards: Card[] }).cards.map(({ card_id }) => card_id)
  t.notOk(ids.includes(first.card_id) || ids.includes(second.card_id), 'postponed cards are not in the queue of today')
  await press(page, 'u')
  t.equal(await untilKinds(page, 'tomorrow,undo'), 'tomorrow,undo')
  await page.getByText(second.question.slice(0, 20)).first().waitFor()
  await untilReady(page)
  await page.getByRole('button', { name: /Antwort zeigen/ }).click()
  await untilReady(page)
  await page.getByRole('button', { name: /^Gut/ }).click()
  t.equal(await untilKinds(page, 'tomorrow,undo,review'), 'tomorrow,undo,review', 'the card is back and is rated')
})

t.test('a card that is forgotten often offers a note, which is shown below the answer', async (t) => {
  const { page } = await app.newPerson({ viewport: PHONE, hasTouch: true, reducedMotion: 'reduce' })
  await page.goto(app.url)
  const { body } = await send(page, 'GET', 'queue?deck=git&limit=1')
  const [card] = (body as { cards: [Card] }).cards
  for (let day = 12; day >= 1; day--) {
    const rating = day === 12 ? 'medium' : 'again'
    const reviewed_at = new Date(Date.now() - day * 86_400_000).toISOString()
    t.equal((await send(page, 'POST', '', { card_id: card.card_id, rating, reviewed_at })).status, 200)
  }
  await begin(app, page)
  await press(page, 'Space')
  await page.getByText('Diese Karte hast du schon 11-mal vergessen').waitFor()
  t.strictSame(await findBarriers(page), [])
  t.equal(await isTooWide(page), false)
  await picture(page, 'hartnaeckig')
  await page.getByRole('button', { name: 'Eselsbrücke notieren' }).click()
  await page.getByRole('textbox', { name: 'Notiz' }).fill('**Stapel**: stash wie *verstauen*')
  await picture(page, 'notiz-schreiben')
  await page.getByRole('textbox', { name: 'Notiz' }).press('Control+Enter')
  const note = page.getByRole('region', { name: 'Deine Notiz' })
  await note.waitFor()
  t.equal(await note.locator('strong').textContent(), 'Stapel', 'as Markdown')
  t.strictSame(await findBarriers(page), [])
  await picture(page, 'notiz')
  await page.goto(`${app.url}/karten/${card.card_id}`)
  await page.getByText('verstauen').waitFor()
  t.strictSame(await findBarriers(page), [])
  await picture(page, 'karte')
})

t.test('the text of a note stays while the rest of the queue is loaded', async (t) => {
  const { page } = await app.newPerson({ reducedMotion: 'reduce' })
  const rest = createGate()
  await page.route(/\/api\/review\/queue\?.*limit=300/, async (route) => {
    await rest.opened
    await route.continue()
  })
  await page.goto(`${app.url}/lernen/git`)
  await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
  await press(page, 'n')
  const field = page.getByRole('textbox', { name: 'Notiz' })
  await field.fill('Eselsbrücke')
  rest.open()
  await untilKept(page, 'queue git')
  t.equal(await field.inputValue(), 'Eselsbrücke')
})

t.test('a deck gets a separate retention, and the settings describe the fit', async (t) => {
  const { page } = await app.newPerson({ viewport: PHONE, hasTouch: true, reducedMotion: 'reduce' })
  await page.goto(`${app.url}/decks/git`)
  await page.getByLabel('Wie sicher?').selectOption({ label: '95 %' })
  await page.getByText('Gespeichert').waitFor()
  t.strictSame(await findBarriers(page), [])
  t.equal(await isTooWide(page), false)
  await picture(page, 'deck')
  const { body } = await send(page, 'GET', 'decks')
  const deck = (body as { decks: { slug: string; desired_retention: number }[] }).decks.find(
    ({ slug }) => slug === 'git',
  )
  t.equal(deck?.desired_retention, 0.95)
  await page.goto(`${app.url}/einstellungen`)
  await page.getByText('Noch gilt die Voreinstellung').waitFor()
  const wish = page.getByLabel('Abstände an mich anpassen')
  t.equal(await wish.isChecked(), true)
  await wish.scrollIntoViewIfNeeded()
  await picture(page, 'abstaende')
  await wish.uncheck()
  await page.getByText('für alle gleich').waitFor()
  await page.getByText('Gespeichert. Deine Termine bleiben').waitFor()
  t.match((await send(page, 'GET', 'settings')).body, { adapt_intervals: false })
  t.strictSame(await findBarriers(page), [])
  t.equal(await isTooWide(page), false)
})

t.test('the content has the language of its deck', async (t) => {
  const { page } = await app.newPerson({ reducedMotion: 'reduce' })
  await begin(app, page)
  t.equal(await page.getByRole('region', { name: 'Frage' }).locator('[lang]').getAttribute('lang'), 'de')
})
