import { existsSync } from 'node:fs'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import t from 'tap'
import {
  type App,
  CHROMIUM,
  endSessionBefore,
  findBarriers,
  isTooWide,
  KEPT_PICTURES,
  logInAs,
  openApp,
  PHONE,
  untilKept,
} from './support/app.js'
import { createGate } from './support/gate.js'
import { press, untilReady } from './support/keys.js'
import { until } from './support/patience.js'
import { routeOnce } from './support/route.js'

interface Entry {
  kind: string
  card_id: number
  rating: string
  is_undone: boolean
  applied: boolean
  created_at: string
}

/** Returns the user's review history, oldest first. */
async function readLog(app: App, { request }: Page | BrowserContext): Promise<Entry[]> {
  const entries: Entry[] = []
  let before = ''
  for (;;) {
    const response = await request.get(`${app.url}/api/review/history?limit=200&before=${before}`)
    const page = (await response.json()) as { entries: Entry[]; next_before: number | null }
    entries.push(...page.entries)
    if (page.next_before === null) return entries.reverse()
    before = String(page.next_before)
  }
}

async function standing(app: App, page: Page | BrowserContext): Promise<string[]> {
  const log = await readLog(app, page)
  return log.filter((entry) => entry.kind === 'review' && !entry.is_undone).map(({ rating }) => rating)
}

const arrived = (app: App, page: Page | BrowserContext, ratings: string[]) =>
  until(async () => (await standing(app, page)).join() === ratings.join(), `the ratings ${ratings}`)

const HALF_AN_HOUR_MS = 1_800_000

/** Expression that resolves to the number of distinct pictures in the queue of the deck `git` */
const SHOWN_PICTURES = `fetch('/api/review/queue?deck=git&limit=300')
  .then((answer) => answer.text())
  .then((text) => new Set(text.match(/media\\/[0-9a-f]{64}/g)).size)`

async function openSession(app: App, page: Page, path = 'lernen/git'): Promise<void> {
  await page.goto(`${app.url}/${path}`)
  await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
}

async function textOf(locator: Locator): Promise<string> {
  return ((await locator.textContent()) ?? '').replace(/\s+/g, ' ').trim()
}

const question = (page: Page) => textOf(page.locator('article:not([hidden]) .question'))
const left = (page: Page) => textOf(page.locator('.progress p'))

