import { existsSync } from 'node:fs'
import type { Page, Request } from 'playwright-core'
import t, { type Test } from 'tap'
import { REGISTER_AFTER_MS, TAKE_OVER_MS } from '../../web/src/platform/worker-times.js'
import {
  type App,
  CHROMIUM,
  DESK,
  findBarriers,
  isTooWide,
  logInAs,
  openApp,
  PHONE,
  studySome,
  withoutTimers,
} from './support/app.js'
import { PAGES } from './support/pages.js'
import { until } from './support/patience.js'
import { writeAll } from './support/written.js'

/** Frequent German words that are no English ones */
const GERMAN =
  /(?<![\p{L}-])(?:aber|alle|als|auch|auf|aus|bei|beim|bis|das|dein|deine|dem|den|der|des|dich|die|dir|diese[rs]?|du|ein|eine[mnrs]?|es|für|gibt|hier|ist|jede[rs]?|kann|kein|keine|mit|nach|nicht|nichts|noch|nur|oder|sich|sie|sind|über|um|und|unter|vom|von|vor|wenn|wer|wie|wird|zu|zum|zur|[\p{L}]*[äöüß][\p{L}]*|Abbrechen|Antwort|Antworten|Aufgabe|Aufgaben|Frage|Fragen|Heute|Karte|Karten|Konto|Speichern|Spickzettel|Suchen|Tag|Tage|Verwaltung|Weiter)(?![\p{L}-])/u
/** Content that has its own language, and what the user types */
const CONTENT = 'mark, pre, code, script, style, [lang]:not(html), .markdown, textarea, input, option'

/** Returns the texts of the page outside content: those of elements, labels and hints. */
function listTexts(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const found = []
    for (const element of document.querySelectorAll('body, body *')) {
      if (element.closest('${CONTENT}') !== null) continue
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.push(node.textContent)
      for (const name of ['aria-label', 'alt', 'placeholder', 'title']) found.push(element.getAttribute(name) ?? '')
    }
    return found.map((text) => text.trim()).filter(Boolean)
  })()`)
}

/**
 * Collects the strings in the responses of the API: names and content, which stay in their language. The messages of the
 * service are none of them: the app says them in the language of the reader.
 */
function collectContent(page: Page): () => Promise<string[]> {
  let responses: Promise<unknown>[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/')) responses.push(response.json().catch(() => null))
  })
  return async () => {
    const bodies = await Promise.all(responses)
    responses = []
    return bodies.flatMap(stringsOf).map(plain)
  }
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === 'message' ? [] : stringsOf(inner)))
}

/**
 * Opens addresses in the page and knows their requests; `settle` waits until none is under way and the page has shown
 * all.
 */
function watchRequests(page: Page): { open: (url: string) => Promise<void>; settle: () => Promise<void> } {
  const requests = new Set<Request>()
  page.on('request', (request) => requests.add(request))
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
  const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
  const names = () => [...requests].map((request) => `${request.method()} ${request.url()}`).join(', ')
  return {
    open: async (url) => {
      // The browser does not report the end of every request that a document leaves behind.
      await page.goto('about:blank')
      requests.clear()
      await page.goto(url)
    },
    settle: async () => {
      // A response may cause further requests.
      for (;;) {
        await until(
          async () => requests.size === 0,
          () => `the requests of the page end: ${names()}`,
        )
        await page.evaluate(twoFrames)
        if (requests.size === 0) return
      }
    },
  }
}

/** Returns the texts that their element cuts off, or that stand outside of the window without a way to scroll there. */
function listCutTexts(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
    const isInScroller = (element) => element !== null && (scrolls(element) || isInScroller(element.parentElement))
    const found = []
    for (const element of document.querySelectorAll('body *')) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '')
      if (!hasText || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
      const { overflowX, textOverflow } = getComputedStyle(element)
      const { left, right, width } = element.getBoundingClientRect()
      if (width <= 1 || right <= 0 || element.closest('.visually-hidden') !== null) continue
      const isCut = ['hidden', 'clip'].includes(overflowX) && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1
      const isOutside = (left < -1 || right > innerWidth + 1) && !isInScroller(element)
      if (isCut || isOutside) found.push(element.textContent.trim())
    }
    return found
  })()`)
}

