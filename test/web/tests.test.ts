import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { writeContentFolder } from '../support/content.js'
import { CHROMIUM, findBarriers, isTooWide, openApp, until, untilKept } from './support/app.js'
import { createGate } from './support/gate.js'
import {
  beginTest,
  publishTests,
  QUESTIONS,
  readAttempt,
  takeByKeyboard,
  untilAttempt,
} from './support/published-tests.js'
import { routeOnce } from './support/route.js'
import { post } from './support/written.js'

const NAME = 'Datenschutz, Grundlagen'
/** Minutes of the test whose time runs out, by the clocks that the tests set forward */
const SHORT_MINUTES = 60
const NARROW = { width: 320, height: 640 }
/** Time left of twenty minutes, however slow the machine is */
const AT_LEAST_TEN_MINUTES = /\b(20:00|1\d:\d\d)/
/**
 * Console message about a request that failed because the test disconnected the network, such as the request for the
 * script of the service worker
 */
const OFFLINE = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|unknown error occurred when fetching the script/

/** Returns an expression that is true once the browser stores neither the attempt nor its marked questions. */
const isDeleted = (id: number) => `(async () => {
  const database = await new Promise((done) => {
    indexedDB.open('training ' + new URL(document.baseURI).pathname).onsuccess = (event) => done(event.target.result)
  })
  const keys = await new Promise((done) => {
    database.transaction('kept').objectStore('kept').getAllKeys().onsuccess = (event) => done(event.target.result)
  })
  database.close()
  return [...keys.map(([, name]) => name), ...Object.keys(localStorage)].every((name) => !/(attempt |test-marks.*[.])${id}$/.test(name))
})()`