t.test('learning', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)

  await t.test('a session with the keyboard alone, to its end and back', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.request.put(`${app.url}/api/review/settings`, { data: { new_per_day: 4 } })
    await openSession(app, page)
    t.equal(await left(page), 'noch 4')
    const first = await question(page)
    await press(page, ' ')
    await page.getByRole('button', { name: /Nochmal/ }).waitFor()
    t.strictSame(await findBarriers(page), [])
    await press(page, '1')
    await until(async () => /noch 4.*davon 1 noch einmal/.test(await left(page)), 'four cards, one of them again')
    t.not(await question(page), first)
    await press(page, 'Space', 'Enter', 'Enter', '2')
    await until(async () => /noch 2, davon 1/.test(await left(page)), 'two cards, one of them again')
    await press(page, ' ', '4')
    t.equal(await question(page), first, 'forgotten cards return at the end')
    await press(page, ' ')
    // The dates come from the service.
    await page
      .getByRole('button', { name: /^Gut/ })
      .getByText(/morgen|Tag|heute/)
      .first()
      .waitFor()
    await press(page, ' ')
    await page.getByRole('heading', { name: 'Geschafft' }).waitFor()
    t.match(await textOf(page.locator('.end dl')), /Karten\s*4\s*Minuten?\s*\d+\s*gewusst\s*75/)
    t.strictSame(await findBarriers(page), [])
    await arrived(app, page, ['again', 'medium', 'hard', 'easy', 'medium'])

    await press(page, 'u', 'Control+z')
    await until(async () => /noch 2/.test(await left(page)), 'two cards')
    await press(page, '3', ' ', '1', ' ', '3')
    await page.getByRole('heading', { name: 'Geschafft' }).waitFor()
    await arrived(app, page, ['again', 'medium', 'hard', 'medium', 'again', 'medium'])
    await press(page, 'x')
    await page.waitForURL(`${app.url}/`)
    t.strictSame(complaints, [])
  })

  await t.test('shows the dates of a returning card once a late response has confirmed its rating', async (t) => {
    const { page } = await app.newPerson()
    await page.request.put(`${app.url}/api/review/settings`, { data: { new_per_day: 1 } })
    const gate = createGate()
    await page.route('**/api/review', async (route) => {
      await gate.opened
      await route.continue()
    })
    await openSession(app, page)
    await press(page, ' ', '1', ' ')
    const good = page.getByRole('button', { name: /^Gut/ })
    t.match(await textOf(good), /–/)
    gate.open()
    await good
      .getByText(/morgen|Tag/)
      .first()
      .waitFor()
  })

  await t.test('counts a held key and a double tap once', async (t) => {
    const { page } = await app.newPerson()
    await page.request.put(`${app.url}/api/review/settings`, { data: { new_per_day: 2 } })
    await page.clock.install()
    await openSession(app, page)
    await untilReady(page)
    const first = await question(page)
    for (let times = 0; times < 20; times++) await page.keyboard.down(' ')
    await page.keyboard.up(' ')
    t.equal(await question(page), first)
    await untilReady(page)
    // The clock stands still, so that the page receives both taps at the same time, however slow the machine is.
    const hold = async () => page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 10_000)
    await hold()
    await page.getByRole('button', { name: /^Gut/ }).dblclick()
    await arrived(app, page, ['medium'])
    t.equal(await page.getByRole('button', { name: /Antwort zeigen/ }).count(), 1, 'the second tap did nothing')
    await page.clock.resume()
    await press(page, ' ')
    await hold()
    for (let times = 0; times < 2; times++) await page.keyboard.press('4')
    await arrived(app, page, ['medium', 'easy'])
    await page.clock.resume()
    await page.getByRole('heading', { name: 'Geschafft' }).waitFor()
    t.equal(page.url(), `${app.url}/lernen/git`, 'the second key did not leave the end of the session')
  })

  await t.test('a session by touch on a phone, portrait and landscape', async (t) => {
    const { page } = await app.newPerson({ viewport: PHONE, hasTouch: true, isMobile: true })
    await openSession(app, page)
    await untilReady(page)
    await page.locator('article:not([hidden])').tap()
    await page.getByRole('button', { name: 'Leicht' }).waitFor()
    for (const name of ['Nochmal', 'Schwer', 'Gut', 'Leicht']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      t.ok(box !== null && box.height >= 48 && box.width >= 48 && box.y > 600, `${name} in reach of the thumb`)
    }
    t.notOk(await isTooWide(page))
    await untilReady(page)
    await page.getByRole('button', { name: 'Leicht' }).tap()
    await arrived(app, page, ['easy'])
    await untilReady(page)
    await page.getByRole('button', { name: 'Letzten Schritt zurücknehmen' }).tap()
    await arrived(app, page, [])
    await page.getByRole('button', { name: 'Nochmal' }).waitFor()

    await page.setViewportSize({ width: 844, height: 390 })
    const card = await page.locator('article:not([hidden])').boundingBox()
    const again = await page.getByRole('button', { name: 'Nochmal' }).boundingBox()
    t.ok(card !== null && again !== null && again.x >= card.x + card.width, 'the ratings stand beside the card')
    t.ok(again !== null && again.height >= 48 && again.y + again.height <= 390)
    t.notOk(await isTooWide(page))
  })

  await t.test('continues after a reload and the back button', async (t) => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    await press(page, ' ', '3', ' ', '1')
    const third = await question(page)
    await page.reload()
    await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
    t.equal(await question(page), third)
    await press(page, 'u')
    // Steps before the reload can be undone.
    await arrived(app, page, ['medium'])
    await press(page, '4')
    t.equal(await question(page), third)
    await page.getByRole('link', { name: 'Lernen beenden' }).click()
    await page.getByRole('link', { name: 'Jetzt lernen' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
    t.equal(await question(page), third)
    await arrived(app, page, ['medium', 'easy'])
  })

  await t.test('suspends, informs and reports', async (t) => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    const first = await question(page)
    await press(page, 'i')
    await page.getByRole('dialog', { name: 'Zu dieser Karte' }).getByText('neu, noch nie gesehen').waitFor()
    await press(page, 'Escape', 'm')
    const dialog = page.getByRole('dialog', { name: /melden/ })
    await dialog.getByRole('textbox').fill('Hier fehlt ein Komma, und u, a, i, m sind nur Buchstaben.')
    await dialog.getByRole('button', { name: 'Melden' }).click()
    await page.getByText('Danke, die Meldung ist angekommen.').waitFor()
    await dialog.waitFor({ state: 'hidden' })
    const reports = (await (await app.asAdmin('GET', '/api/content/reports')).json()) as { reports: { text: string }[] }
    t.match(reports.reports, [{ text: /Komma/ }])
    t.equal(await question(page), first)
    await press(page, 'n')
    const note = page.getByRole('dialog', { name: 'Deine Notiz zu dieser Karte' })
    await note.getByRole('textbox').fill('Eselsbrücke')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Notiz gespeichert.').waitFor()
    await press(page, 'a')
    t.not(await question(page), first)
    await press(page, 'u')
    t.equal(await question(page), first)
    await page.getByText('Zurückgenommen', { exact: true }).waitFor()
    const { cards } = (await (await page.request.get(`${app.url}/api/review/cards?state=suspended`)).json()) as {
      cards: []
    }
    t.equal(cards.length, 0)
    t.strictSame(await standing(app, page), [])
  })

  await t.test('shares the cards between two tabs and rates nothing twice', async (t) => {
    const { page } = await app.newPerson()
    const other = await page.context().newPage()
    await openSession(app, page)
    await openSession(app, other)
    const first = await question(page)
    t.equal(await question(other), first)
    await press(page, ' ', '3')
    await until(async () => (await question(other)) === (await question(page)), 'the other tab continues as well')
    await press(other, ' ', '4')
    await until(async () => (await question(page)) === (await question(other)), 'the first tab continues as well')
    await press(page, ' ', '1')
    await arrived(app, page, ['medium', 'easy', 'again'])
    const cards = (await readLog(app, page)).map(({ card_id }) => card_id)
    t.equal(new Set(cards).size, 3)
  })

  await t.test('keeps the forms of a card while another tab rates it', async (t) => {
    const { page } = await app.newPerson()
    const other = await page.context().newPage()
    await openSession(app, page)
    await openSession(app, other)

    await press(page, 'n')
    const note = page.getByRole('dialog', { name: 'Deine Notiz zu dieser Karte' })
    await note.getByRole('textbox').fill('Der Esel trägt die Brücke.')
    await press(other, ' ', '3')
    await until(async () => (await question(page)) === (await question(other)), 'the page behind the note continues')
    t.equal(await note.getByRole('textbox').inputValue(), 'Der Esel trägt die Brücke.')
    await note.getByRole('button', { name: 'Speichern' }).click()
    await note.waitFor({ state: 'hidden' })
    await arrived(app, page, ['medium'])
    const [rated] = await readLog(app, page)
    const notes = await app.db.selectFrom('card_notes').selectAll().where('text', 'like', 'Der Esel%').execute()
    t.match(notes, [{ card_id: rated?.card_id }])

    await press(page, 'm')
    const report = page.getByRole('dialog', { name: 'Fehler auf dieser Karte melden' })
    await report.getByRole('textbox').fill('Hier fehlt der Esel.')
    await press(other, ' ', '4')
    await until(async () => (await question(page)) === (await question(other)), 'the page behind the report continues')
    await report.getByRole('button', { name: 'Melden' }).click()
    await report.waitFor({ state: 'hidden' })
    await arrived(app, page, ['medium', 'easy'])
    const cards = (await readLog(app, page)).map(({ card_id }) => card_id)
    const reports = await app.db
      .selectFrom('card_reports')
      .selectAll()
      .where('text', '=', 'Hier fehlt der Esel.')
      .execute()
    t.match(reports, [{ card_id: cards[1] }])

    await press(page, 'n')
    t.equal(await note.getByRole('textbox').inputValue(), '', 'the next card has no note')
  })

  await t.test('opens the report of a card again if it could not be sent', async (t) => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    const gate = createGate()
    await routeOnce(page, '**/reports', async (route) => {
      await gate.opened
      await route.abort()
    })
    await press(page, 'm')
    const report = page.getByRole('dialog', { name: 'Fehler auf dieser Karte melden' })
    await report.getByRole('textbox').fill('Auch hier fehlt der Esel.')
    await report.getByRole('button', { name: 'Melden' }).click()
    await press(page, 'Escape')
    await report.waitFor({ state: 'hidden' })
    await press(page, ' ', '3')
    await arrived(app, page, ['medium'])
    gate.open()
    await report.waitFor()
    t.equal(await report.getByRole('textbox').inputValue(), 'Auch hier fehlt der Esel.')
    await report.getByRole('button', { name: 'Melden' }).click()
    await page.getByText('Danke, die Meldung ist angekommen.').waitFor()
    const [rated] = await readLog(app, page)
    const reports = await app.db
      .selectFrom('card_reports')
      .selectAll()
      .where('text', '=', 'Auch hier fehlt der Esel.')
      .execute()
    t.match(reports, [{ card_id: rated?.card_id }])
    t.equal(reports.length, 1)
  })

  await t.test('offline in the middle: ratings wait, survive a closed tab, and arrive once', async (t) => {
    const { page, complaints } = await app.newPerson({ serviceWorkers: 'allow' })
    const context = page.context()
    await openSession(app, page)
    // The service worker is installed some seconds after the first page.
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    const shown = await page.evaluate(SHOWN_PICTURES)
    await until(async () => (await page.evaluate(KEPT_PICTURES)) === shown, 'all pictures are stored')
    await press(page, ' ', '3')
    await arrived(app, page, ['medium'])
    await context.setOffline(true)
    await press(page, ' ', '1', ' ', '2', ' ', '4')
    await page.getByText('3 warten').waitFor()
    t.strictSame(await findBarriers(page), [])
    await press(page, 'u', '3')
    await page.getByText('3 warten').waitFor()
    await page.close()
    const again = await context.newPage()
    await again.goto(`${app.url}/lernen/git`)
    await again.getByText(/Karten vom Stand .* Dienst antwortet nicht/).waitFor()
    await again.getByText('3 warten').waitFor()
    t.match(await left(again), /davon 1 noch einmal/, 'waiting ratings are taken into account')
    await press(again, ' ', '4')
    await again.getByText('4 warten').waitFor()
    await context.setOffline(false)
    await arrived(app, again, ['medium', 'again', 'hard', 'medium', 'easy'])
    await again.getByText(/warten/).waitFor({ state: 'detached' })
    t.strictSame(
      complaints.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED')),
      [],
    )
  })

  await t.test('„Heute“ counts ratings that wait', async (t) => {
    const { page } = await app.newPerson({ serviceWorkers: 'allow' })
    await page.goto(app.url)
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await untilKept(page, 'counts', 'stats', 'choice')
    const { counts } = (await (await page.request.get(`${app.url}/api/review/queue?limit=1`)).json()) as {
      counts: { due: number; new: number }
    }
    await openSession(app, page)
    await untilKept(page, 'queue ')
    await page.context().setOffline(true)
    await press(page, ' ', '3', ' ', '1')
    await page.getByText('2 warten').waitFor()
    await page.getByRole('link', { name: 'Lernen beenden' }).click()
    await page.getByText(/Stand von .* Dienst antwortet nicht/).waitFor()
    await page.getByRole('link', { name: 'Jetzt lernen' }).waitFor()
    const shown = await page.getByRole('region', { name: 'Heute zu lernen' }).locator('dd').allTextContents()
    t.strictSame(shown.slice(0, 2), ['1', String(counts.new - 2)], 'one card is due again')
    t.strictSame(await findBarriers(page), [])
  })

  await t.test('starts offline and shows visited pages', async (t) => {
    const { page } = await app.newPerson({ serviceWorkers: 'allow' })
    await page.goto(app.url)
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await untilKept(page, 'counts', 'stats', 'choice')
    await page.goto(`${app.url}/decks`)
    await page.getByText('Mitlernen').first().waitFor()
    await untilKept(page, 'choice', 'decks')
    await page.goto(`${app.url}/spickzettel`)
    const sheet = page.locator('main a[href^="spickzettel/"]').first()
    const title = await textOf(sheet)
    await sheet.click()
    await page.waitForURL(/spickzettel\/./)
    await page.locator('.markdown').first().waitFor()
    await untilKept(page, 'sheet ')
    await page.context().setOffline(true)
    await page.reload()
    await page.getByText(/Stand von .* Dienst antwortet nicht/).waitFor()
    t.ok((await page.locator('.markdown').first().textContent()) !== '', title)
    // Nothing waits for the longest time that the outbox gives the first page.
    await page.addInitScript(`const { setTimeout: start } = globalThis
      globalThis.setTimeout = (run, ms, ...values) => (ms === 10_000 ? 0 : start(run, ms, ...values))`)
    for (const [path, seen] of [
      ['', 'Was möchtest du lernen?'],
      ['decks', 'Mitlernen'],
    ] as const) {
      await page.goto(`${app.url}/${path}`)
      await page.getByText(/Stand von .* Dienst antwortet nicht/).waitFor()
      await page.getByText(seen).first().waitFor()
    }
  })

  await t.test('does not repeat cards offline that were learned before', async (t) => {
    const { page } = await app.newPerson({ serviceWorkers: 'allow' })
    await openSession(app, page)
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await untilKept(page, 'queue ')
    const first = await question(page)
    await press(page, 'Space', '4')
    await arrived(app, page, ['easy'])
    const second = await question(page)
    await page.context().setOffline(true)
    await page.evaluate('sessionStorage.clear()')
    await page.reload()
    await page.getByText(/Karten vom Stand .* Dienst antwortet nicht/).waitFor()
    t.not(await question(page), first)
    t.equal(await question(page), second)
  })

  await t.test('ratings wait and arrive in order, whatever a proxy responds', async () => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    const responses = [
      {
        status: 503,
        headers: { 'retry-after': '1', 'x-error-code': 'unavailable' },
        json: { statusCode: 503, error: 'x', message: 'Später' },
      },
      {
        status: 429,
        headers: { 'retry-after': '1', 'x-error-code': 'too_many' },
        json: { statusCode: 429, error: 'x', message: 'Zu viel' },
      },
      { status: 200, contentType: 'text/html', body: '<h1>Hotel-WLAN</h1>' },
      { status: 404, contentType: 'text/html', body: 'nginx' },
    ]
    const isSeen = createGate()
    await page.route(/\/api\/review(\/batch)?$/, async (route) => {
      const response = responses.shift()
      if (response !== undefined) return route.fulfill(response)
      await isSeen.opened
      return route.fallback()
    })
    await press(page, ' ', '3', ' ', '4', ' ', '2')
    await page.getByText('3 warten').first().waitFor()
    await until(async () => responses.length === 0, 'all answers of the proxy')
    isSeen.open()
    await arrived(app, page, ['medium', 'easy', 'hard'])
  })

  await t.test('ignores the clock of a proxy that responds instead of the service', async (t) => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    await page.route('**/api/**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
        body: '<h1>Hotel-WLAN</h1>',
      }),
    )
    await press(page, ' ', '3')
    // The app has processed the response of the proxy.
    await page.getByText('1 wartet').waitFor()
    await press(page, ' ', '4')
    await page.getByText('2 warten').waitFor()
    await page.unroute('**/api/**')
    await arrived(app, page, ['medium', 'easy'])
    for (const { rating, created_at, applied } of await readLog(app, page)) {
      t.ok(
        Math.abs(Date.parse(created_at) - Date.now()) < HALF_AN_HOUR_MS,
        `${rating}: the time is that of the service`,
      )
      t.equal(applied, true)
    }
  })

  await t.test('sets a refused rating aside and shows it', async () => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    await routeOnce(page, /\/api\/review$/, (route) =>
      route.fulfill({
        status: 400,
        headers: { 'x-error-code': 'invalid_input' },
        json: { statusCode: 400, error: 'Bad Request', message: 'So nicht.' },
      }),
    )
    await press(page, ' ', '3', ' ', '4')
    await page.getByRole('button', { name: '1 nicht angenommen' }).click()
    const dialog = page.getByRole('dialog', { name: 'Bewertungen auf dem Weg' })
    await dialog.getByText('So nicht.').waitFor()
    // The following ratings are sent.
    await arrived(app, page, ['easy'])
    await dialog.getByRole('button', { name: 'Verwerfen' }).click()
    await page
      .getByText(/nicht angenommen/)
      .first()
      .waitFor({ state: 'detached' })
  })

  await t.test('a new login loses nothing; another user gets a fresh page', async () => {
    const { page, login } = await app.newPerson()
    await openSession(app, page)
    await press(page, ' ', '3')
    await arrived(app, page, ['medium'])
    const other = await app.newPerson()
    await endSessionBefore(page, '**/api/review')
    await press(page, ' ', '4')
    const dialog = page.getByRole('dialog', { name: 'Bitte noch einmal anmelden' })
    await dialog.getByLabel('Passwort', { exact: true }).fill(login.password)
    await dialog.getByRole('button', { name: 'Anmelden' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await arrived(app, page, ['medium', 'easy'])

    await endSessionBefore(page, '**/api/review')
    await press(page, ' ', '1')
    await dialog.getByLabel('Benutzername').fill(other.login.username)
    await dialog.getByLabel('Passwort', { exact: true }).fill(other.login.password)
    await dialog.getByRole('button', { name: 'Anmelden' }).click()
    await page.waitForURL(`${app.url}/`)
    await openSession(app, page)
    await press(page, ' ', '2')
    // Only the ratings of the second user are sent. The other ratings are sent when the first user is back.
    await arrived(app, page, ['hard'])

    await logInAs(page, app.url, login)
    await page.evaluate('localStorage.clear()')
    await page.goto(app.url)
    await arrived(app, page, ['medium', 'easy', 'again'])
  })

  await t.test('handles a clock that is wrong by an hour', async (t) => {
    for (const hours of [-1, 1]) {
      const { page } = await app.newPerson()
      // A page that knows the user requests the cards without waiting for its chunks.
      await page.goto(app.url)
      await page.locator('h1').waitFor()
      await page.clock.install({ time: new Date(Date.now() + hours * 3_600_000) })
      await page.request.put(`${app.url}/api/review/settings`, { data: { new_per_day: 1 } })
      // Simulates a slow network: the outbox loads after the first cards, and the remaining cards after the ratings.
      const first = page.waitForResponse('**/api/review/queue?*')
      const rest = createGate()
      let asked = 0
      await page.route('**/assets/outbox*.js', (route) => first.then(() => route.continue()))
      await page.route('**/api/review/queue?*', async (route) => {
        if (asked++ > 0) await rest.opened
        await route.continue()
      })
      await openSession(app, page)
      await press(page, ' ', '1', ' ', '3')
      rest.open()
      await arrived(app, page, ['again', 'medium'])
      const log = await readLog(app, page)
      t.ok(
        log.every(({ created_at }) => Math.abs(Date.parse(created_at) - Date.now()) < HALF_AN_HOUR_MS),
        `${hours}: the times are those of the service`,
      )
    }
  })

  await t.test('sends hundreds of waiting ratings', async (t) => {
    const count = Number(process.env.WAITING ?? 250)
    const { page } = await app.newPerson()
    await openSession(app, page)
    const me = (await (await page.request.get(`${app.url}/api/auth/me`)).json()) as { user: { id: number } }
    const queue = (await (await page.request.get(`${app.url}/api/review/queue`)).json()) as {
      cards: { card_id: number }[]
    }
    const script = `(async ([user, cards, count]) => {
      const database = await new Promise((done) => { indexedDB.open('training /').onsuccess = (event) => done(event.target.result) })
      const transaction = database.transaction('entries', 'readwrite')
      for (let at = 0; at < count; at++) transaction.objectStore('entries').add({
        kind: 'rating', user, id: 'many-' + at, card_id: cards[at % cards.length], rating: ['again', 'hard', 'medium', 'easy'][at % 4],
        duration_ms: 1, reviewed_at: new Date(Date.now() - (count - at) * 10).toISOString(), isTried: false, aside: 0,
      })
      await new Promise((done) => { transaction.oncomplete = done })
      database.close()
    })(${JSON.stringify([me.user.id, queue.cards.map(({ card_id }) => card_id), count])})`
    await page.evaluate(script)
    await openSession(app, page)
    const expected = Array.from({ length: count }, (_, at) => ['again', 'hard', 'medium', 'easy'][at % 4] as string)
    await until(async () => (await standing(app, page)).length >= count, 'all ratings')
    t.strictSame(await standing(app, page), expected)
  })
})