/** Removes the marks of Markdown and breaks, which a page does not show. */
function plain(text: string): string {
  return text.replace(/[`*_\\]/g, '').replace(/\s+/g, ' ')
}

/** Returns the text without the parts that are content. */
function withoutContent(text: string, content: string[]): string {
  const shown = plain(text).replace(/^… ?| ?…$/g, '')
  if (content.some((one) => one.includes(shown))) return ''
  const parts = content.filter((one) => one.length > 3).sort((a, b) => b.length - a.length)
  return parts.reduce((rest, one) => rest.replaceAll(one, ''), shown)
}

t.test('the app in English', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  await chooseLanguage(t, app)
  await writeAll(app)
  const person = await app.newPerson({ isAdmin: true, reducedMotion: 'reduce', locale: 'en-GB' })
  const { page, complaints } = person
  await studySome(person, app.url)
  const readContent = collectContent(page)
  const { open, settle } = watchRequests(page)
  for (const { path: address, ready = 'h1', isAdmin } of PAGES) {
    await t.test(`„${address}“ shows no German text, is accessible and fits`, async (t) => {
      await page.setViewportSize(DESK)
      await open(`${app.url}/${address}`)
      await page
        .locator(ready.startsWith('text=') ? 'h1' : ready)
        .first()
        .waitFor()
      await settle()
      const content = await readContent()
      const texts = (await listTexts(page)).map((text) => withoutContent(text, content))
      t.equal(await page.locator('html').getAttribute('lang'), 'en')
      t.strictSame(
        texts.filter((text) => GERMAN.test(text)),
        [],
      )
      t.strictSame(await findBarriers(page), [])
      for (const viewport of [PHONE, { width: 320, height: 640 }]) {
        await page.setViewportSize(viewport)
        await settle()
        t.notOk(await isTooWide(page), `fits ${viewport.width} px`)
        t.strictSame(await listCutTexts(page), [], `no text is cut at ${viewport.width} px`)
        // The pages of staff differ on a phone only in their width.
        if (viewport === PHONE && !isAdmin) t.strictSame(await findBarriers(page), [], 'accessible on a phone')
      }
      t.strictSame(complaints.splice(0), [])
    })
  }
})

/** Script of a page that registers its service worker when a newer one has been found, instead of some time after its start */
const REGISTERED_LATE = `{
  const start = globalThis.setTimeout
  let release
  const updated = new Promise((resolve) => { release = resolve })
  globalThis.setTimeout = (work, ms, ...values) =>
    ms === ${REGISTER_AFTER_MS} ? updated.then(work) : start(work, ms, ...values)
  const { update } = ServiceWorkerRegistration.prototype
  ServiceWorkerRegistration.prototype.update = async function () {
    const registration = await update.call(this)
    release()
    await new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)))
    return registration
  }
}`

/** Script of a page that waits for another service worker without a limit, because a slow machine needs longer */
const PATIENT = withoutTimers(TAKE_OVER_MS)

async function chooseLanguage(t: Test, app: App): Promise<void> {
  const language = (page: Page) => page.locator('html').getAttribute('lang')

  await t.test('on the login page, before the service knows the person', async (t) => {
    const { page, complaints } = await app.newBrowser({ locale: 'en-GB' })
    await page.goto(app.url)
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Anmelden', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    await page.getByLabel('User name').fill('niemand')
    await page.getByLabel('Password', { exact: true }).fill('falsch')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('User name or password wrong.').waitFor()
    t.equal(await language(page), 'en')
    t.strictSame(complaints, [])
  })

  await t.test('in the settings, for every device', async (t) => {
    const { page, login } = await app.newPerson()
    await page.goto(`${app.url}/einstellungen`)
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await page.locator('option:checked', { hasText: 'English' }).waitFor({ state: 'attached' })

    const other = await app.newBrowser()
    await logInAs(other.page, app.url, login)
    await other.page.goto(`${app.url}/einstellungen`)
    await other.page.getByRole('heading', { name: 'Settings' }).waitFor()
    t.equal(await language(other.page), 'en')

    await page.getByLabel('Language').selectOption('')
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor()
    t.equal(await language(page), 'de', 'that of the browser')
    const isGerman = async () => {
      await other.page.reload({ waitUntil: 'networkidle' })
      return (await language(other.page)) === 'de'
    }
    await until(isGerman, 'a later start on the other device follows')
  })

  const openSettings = async () => {
    const { page } = await app.newPerson({ serviceWorkers: 'allow' })
    // The app looks for a new version once the service worker is registered.
    const hasLooked = page.waitForResponse(`${app.url}/`)
    await page.goto(`${app.url}/einstellungen`)
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await hasLooked
    await page.evaluate(PATIENT)
    return page
  }

  /** Opens the settings in English and logs out; the page in English runs the script at its start. */
  const logOutInEnglish = async (script: string) => {
    const page = await openSettings()
    await page.addInitScript(script)
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    await page.getByRole('button', { name: /^Menu of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    return page
  }

  await t.test('only for the own session in a browser that others use', async (t) => {
    const page = await logOutInEnglish(PATIENT + REGISTERED_LATE)
    await page.getByRole('heading', { name: 'Anmelden', exact: true }).waitFor()
    t.equal(await language(page), 'de')
  })

  for (const [name, script] of Object.entries({
    'is not fetched': 'ServiceWorkerRegistration.prototype.update = () => new Promise(() => {})',
    'does not take over': 'ServiceWorker.prototype.postMessage = () => {}',
  })) {
    await t.test(`a logout ends although the service worker of the other language ${name}`, async (t) => {
      const page = await logOutInEnglish(script)
      await page.waitForURL(`${app.url}/`)
      await page.getByRole('heading', { name: /^(Anmelden|Sign in)$/ }).waitFor()
      t.equal((await page.request.get(`${app.url}/api/auth/me`)).status(), 401)
    })
  }

  await t.test('after a visit of a page without the menu, which registers the service worker once', async (t) => {
    const page = await openSettings()
    await page.evaluate(`{
      const link = document.createElement('a')
      link.href = 'mail/bestaetigen'
      link.textContent = 'Bestätigen'
      document.querySelector('main').append(link)
    }`)
    await page.getByRole('link', { name: 'Bestätigen', exact: true }).click()
    await page.getByLabel('Sprache').waitFor({ state: 'detached' })
    const lookedAgain = page.waitForResponse(`${app.url}/`)
    await page.goBack()
    await page.getByLabel('Sprache').waitFor()
    await lookedAgain
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    t.equal(await language(page), 'en')
  })
}
