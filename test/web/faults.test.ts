import { existsSync } from 'node:fs'
import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { holdLoginLimits } from '../support/login-limits.js'
import { type App, CHROMIUM, endSessionBefore, OWN, openApp, until, untilKept } from './support/app.js'
import { createGate } from './support/gate.js'
import { press as pressKeys, untilReady } from './support/keys.js'
import { routeOnce } from './support/route.js'

const AGAIN = 'Noch einmal versuchen'

const HTML = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }

/** Returns an error response that a test cannot provoke in the service. */
function refusal(status: number, message: unknown, seconds?: number) {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({ statusCode: status, error: 'x', message }),
    headers: { 'x-error-code': 'x', ...(seconds !== undefined && { 'retry-after': String(seconds) }) },
  }
}

const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

async function logInAgain(page: Page, { username, password }: { username: string; password: string }): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Bitte noch einmal anmelden' })
  await dialog.locator('input[autocomplete~=username]').fill(username)
  await dialog.locator('input[autocomplete=current-password]').fill(password)
  await dialog.getByRole('button', { name: 'Anmelden' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

async function rateOne(app: App, page: Page): Promise<number> {
  await page.goto(`${app.url}/lernen`)
  await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
  await pressKeys(page, ' ')
  const sent = page.waitForResponse((response) => response.url().endsWith('/api/review'))
  await page.keyboard.press('3')
  return (await sent).status()
}

/** Opens „Konto“. Waits until the last chunk of the page has arrived, because a test may make chunks fail afterwards. */
async function openAccount(app: App, page: Page): Promise<void> {
  const last = page.waitForResponse('**/assets/outbox-parts-*')
  await page.goto(`${app.url}/konto`)
  await page.getByLabel('Anzeigename').waitFor()
  await (await last).finished()
}

/** Ends the session when the page saves the display name. */
const endSessionBeforeSaving = (page: Page) => endSessionBefore(page, '**/api/accounts/me', 'PATCH')

t.test('faults as users meet them', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const folder = await writeContentFolder(t, {
    'decks/bleibt.md': deckFile('Bleibt', [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }]),
    'decks/geht.md': deckFile('Geht', [{ id: 'e' }]),
    'cheatsheets/geht.md': '# Geht\n\nText\n',
    'cheatsheets/bleibt.md': '# Bleibt\n\nText\n',
  })
  const app = await openApp(t, { config: { contentDir: folder } })
  const reader = await app.newPerson()

  await t.test('shows the page or a placeholder while a response is late', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(app.url)
    await page.locator('h1').waitFor()
    const gate = createGate()
    const late = async (route: { continue(): Promise<void> }) => {
      await gate.opened
      await route.continue().catch(() => {})
    }
    await page.route('**/api/auth/me', late)
    await page.goto(`${app.url}/decks`)
    await sees(page, 'Bleibt')
    await page.unroute('**/api/auth/me')
    // The app does not cache the list of sessions, so the page must wait for this response.
    await page.route('**/api/accounts/me/sessions', late)
    await page.clock.install()
    const asked = page.waitForRequest('**/api/accounts/me/sessions')
    await page.goto(`${app.url}/konto`)
    await asked
    await page.clock.runFor(3_000)
    await sees(page, 'Das dauert länger als sonst')
    gate.open()
    await sees(page, 'dieses Gerät')
    t.strictSame(complaints, [])
  })

  for (const [name, response, sentence] of [
    ['429 that asks for a minute', refusal(429, 'Zu viele Versuche', 60), 'Zu viele Versuche'],
    ['503 that asks for a minute', refusal(503, 'Dienst überlastet', 60), 'Dienst überlastet'],
    ['500', refusal(500, 'Interner Fehler'), 'Interner Fehler'],
    ['500 that says nothing', refusal(500, { reason: 'upstream' }), 'Der Dienst hat mit Status 500 abgelehnt.'],
  ] as const) {
    await t.test(`${name}: shows one sentence and a retry button`, async (t) => {
      const { page, complaints } = reader
      // The app does not cache the list of sessions, so the page must wait for this response.
      await page.route('**/api/accounts/me/sessions', (route) => route.fulfill(response))
      await page.goto(`${app.url}/konto`)
      const alert = page.getByRole('alert').filter({ hasText: sentence })
      await alert.waitFor()
      t.equal(await page.getByRole('alert').filter({ hasText: /\S/ }).count(), 1, 'one sentence')
      t.equal(await page.locator('h1').textContent(), 'Konto')
      await page.unroute('**/api/accounts/me/sessions')
      await press(page, AGAIN)
      await sees(page, 'dieses Gerät')
      t.equal(await alert.count(), 0)
      t.strictSame(complaints, [])
    })
  }

  const portal = (status: number) => ({ status, contentType: 'application/json', body: '{"sessions":"portal"}' })
  for (const [name, response] of [
    ['a page of a proxy', HTML],
    ['JSON of a proxy with 502', portal(502)],
    ['JSON of a proxy with 404', portal(404)],
    ['JSON of a portal with 200', portal(200)],
    ['JSON that breaks off', { ...portal(200), headers: OWN, body: '{"decks":[' }],
  ] as const) {
    await t.test(`${name}: shows a marked copy, or one sentence and a retry button`, async (t) => {
      const { page, complaints } = reader
      await page.goto(`${app.url}/decks`)
      await untilKept(page, 'choice')
      await page.route('**/api/review/decks', (route) => route.fulfill(response))
      await page.goto(`${app.url}/decks`)
      await sees(page, /Stand von .* Dienst antwortet nicht/)
      await sees(page, 'Bleibt')
      await page.route('**/api/accounts/me/sessions', (route) => route.fulfill(response))
      await page.goto(`${app.url}/konto`)
      const alert = page.getByRole('alert').filter({ hasText: 'etwas anderes als der Dienst' })
      await alert.waitFor()
      await page.unroute('**/api/accounts/me/sessions')
      await press(page, AGAIN)
      await sees(page, 'dieses Gerät')
      t.equal(await alert.count(), 0)

      await page.route('**/api/auth/me', (route) => route.fulfill(response))
      await page.goto(`${app.url}/hilfe`)
      await page.getByRole('heading', { name: 'Hilfe', level: 1 }).waitFor()
      t.equal(await page.getByRole('dialog').count(), 0, 'there is no login dialog')
      await page.unrouteAll()
      t.strictSame(complaints, [])
    })
  }

  await t.test('keeps the input and names the cause when a portal answers a write with 200', async (t) => {
    const { page } = await app.newPerson()
    await page.goto(`${app.url}/konto`)
    await page.getByLabel('Anzeigename').fill('Neuer Name')
    await page.route('**/api/accounts/me', (route) =>
      route.fulfill({ status: 200, contentType: 'application/json', body: '{"ok":true}' }),
    )
    await press(page, 'Speichern')
    await sees(page, 'etwas anderes als der Dienst')
    t.equal(await page.getByLabel('Anzeigename').inputValue(), 'Neuer Name')
  })

  await t.test('keeps a list when a secondary request fails', async (t) => {
    const { page } = await app.newPerson({ isAdmin: true })
    const counts = '**/api/review/queue?*'
    // 400 is a permanent error, so the app does not repeat the request.
    await page.route(counts, (route) => route.fulfill(refusal(400, 'Ungültig')))
    const first = page.waitForResponse(counts)
    await page.goto(`${app.url}/verwaltung/benutzer`)
    await page.locator('main table').waitFor()
    await first
    await page.evaluate("document.querySelector('main table').id = 'first'")
    const gate = createGate()
    await page.route(counts, async (route) => {
      await gate.opened
      await route.fulfill(refusal(400, 'Ungültig'))
    })
    const isAsked = page.waitForRequest(counts)
    // Repeats the event, because the app ignores it until it has processed the first response.
    const focus = "window.dispatchEvent(new Event('visibilitychange'))"
    await page.evaluate(`window.focusTimer = setInterval(() => ${focus}, 100)`)
    await isAsked
    await page.evaluate('clearInterval(window.focusTimer)')
    // Waits for two frames, because a faulty app would remove the list within them.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    t.equal(await page.locator('main table#first').count(), 1)
    gate.open()
  })

  await t.test('recovers from a short 503 without the user', async (t) => {
    const { page } = await app.newPerson()
    let left = 2
    await page.route('**/api/review/decks', (route) =>
      left-- > 0 ? route.fulfill(refusal(503, 'Dienst überlastet', 1)) : route.continue(),
    )
    // Until this response arrives, the page may show a copy from an earlier visit.
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/review/decks') && response.ok())
    await page.goto(`${app.url}/decks`)
    await answered
    await sees(page, 'Bleibt')
    t.ok(left < 0, 'asked again after each refusal')
  })

  await t.test('shows a message and a button when the user cannot be determined', async (t) => {
    const { page } = await app.newBrowser()
    await page.route('**/api/auth/me', (route) => route.fulfill(HTML))
    await page.goto(`${app.url}/`)
    await sees(page, 'etwas anderes als der Dienst')
    await page.unroute('**/api/auth/me')
    await press(page, AGAIN)
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    t.pass('the login is there')
  })

  await t.test('shows the remaining time after too many wrong passwords', async (t) => {
    const { page } = await app.newBrowser()
    const { login } = await app.newPerson()
    await page.goto(`${app.url}/anmelden`)
    await page.locator('input[autocomplete~=username]').fill(login.username)
    for (let tries = 0; tries < 12; tries++) {
      await page.locator('input[autocomplete=current-password]').fill('falsch-geraten')
      const answered = page.waitForResponse('**/api/auth/login')
      await press(page, 'Anmelden')
      if ((await answered).status() === 429) break
      await sees(page, 'Benutzername oder Passwort falsch')
      await holdLoginLimits(app.db)
    }
    await sees(page, /Zu viele Versuche, weiter in \d+:\d\d\./)
    t.ok(await page.getByRole('button', { name: 'Anmelden', exact: true }).isDisabled())
  })

  await t.test('never shows a blank page when chunks of an old version are gone', async (t) => {
    const { page, login } = await app.newPerson()
    await openAccount(app, page)
    await page.route('**/assets/**', (route) => route.fulfill(refusal(404, 'Nicht gefunden')))
    await endSessionBeforeSaving(page)
    await page.getByRole('button', { name: 'Speichern' }).click()
    await sees(page, 'Die Anmeldung ist abgelaufen. Dieser Teil der App ließ sich nicht laden.')
    await page.getByRole('button', { name: 'Hinweis schließen' }).click()
    await page.getByRole('link', { name: 'Spickzettel' }).first().click()
    await sees(page, 'ließ sich nicht laden')
    await page.unroute('**/assets/**')
    await press(page, 'Neu laden')
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    await page.locator('input[autocomplete~=username]').fill(login.username)
    await page.locator('input[autocomplete=current-password]').fill(login.password)
    await press(page, 'Anmelden')
    await page.getByRole('heading', { name: 'Spickzettel' }).waitFor()
    t.pass('the new version continues at the same place')
  })

  await t.test('offers a reload if a part of an old version is missing', async (t) => {
    const { page } = await app.newPerson()
    // Waits for the app's check for a new version, which takes place once, some seconds after the start.
    const hasLooked = page.waitForResponse(`${app.url}/`)
    await page.goto(`${app.url}/konto`)
    await page.getByLabel('Anzeigename').waitFor()
    await hasLooked
    const offer = page.getByText('Es gibt eine neue Version.', { exact: true })
    const gone = (route: Route) => route.fulfill(refusal(404, 'Nicht gefunden'))
    const asOther = async (route: Route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        body: (await response.text()).replaceAll('assets/start-', 'assets/start-of-other-'),
      })
    }
    await page.route(`${app.url}/`, asOther)
    t.equal(await offer.count(), 0)
    await page.route('**/assets/**', gone)
    await page.getByRole('link', { name: 'Spickzettel' }).first().click()
    await offer.waitFor()
    await page.unrouteAll()
    await page.getByRole('status').filter({ has: offer }).getByRole('button').click()
    await page.getByRole('heading', { name: 'Spickzettel', level: 1 }).waitFor()
    t.equal(await offer.count(), 0)

    // The app also offers a new version if a chunk that every page loads after its start is missing.
    await page.route(`${app.url}/`, asOther)
    await page.route('**/assets/outbox-parts-*', gone)
    await page.goto(`${app.url}/konto`)
    await offer.waitFor()
    await page.unrouteAll()

    // The chunk for the end of a session is missing; the page must not become empty.
    await page.route('**/assets/beside-card-*', gone)
    await page.goto(`${app.url}/lernen/geht`)
    for (const name of [/Antwort zeigen/, /Gut/]) {
      await page.getByRole('button', { name }).waitFor()
      await untilReady(page)
      await page.getByRole('button', { name }).click()
    }
    await sees(page, 'deine Bewertungen sind gespeichert')
  })

  await t.test('handles a missing login chunk', async (t) => {
    const { page } = await app.newBrowser()
    await page.route('**/assets/anmelden*.js', (route) => route.fulfill(refusal(404, 'Nicht gefunden')))
    await page.goto(`${app.url}/`)
    await sees(page, 'ließ sich nicht laden')
    await page.unroute('**/assets/anmelden*.js')
    await press(page, 'Neu laden')
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    t.pass('the login is there')
  })

  await t.test('says so when the script does not load', async (t) => {
    const { page } = await app.newBrowser({ javaScriptEnabled: false })
    await page.goto(`${app.url}/decks/git`)
    t.match(await page.locator('.no-script').textContent(), 'Training braucht JavaScript.')
    t.ok(await page.locator('.no-script').isVisible())
    t.notOk(await page.locator('.still-waiting').isVisible())

    const { page: broken } = await app.newBrowser()
    await broken.route('**/assets/*.js', (route) => route.fulfill(refusal(404, 'Nicht gefunden')))
    await broken.goto(`${app.url}/`)
    const [delay] = await broken.evaluate<number[]>(
      'document.getAnimations().map((animation) => animation.effect.getTiming().delay)',
    )
    t.equal(delay, 10_000, 'the message appears late')
    await broken.evaluate('for (const animation of document.getAnimations()) animation.finish()')
    await broken.getByText('Die Seite lädt ungewöhnlich lange.').waitFor()
  })

  for (const [name, script] of Object.entries({
    'storage that is forbidden': `
      const refuse = () => { throw new DOMException('The operation is insecure.', 'SecurityError') }
      Object.defineProperty(window, 'localStorage', { get: refuse })
      IDBFactory.prototype.open = refuse`,
    'storage that is full': `
      const refuse = () => { throw new DOMException('The quota has been exceeded.', 'QuotaExceededError') }
      Storage.prototype.setItem = refuse
      IDBObjectStore.prototype.add = refuse
      IDBObjectStore.prototype.put = refuse`,
  })) {
    await t.test(`${name}: learning and appearance work while the page is open`, async (t) => {
      const { page, complaints } = await app.newPerson()
      await page.addInitScript(script)
      await page.goto(`${app.url}/`)
      await page.getByRole('heading', { name: /Hallo/ }).waitFor()
      t.equal(await rateOne(app, page), 200, 'the rating arrives')
      await page.goto(`${app.url}/quiz/bleibt`)
      await press(page, 'Quiz beginnen')
      await page.getByText('Frage 1 von').first().waitFor()
      t.strictSame(complaints, [])
    })
  }

  await t.test('keeps typed text when the session ends', async (t) => {
    const { page, login } = await app.newPerson()
    await page.goto(`${app.url}/konto`)
    await page.getByLabel('Anzeigename').fill('Halb getippt')
    await endSessionBeforeSaving(page)
    await page.getByRole('button', { name: 'Speichern' }).click()
    await logInAgain(page, login)
    await sees(page, 'Der Name ist gespeichert.')
    t.equal(await page.getByLabel('Anzeigename').inputValue(), 'Halb getippt')

    await page.getByLabel('Anzeigename').fill('Noch einmal')
    await endSessionBeforeSaving(page)
    await page.getByRole('button', { name: 'Speichern' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Schließen' }).click()
    await page.getByRole('alert').filter({ hasText: 'Nicht angemeldet' }).waitFor()
    t.equal(await page.getByLabel('Anzeigename').inputValue(), 'Noch einmal', 'also after the dialog was cancelled')
  })

  await t.test('asks for a login when the session ends before the result of a quiz is sent', async (t) => {
    const { page, login } = await app.newPerson()
    const { user } = await (await page.request.get(`${app.url}/api/auth/me`)).json()
    const result = { id: 'a', deck: '', total: 5, correct: 3, delivery: { state: 'unsent' } }
    await page.goto(`${app.url}/konto`)
    await page.getByLabel('Anzeigename').waitFor()
    await page.evaluate(
      `localStorage.setItem('training.results.${user.id}', ${JSON.stringify(JSON.stringify([result]))})`,
    )
    await endSessionBefore(page, '**/api/quiz/history')
    await page.getByRole('link', { name: 'Quiz' }).first().click()
    await logInAgain(page, login)
    await until(page, `localStorage.getItem('training.results.${user.id}') === null`)
    const { results } = await (await page.request.get(`${app.url}/api/quiz/history`)).json()
    t.match(results, [{ total_questions: 5, correct_answers: 3 }])
  })

  await t.test('stores the result of a quiz once when the start page sends it', async (t) => {
    const { page } = await app.newPerson()
    const { user } = await (await page.request.get(`${app.url}/api/auth/me`)).json()
    const result = { id: 'a', deck: 'bleibt', delivery: { state: 'unsent' } }
    const questions = [{ options: ['Dies', 'Das'], correct_index: 0 }]
    const putBack = { cards: [] }
    const stored = {
      [`training.results.${user.id}`]: [{ ...result, total: 1, correct: 1 }],
      [`training.own.quiz.${user.id}`]: {
        ...result,
        version: 1,
        name: 'Bleibt',
        questions,
        chosen: [0],
        at: 1,
        putBack,
      },
    }
    const noneWaits = `localStorage.getItem('training.results.${user.id}') === null`
    await page.goto(app.url)
    await page.getByRole('heading', { name: /Hallo/ }).waitFor()
    await page.evaluate(
      `for (const [key, value] of Object.entries(${JSON.stringify(stored)})) localStorage[key] = JSON.stringify(value)`,
    )
    await page.reload()
    await until(page, noneWaits)
    await page.goto(`${app.url}/quiz`)
    await page.getByRole('button', { name: 'Quiz beginnen' }).waitFor()
    await until(page, noneWaits)
    const { results } = await (await page.request.get(`${app.url}/api/quiz/history`)).json()
    t.match(results, [{ deck_slug: 'bleibt', total_questions: 1, correct_answers: 1 }])
    t.equal(results.length, 1)
    t.equal(await page.getByText('ist noch nicht gespeichert').count(), 0)
  })

  await t.test('asks for a login when the session ends during a proof of identity', async () => {
    const { page, login } = await app.newPerson()
    await page.goto(`${app.url}/konto`)
    const tooOld = { ...refusal(403, 'Bitte erneut anmelden'), headers: { 'x-error-code': 'proof_too_old' } }
    await page.route('**/api/auth/tokens', (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.fulfill(tooOld),
    )
    await press(page, 'Neuer Token')
    await page.getByRole('dialog', { name: 'Neuer Token' }).getByLabel('Name').fill('eins')
    await press(page, 'Anlegen')
    const proof = page.getByRole('dialog', { name: 'Bitte erneut anmelden' })
    await proof.getByLabel('Passwort', { exact: true }).fill(login.password)
    await page.unroute('**/api/auth/tokens')
    await endSessionBefore(page, '**/api/auth/confirm')
    await proof.getByRole('button', { name: 'Weiter' }).click()
    await logInAgain(page, login)
    await page.getByLabel('Token „eins“').waitFor()
  })

  await t.test('reloads and sends nothing when another user logs in after a session ended', async (t) => {
    const { page } = await app.newPerson({ name: 'Erste Person' })
    const { login: other } = await app.newPerson({ name: 'Zweite Person' })
    await page.goto(`${app.url}/konto`)
    await page.getByLabel('Anzeigename').fill('Getippt von der ersten')
    await page.evaluate("localStorage.setItem('training.own.quiz.1', '{}')")
    await endSessionBeforeSaving(page)
    await page.getByRole('button', { name: 'Speichern' }).click()
    await logInAgain(page, other)
    await page.getByRole('heading', { name: 'Hallo, Zweite' }).waitFor()
    await page.goto(`${app.url}/konto`)
    t.equal(await page.getByLabel('Anzeigename').inputValue(), 'Zweite Person')
    t.equal(await page.evaluate("localStorage.getItem('training.own.quiz.1')"), null)
  })

  await t.test('shows a new user nothing of a previous one whose session expired', async (t) => {
    const { page } = await app.newPerson({ name: 'Erste Person' })
    const { login: other } = await app.newPerson({ name: 'Zweite Person' })
    await page.goto(app.url)
    await page.getByRole('heading', { name: 'Hallo, Erste' }).waitFor()
    await page.evaluate("localStorage.setItem('training.own.quiz.1', '{}')")
    await page.context().clearCookies()
    await page.goto(`${app.url}/`)
    await page.locator('input[autocomplete~=username]').fill(other.username)
    await page.locator('input[autocomplete=current-password]').fill(other.password)
    await press(page, 'Anmelden')
    await page.getByRole('heading', { name: 'Hallo, Zweite' }).waitFor()
    t.equal(await page.evaluate("localStorage.getItem('training.own.quiz.1')"), null)
  })

  await t.test('logs out in all tabs', async (t) => {
    const { page } = await app.newPerson()
    const second = await page.context().newPage()
    await second.goto(`${app.url}/konto`)
    await second.getByLabel('Anzeigename').waitFor()
    await page.goto(app.url)
    await page.getByRole('button', { name: /^Menü von/ }).click()
    await page.getByRole('menuitem', { name: 'Abmelden' }).click()
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor()
    await second.getByRole('heading', { name: 'Anmelden' }).waitFor()
    t.match(second.url(), /\/konto$/, 'the user returns to the same page')
  })

  await t.test('redirects a logged-in user from the login page', async (t) => {
    const { page } = await app.newPerson()
    await page.goto(`${app.url}/anmelden?weiter=/hilfe`)
    await page.waitForURL(`${app.url}/hilfe`)
    await page.goto(`${app.url}/anmelden`)
    await page.getByRole('heading', { name: /Hallo/ }).waitFor()
    t.equal(page.url(), `${app.url}/`)
  })

  await t.test('demands a password change in the middle of an action', async (t) => {
    const { page, login } = await app.newPerson()
    const me = (await (await page.request.get(`${app.url}/api/auth/me`)).json()) as { user: { id: number } }
    await page.goto(app.url)
    // The demand comes with the request of the next page, so that no earlier request meets it.
    await routeOnce(page, '**/api/decks', async (route) => {
      const changed = await app.asAdmin('PATCH', `/api/accounts/${me.user.id}`, { must_change_password: true })
      t.equal(changed.status, 200)
      await route.continue()
    })
    await page.getByRole('link', { name: 'Decks' }).first().click()
    await page.getByRole('heading', { name: 'Neues Passwort' }).waitFor()
    await page.getByLabel('Bisheriges Passwort').fill(login.password)
    await page.getByLabel('Neues Passwort').fill('fuenf-andere-woerter')
    await press(page, 'Passwort ändern')
    await sees(page, 'Bleibt')
    t.match(page.url(), /\/decks$/, 'the action continues')
  })

  await t.test('explains deleted content and shows a link', async (t) => {
    app.expectMissing(/\/api\//)
    const { page, complaints } = await app.newPerson()
    const found = (await (await page.request.get(`${app.url}/api/review/cards?deck=geht`)).json()) as {
      cards: { card_id: number }[]
    }
    await changeFiles(folder, { 'decks/geht.md': null, 'cheatsheets/geht.md': null })
    t.equal((await app.asAdmin('POST', '/api/admin/import?force=true')).status, 200)
    for (const [path, sentence, way] of [
      ['decks/geht', 'Dieses Deck gibt es nicht', 'Alle Decks'],
      ['lernen/geht', /gibt es nicht|nicht gefunden/, /Heute|Decks/],
      ['quiz/geht', /Quiz/, /Quiz beginnen/],
      [`karten/${found.cards[0]?.card_id}`, 'Diese Karte ist archiviert', 'Geht'],
      ['karten/999999', 'Diese Karte gibt es nicht', 'Alle Decks'],
      ['spickzettel/geht', 'Diesen Spickzettel gibt es nicht mehr', 'Alle Spickzettel'],
      ['spickzettel/nie', 'Diesen Spickzettel gibt es nicht mehr', 'Alle Spickzettel'],
      ['irgendwas', 'Hier ist nichts', 'Zu Heute'],
      ['verwaltung', 'Nur für Administratoren', 'Zu Heute'],
    ] as const) {
      await page.goto(`${app.url}/${path}`)
      await sees(page, sentence)
      await sees(page, way)
      t.pass(path)
    }
    t.strictSame(complaints, [])
  })

  await t.test('explains a taken name and a running import', async (t) => {
    const { page, login } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/verwaltung/benutzer`)
    await press(page, 'Benutzer anlegen')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Benutzername').fill(login.username)
    await dialog.getByRole('button', { name: 'Anlegen' }).click()
    await dialog
      .getByText(/existiert bereits/)
      .first()
      .waitFor()
    t.equal(await dialog.getByLabel('Benutzername').inputValue(), login.username, 'the typed text stays')

    await page.route('**/api/content/check*', (route) => route.fulfill(refusal(409, 'Ein Import läuft bereits')))
    await page.goto(`${app.url}/inhalte/ordner`)
    await press(page, 'Dateien prüfen')
    await sees(page, 'Ein Import läuft bereits')
    const unreadable = { ...refusal(500, 'Interner Serverfehler'), headers: { 'x-error-code': 'unreadable_content' } }
    await page.route('**/api/content/check*', (route) => route.fulfill(unreadable))
    await press(page, 'Noch einmal prüfen')
    await sees(page, 'Der Ordner der Inhalte (CONTENT_DIR) ist nicht lesbar.')
  })
})