t.test('tests', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const folder = await writeContentFolder(t, { 'decks/datenschutz.md': QUESTIONS })
  let ahead = 0
  let stoppedAt: Date | undefined
  const now = () => stoppedAt ?? new Date(Date.now() + ahead)
  const app = await openApp(t, { config: { contentDir: folder }, now })
  await publishTests(app, {
    grundlagen: { name: NAME, time_limit_minutes: 20, attempts: 'unlimited', review_when: 'now' },
    seite: { name: 'Auf einer Seite', pages: 'all', attempts: 'unlimited' },
    kurz: { name: 'Kurz', time_limit_minutes: SHORT_MINUTES, attempts: 1 },
    geheim: { name: 'Ohne Ergebnis', review: 'none', attempts: 1 },
    oft: { name: 'Immer wieder', review: 'none', attempts: 'unlimited' },
  })
  const answered = (page: Page, id: number, slot: number) =>
    untilAttempt(page, app, id, ({ questions }) => questions[slot]?.answer != null)
  const textAt = async (page: Page, id: number, slot: number) =>
    (await readAttempt(page, app, id)).questions[slot]?.answer?.text
  const goTo = (page: Page, number: number) =>
    page.getByRole('button', { name: new RegExp(`^Frage ${number},`) }).click()
  const submit = async (page: Page) => {
    await page.getByRole('button', { name: 'Abgeben …' }).last().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Abgeben', exact: true }).click()
  }

  await t.test('are taken by keyboard alone, every form, and reviewed', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(`${app.url}/tests/grundlagen`)
    await page.getByText('Du hast 20 Minuten.').waitFor()
    await page.getByText('Offene Fragen: Der Test fragt auch nach Karten').waitFor()
    await takeByKeyboard(page)
    t.match(await page.locator('main').textContent(), /100\s%.*bestanden/)
    t.equal(await page.locator('main summary', { hasText: 'richtig' }).count(), 6)
    await page.getByText('Ergänze die Frist.').click()
    await page.getByText('Nach 72 Stunden ist die').waitFor()
    await page.getByRole('button', { name: 'Fehler in dieser Frage melden' }).press('Enter')
    await page.getByLabel('Was stimmt nicht?').fill('Die Frist ist eine andere.')
    await page.getByRole('button', { name: 'Melden', exact: true }).press('Enter')
    await page.getByText('Danke, die Meldung ist angekommen.').waitFor()
    const { reports } = await (await page.request.get(`${app.url}/api/review/reports`)).json()
    t.match(reports, [{ text: 'Die Frist ist eine andere.' }])
    await page.reload()
    await page.getByRole('heading', { name: 'Bestanden' }).waitFor()
    await page.goto(`${app.url}/tests`)
    await page.locator('li', { hasText: NAME }).getByText('bestanden', { exact: true }).waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('show editors the options of a question that comes from the folder', async (t) => {
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    const { cards } = await (await page.request.get(`${app.url}/api/content/cards?deck=datenschutz`)).json()
    await page.goto(`${app.url}/inhalte/karten/${cards[0].id}`)
    const options = page.locator('section', { hasText: 'Für Quiz und Test' }).locator('.options li')
    await options.filter({ hasText: 'Innerhalb von 24 Stunden' }).getByText('NIS-2').waitFor()
    t.equal(await options.filter({ has: page.locator('[aria-label=richtig]') }).count(), 1)
    await page.goto(`${app.url}/inhalte/karten/${cards[3].id}`)
    await page.getByText('Zahl eingeben · in MB').waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('offer choices for gaps, and store the choice at once', async (t) => {
    const { source } = await post<{ source: { id: number } }>(app, '/api/content/sources', { name: 'Netze' })
    const pool = { source_id: source.id, name: 'Netzfragen', tests_only: true }
    const { deck } = await post<{ deck: { slug: string } }>(app, '/api/content/decks', pool)
    const answer = 'SSH hört auf Port {{22|[ ] 80|[ ] 443}}.'
    const card = { deck: deck.slug, question: 'Welcher Port?', answer, form: 'gaps', client_id: 'port' }
    await post(app, '/api/content/cards', card)
    const definition = { source_id: source.id, name: 'Ports', review_when: 'now', sections: [{ deck: deck.slug }] }
    await post(app, '/api/content/tests/ports', definition, 'PUT')
    await post(app, '/api/content/tests/ports/publish', {})
    const { page } = await app.newPerson()
    await page.goto(`${app.url}/tests/ports`)
    await page.getByRole('button', { name: /beginnen$/ }).click()
    const gap = page.getByRole('combobox', { name: 'Lücke 1 von 1' })
    await gap.waitFor()
    t.strictSame(await gap.locator('option').allTextContents(), ['…', '22', '80', '443'])
    t.strictSame(await findBarriers(page), [])
    // Unlike typed text, a choice is stored without delay, so the next frame already shows it as waiting or saved.
    const state = await page.evaluate(`(async () => {
      const gap = document.querySelector('main select')
      gap.value = '22'
      gap.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise(requestAnimationFrame)
      return document.querySelector('main [data-state]').dataset.state
    })()`)
    t.match(state, /^(waiting|saved)$/)
    await page.locator('[data-state=saved]').waitFor()
    await submit(page)
    await page.getByRole('heading', { name: 'Bestanden' }).waitFor()
    await page.locator('main summary').first().click()
    await page.getByText('deine Antwort: 22; richtig: „22“').waitFor()
  })

  await t.test('are read by a screen reader, question by question', async (t) => {
    const { page } = await app.newPerson()
    await beginTest(page, app, 'grundlagen')
    const spoken = async () => (await page.locator('main section').ariaSnapshot()).replaceAll(/^.*text: \d$\n?/gm, '')
    t.match(await spoken(), /region "Frage 1 von 6"/)
    t.match(await spoken(), /group "Wann muss eine Datenpanne gemeldet werden\?"/)
    t.match(await spoken(), /- radio "Innerhalb von 72 Stunden/)
    await goTo(page, 2)
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Frage 2 von 6')
    t.match(await spoken(), /group "Welche Rechte haben Betroffene\?"[\s\S]*checkbox "Auskunft/)
    await goTo(page, 4)
    t.match(await spoken(), /textbox "Deine Antwort in MB"/)
    await goTo(page, 5)
    t.match(await spoken(), /button "Nach oben: Vorfall melden"/)
    await goTo(page, 6)
    t.match(await spoken(), /textbox "Lücke 1 von 2"[\s\S]*Stunden ist die[\s\S]*textbox "Lücke 2 von 2"/)
    const overview = await page.getByRole('navigation', { name: 'Fragen' }).ariaSnapshot()
    t.match(overview, /button "Frage 1, offen"/)
  })

  await t.test('announce the time only at five minutes and at one minute', async (t) => {
    const { page } = await app.newPerson()
    let left = 1_200
    await page.route('**/api/tests/attempts/*', async (route) => {
      const response = await route.fetch()
      const { attempt } = await response.json()
      await route.fulfill({ response, json: { attempt: { ...attempt, seconds_left: left } } })
    })
    await page.clock.install()
    await beginTest(page, app, 'grundlagen')
    const status = page.locator('header [role=status]')
    t.equal(await status.textContent(), '')
    t.equal(await page.getByRole('timer').getAttribute('aria-live'), 'off')
    left = 302
    await page.reload()
    await page.getByRole('timer').waitFor()
    await page.clock.runFor(3_000)
    await status.getByText('Noch 5 Minuten.').waitFor({ state: 'attached' })
    left = 62
    await page.reload()
    await page.getByRole('timer').waitFor()
    await page.clock.runFor(3_000)
    await status.getByText('Noch 1 Minute.').waitFor({ state: 'attached' })
  })

  await t.test('fit a phone and have no accessibility faults, on each page', async (t) => {
    const { page } = await app.newPerson({ viewport: NARROW, hasTouch: true })
    const check = async (name: string) => {
      await page.evaluate('window.scrollTo(0, 0)')
      t.strictSame(await findBarriers(page), [], name)
      t.notOk(await isTooWide(page), `${name} is not too wide`)
    }
    await page.goto(`${app.url}/tests`)
    await page.getByText(NAME).waitFor()
    await check('list')
    await page.goto(`${app.url}/tests/grundlagen`)
    await page.getByText('Du hast 20 Minuten.').waitFor()
    await check('introduction')
    await beginTest(page, app, 'seite')
    await check('all questions')
    await page.getByLabel('Deine Antwort in MB').fill('1.500')
    await page.getByText('ist mehrdeutig').waitFor()
    await page.getByRole('button', { name: 'Markieren' }).first().tap()
    await page.getByRole('button', { name: 'Übersicht der Fragen' }).tap()
    await page.getByRole('navigation', { name: 'Fragen' }).waitFor()
    await check('overview')
    await submit(page)
    await page.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
    await check('result')
    await page.getByText('Die Lösungen siehst du, sobald du bestanden hast.').waitFor()
    await beginTest(page, app, 'grundlagen')
    await page.getByRole('button', { name: 'Übersicht der Fragen' }).tap()
    await submit(page)
    await page.locator('main summary').first().tap()
    await page.getByRole('heading', { name: 'Erklärung' }).waitFor()
    await check('review')
  })

  await t.test('continue without a network, and on another device', async (t) => {
    const { page, login, complaints } = await app.newPerson()
    const id = await beginTest(page, app, 'grundlagen')
    await page.context().setOffline(true)
    await page.getByLabel('Innerhalb von 72 Stunden').check()
    await page.getByText('Liegt auf diesem Gerät und wird noch geschickt').waitFor()
    await page.getByText('Gerade keine Verbindung. Du kannst weitermachen').waitFor()
    await goTo(page, 3)
    await page.getByLabel('Deine Antwort').fill('Bf')
    await page.getByLabel('Deine Antwort').fill('BfDI')
    await submit(page)
    await page.getByText('Ohne Verbindung lässt sich nicht abgeben.').waitFor()
    await page.getByRole('button', { name: 'Weiter bearbeiten' }).click()
    await page.context().setOffline(false)
    await page.locator('[data-state=saved]').waitFor()
    await answered(page, id, 0)
    await untilAttempt(page, app, id, ({ questions }) => questions[2]?.answer?.text === 'BfDI')

    const other = await app.newBrowser()
    await other.page.request.post(`${app.url}/api/auth/login`, { data: login })
    await other.page.goto(`${app.url}/tests`)
    await other.page.getByRole('link', { name: `Weiter: ${NAME}` }).click()
    await other.page.getByText('Wann muss eine Datenpanne').waitFor()
    t.ok(await other.page.getByLabel('Innerhalb von 72 Stunden').isChecked())
    t.strictSame(
      complaints.filter((complaint) => !OFFLINE.test(complaint)),
      [],
    )
  })

  await t.test('show confirmed answers after a reload while the service is unreachable', async (t) => {
    const { page } = await app.newPerson()
    const id = await beginTest(page, app, 'grundlagen')
    await untilKept(page, `attempt ${id}`)
    await goTo(page, 3)
    await page.getByLabel('Deine Antwort').fill('BfDI')
    await page.locator('[data-state=saved]').waitFor()
    await page.route('**/api/**', (route) => route.abort())
    await page.reload()
    await page.getByLabel('Deine Antwort').waitFor()
    t.equal(await page.getByLabel('Deine Antwort').inputValue(), 'BfDI')
    await page.getByLabel('Deine Antwort').fill('Der BfDI')
    await page.locator('[data-state=waiting]').waitFor()
    await page.unroute('**/api/**')
    await untilAttempt(page, app, id, ({ questions }) => questions[2]?.answer?.text === 'Der BfDI')
  })

  await t.test('keep an answer that is sent while another user is logged in', async (t) => {
    const { page, login } = await app.newPerson()
    const other = await app.newPerson()
    const id = await beginTest(page, app, 'grundlagen')
    app.expectMissing(new RegExp(`/api/tests/attempts/${id}`))
    await goTo(page, 3)
    await page.request.post(`${app.url}/api/auth/login`, { data: other.login })
    await page.getByLabel('Deine Antwort').fill('BfDI')
    await page.locator('[data-state=refused]').waitFor()
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    await page.getByRole('heading', { name: 'Hier ist nichts' }).waitFor()
    await page.request.post(`${app.url}/api/auth/login`, { data: login })
    await page.goto(`${app.url}/tests/versuche/${id}`)
    await answered(page, id, 2)
    t.equal(await textAt(page, id, 2), 'BfDI')
  })

  await t.test('send waiting answers after the tab was closed, from any page', async (t) => {
    const { page } = await app.newPerson()
    const context = page.context()
    const id = await beginTest(page, app, 'grundlagen')
    await context.setOffline(true)
    await goTo(page, 3)
    await page.getByLabel('Deine Antwort').fill('BfDI')
    await page.locator('[data-state=waiting]').waitFor()
    await page.close()
    await context.setOffline(false)
    const home = await context.newPage()
    await home.goto(app.url)
    await answered(home, id, 2)
    t.equal(await textAt(home, id, 2), 'BfDI')
  })

  await t.test('send answers in a browser that forbids local storage', async (t) => {
    const { page } = await app.newPerson()
    await page.addInitScript(`Object.defineProperty(window, 'localStorage', {
      get() { throw new DOMException('The operation is insecure.', 'SecurityError') },
    })`)
    const id = await beginTest(page, app, 'grundlagen')
    await goTo(page, 3)
    await page.getByLabel('Deine Antwort').fill('BfDI')
    await page.locator('[data-state=saved]').waitFor()
    t.equal(await textAt(page, id, 2), 'BfDI')
  })

  await t.test('keep typed text when the page is left at once', async (t) => {
    const { page } = await app.newPerson()
    const id = await beginTest(page, app, 'grundlagen')
    await goTo(page, 3)
    await page.getByLabel('Deine Antwort').fill('BfDI')
    await page.reload()
    await page.getByLabel('Deine Antwort').waitFor()
    t.equal(await page.getByLabel('Deine Antwort').inputValue(), 'BfDI')
    await goTo(page, 4)
    await page.getByLabel('Deine Antwort in MB').fill('1.500')
    await page.getByRole('link', { name: 'Test verlassen' }).click()
    await page.getByRole('link', { name: 'Fortsetzen' }).click()
    await goTo(page, 4)
    await page.getByText('„1.500“ ist mehrdeutig').waitFor()
    t.equal(await page.getByLabel('Deine Antwort in MB').inputValue(), '1.500')
    t.equal(await textAt(page, id, 3), undefined, 'the service does not have it yet')
    await page.getByLabel('Deine Antwort in MB').fill('1500')
    await answered(page, id, 3)
    t.equal(await page.getByText('mehrdeutig').count(), 0)
  })

  await t.test('show a newer answer from another device, and keep the one on this device', async (t) => {
    const { page, login } = await app.newPerson()
    const id = await beginTest(page, app, 'grundlagen')
    await page.context().setOffline(true)
    await goTo(page, 3)
    await page.getByLabel('Deine Antwort').fill('von hier')
    await page.locator('[data-state=waiting]').waitFor()
    const { request } = (await app.newBrowser()).page
    await request.post(`${app.url}/api/auth/login`, { data: login })
    const data = { seq: 1, answer: { text: 'von dort' } }
    t.equal((await request.put(`${app.url}/api/tests/attempts/${id}/answers/2`, { data })).status(), 200)
    await page.context().setOffline(false)
    await page.getByText('An anderer Stelle hast du neuer geantwortet').waitFor()
    t.equal(await page.getByLabel('Deine Antwort').inputValue(), 'von dort')
    await page.reload()
    await page.getByText('Deine von hier war: „von hier“').waitFor()
    await page.getByRole('button', { name: 'Meine von hier nehmen' }).click()
    await untilAttempt(page, app, id, ({ questions }) => questions[2]?.answer?.text === 'von hier')
    t.equal(await page.getByLabel('Deine Antwort').inputValue(), 'von hier')
    await page.getByText('An anderer Stelle hast du').waitFor({ state: 'detached' })
  })

  await t.test('are not submitted when an answer is refused meanwhile, until the user submits again', async (t) => {
    const { page, login } = await app.newPerson()
    const id = await beginTest(page, app, 'grundlagen')
    const { request } = (await app.newBrowser()).page
    await request.post(`${app.url}/api/auth/login`, { data: login })
    const dialog = page.getByRole('dialog')
    const submitWith = async (slot: number, text: string, meanwhile?: () => Promise<void>) => {
      const gate = createGate()
      await routeOnce(page, `**/answers/${slot}`, async (route) => {
        await gate.opened
        await route.continue()
      })
      await goTo(page, slot + 1)
      const sent = page.waitForRequest(`**/answers/${slot}`)
      await page.getByLabel('Deine Antwort').fill(text)
      await submit(page)
      await sent
      await meanwhile?.()
      gate.open()
      await dialog.getByText(`Sieh dir Frage ${slot + 1} noch einmal an.`).waitFor()
      t.equal((await readAttempt(page, app, id)).state, 'open')
    }

    await submitWith(2, 'von hier', async () => {
      const data = { seq: 1, answer: { text: 'von dort' } }
      t.equal((await request.put(`${app.url}/api/tests/attempts/${id}/answers/2`, { data })).status(), 200)
    })
    await page.getByText('Deine von hier war: „von hier“').waitFor()
    await page.getByRole('button', { name: 'Weiter bearbeiten' }).click()

    await submitWith(3, '1.500')
    await page.getByText('„1.500“ ist mehrdeutig').waitFor()
    await dialog.getByText('Hier ist deine Antwort noch nicht gespeichert:').waitFor()
    await dialog.getByRole('button', { name: 'Abgeben', exact: true }).click()
    await page.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
  })

  await t.test('list earlier attempts on request, and show the result of an early one', async (t) => {
    const { page } = await app.newPerson()
    const ids: number[] = []
    for (let number = 1; number <= 52; number++) {
      const begun = await page.request.post(`${app.url}/api/tests/oft/attempts`, {
        data: { client_id: `attempt-${number}` },
      })
      const { id } = (await begun.json()).attempt
      const ended = await page.request.post(`${app.url}/api/tests/attempts/${id}/submit`, { data: {} })
      t.equal(ended.status(), 200)
      ids.push(id)
    }
    await page.goto(`${app.url}/tests/oft`)
    await page.getByRole('link', { name: 'Versuch 52', exact: true }).waitFor()
    const rows = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^Versuch / }) })
    t.equal(await rows.count(), 50)
    // The first request fails, and the app repeats it.
    await routeOnce(page, '**/api/tests/oft?after=*', (route) => route.abort())
    const earlier = page.getByRole('button', { name: 'Frühere Versuche' })
    await earlier.click()
    await page.getByRole('link', { name: 'Versuch 1', exact: true }).waitFor()
    await earlier.waitFor({ state: 'detached' })
    t.equal(await rows.count(), 52)
    t.strictSame(await findBarriers(page), [])
    await page.getByRole('link', { name: 'Versuch 1', exact: true }).click()
    await page.waitForURL(`${app.url}/tests/versuche/${ids[0]}`)
    await page.getByText(/^Versuch 1, abgegeben /).waitFor()
    await page.getByText('Zu diesem Test wird kein Ergebnis gezeigt.').waitFor()
  })

  await t.test('report an answer that arrived after the end', async (t) => {
    const { page, login } = await app.newPerson()
    const id = await beginTest(page, app, 'geheim')
    await page.context().setOffline(true)
    await goTo(page, 3)
    await page.getByLabel('Deine Antwort').fill('zu spät')
    await page.locator('[data-state=waiting]').waitFor()
    const { request } = (await app.newBrowser()).page
    await request.post(`${app.url}/api/auth/login`, { data: login })
    t.equal((await request.post(`${app.url}/api/tests/attempts/${id}/submit`, { data: {} })).status(), 200)
    // The first requests fail, so that the page learns that the attempt has ended before its answer arrives.
    let failures = 2
    await page.route('**/answers/*', (route) => (failures-- > 0 ? route.abort() : route.continue()))
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Abgegeben' }).waitFor()
    await page.getByText('Deine letzte Antwort auf Frage 3 kam erst nach dem Ende an und zählt nicht.').waitFor()
    await page.getByText('Zu diesem Test wird kein Ergebnis gezeigt.').waitFor()
    await page.getByRole('link', { name: 'Zum Test' }).click()
    await page.getByText('Du hast alle Versuche genutzt.').waitFor()
  })

  await t.test('end when a stored answer is confirmed after a submission elsewhere', async (t) => {
    const { page } = await app.newPerson()
    const id = await beginTest(page, app, 'oft')
    await goTo(page, 3)
    let isLost = true
    await page.route('**/answers/*', async (route) => {
      if (!isLost) return route.continue()
      await route.fetch()
      await route.abort()
    })
    const submissions: string[] = []
    page.on('request', (request) => request.url().endsWith('/submit') && submissions.push(request.url()))
    await page.getByLabel('Deine Antwort').fill('BfDI')
    await answered(page, id, 2)
    await page.request.post(`${app.url}/api/tests/attempts/${id}/submit`, { data: {} })
    isLost = false
    await page.getByRole('heading', { name: 'Abgegeben' }).waitFor()
    t.strictSame(submissions, [], 'the page does not submit because of a time that is over')
  })

  await t.test('show the same in two tabs', async () => {
    const { page } = await app.newPerson()
    const id = await beginTest(page, app, 'grundlagen')
    await page.getByRole('button', { name: 'Markieren' }).click()
    await untilKept(page, `attempt ${id}`)
    const second = await page.context().newPage()
    await second.goto(`${app.url}/tests/versuche/${id}`)
    await second.getByText('Wann muss eine Datenpanne').waitFor()
    await page.getByLabel('Innerhalb von 7 Tagen').check()
    await second.locator('label:has(:checked)', { hasText: '7 Tagen' }).waitFor()
    await second.getByLabel('Innerhalb von 72 Stunden').check()
    await page.locator('label:has(:checked)', { hasText: '72 Stunden' }).waitFor()
    await untilAttempt(page, app, id, ({ questions: [first] }) => {
      const chosen = first?.options?.find(({ id }) => first.answer?.option_ids?.includes(id))
      return chosen?.text === 'Innerhalb von 72 Stunden'
    })
    await submit(page)
    await page.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
    await until(page, isDeleted(id))
    // The other tab learns that the attempt has ended when it sends its next answer.
    await second.locator('label', { hasText: '7 Tagen' }).click()
    await second.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
  })

  await t.test('take the time from the service when the device is a day ahead or behind', async (t) => {
    for (const days of [1, -1]) {
      const { page } = await app.newPerson()
      await page.addInitScript(`{
        const Real = Date
        globalThis.Date = class extends Real {
          constructor(...given) { if (given.length === 0) super(Date.now()); else super(...given) }
          static now() { return Real.now() + ${days * 86_400_000} }
        }
      }`)
      const id = await beginTest(page, app, 'grundlagen')
      t.match(await page.getByRole('timer').textContent(), AT_LEAST_TEN_MINUTES)
      await page.getByLabel('Innerhalb von 72 Stunden').check()
      await answered(page, id, 0)
      await page.context().setOffline(true)
      await goTo(page, 3)
      await page.getByLabel('Deine Antwort').fill('BfDI')
      await page.locator('[data-state=waiting]').waitFor()
      await page.context().setOffline(false)
      await answered(page, id, 2)
      t.match(await page.getByRole('timer').textContent(), AT_LEAST_TEN_MINUTES)
      await submit(page)
      await page.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
    }
  })

  await t.test('end for a laptop that was closed until after the deadline', async (t) => {
    const { page } = await app.newPerson()
    const id = await beginTest(page, app, 'kurz')
    await page.getByLabel('Innerhalb von 72 Stunden').check()
    await answered(page, id, 0)
    await page.context().setOffline(true)
    await goTo(page, 3)
    await page.getByLabel('Deine Antwort').fill('BfDI')
    await page.locator('[data-state=waiting]').waitFor()
    // A minute more than the limit, because the service accepts answers for some seconds after the deadline.
    ahead += (SHORT_MINUTES + 1) * 60_000
    t.equal((await readAttempt(page, app, id)).state, 'submitted')
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
    await page.getByText('Deine letzte Antwort auf Frage 3 kam erst nach dem Ende an').waitFor()
    await page.getByText('beendet, weil die Zeit um war,').waitFor()
  })

  await t.test('end for a page that stays open, without an action of the user', async (t) => {
    const { page } = await app.newPerson()
    await page.clock.install()
    const id = await beginTest(page, app, 'kurz')
    await page.getByLabel('Innerhalb von 72 Stunden').check()
    await answered(page, id, 0)
    // The response has the remaining time, so it must arrive before the page's clock is set forward.
    await page.locator('[data-state=saved]').waitFor()
    ahead += SHORT_MINUTES * 60_000
    await page.clock.fastForward(SHORT_MINUTES * 60_000)
    await page.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
    t.equal((await readAttempt(page, app, id)).state, 'submitted')
  })

  await t.test('send an answer again that failed when the time ran out, before they are submitted', async (t) => {
    t.teardown(() => (stoppedAt = undefined))
    const { page } = await app.newPerson()
    await page.clock.install()
    const id = await beginTest(page, app, 'kurz')
    await goTo(page, 3)
    let isFailing = true
    await page.route('**/answers/*', (route) => {
      if (!isFailing) return route.continue()
      const headers = { 'x-service': 'svc-training', 'x-error-code': 'unavailable' }
      return route.fulfill({ status: 503, headers, json: { statusCode: 503, message: 'Später' } })
    })
    // The page's clock stands still, so that neither the answer nor its repetition is sent before the test is ready.
    await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 10_000)
    await page.getByLabel('Deine Antwort').fill('BfDI')
    stoppedAt = new Date(Date.parse((await readAttempt(page, app, id)).deadline ?? '') + 5_000)
    await page.clock.fastForward(SHORT_MINUTES * 60_000)
    await page.getByText('Sobald wieder Netz da ist, siehst du das Ergebnis.').waitFor()
    isFailing = false
    await page.clock.resume()
    await page.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
    await page.getByText(/^Versuch 1, abgegeben /).waitFor()
    await page.locator('main summary', { hasText: 'oberste Behörde' }).getByText('richtig').waitFor()
    t.equal(await textAt(page, id, 2), 'BfDI')
  })
})
