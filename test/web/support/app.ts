import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import {
  createStoreVariables,
  firstLogin,
  type Login,
  openSession,
  type RunningService,
  startProcess,
} from '../../support/process.js'

/** Debian's Chromium, installed by `.ci/run` */
export const CHROMIUM = '/usr/bin/chromium'
/** Headless build of Chromium, which needs a quarter less processor time */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'
export const HEADLESS = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM

export const DESK = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

type TestWithHooks = Pick<Test, 'teardown' | 'beforeEach' | 'afterEach'>

export interface Person {
  page: Page
  login: Login
  /** Faults that `collectComplaints` has found */
  complaints: string[]
}

export interface App {
  service: RunningService
  url: string
  browser: Browser
  admin: Login
  /** Opens a new browser without a login. */
  newBrowser(options?: BrowserContextOptions): Promise<Omit<Person, 'login'>>
  /** Creates a user and logs in with a new browser, which shows the start page. */
  newPerson(options?: BrowserContextOptions & { isAdmin?: boolean; name?: string }): Promise<Person>
  asAdmin(method: string, path: string, body?: unknown): Promise<Response>
}

/** Header that every response of the service has */
export const OWN = { 'x-service': 'svc-training' }

/** Timeout of a step in milliseconds; some steps take twenty seconds on a slow or busy machine */
export const PATIENCE_MS = 90_000

/** Console message about an error response to a request of the app; such a message is not a fault. */
const REFUSED_REQUEST = /^Failed to load resource: the server responded with a status of (4|5)\d\d/

/** Starts the service with the web app, by default with the shipped content on a new store, and a real browser. */
export async function openApp(t: TestWithHooks, variables: Record<string, string> = {}): Promise<App> {
  const store = { ...(await createStoreVariables(t)), ...variables }
  const service = await startProcess(t, store)
  const admin = firstLogin(service, store)
  const browser = await chromium.launch({ executablePath: HEADLESS, args: ['--no-sandbox'] })
  t.teardown(async () => {
    await Promise.all(browser.contexts().map(closeContext))
    await browser.close()
  })
  closeNewContexts(t, browser)
  const url = variables.PUBLIC_URL?.replace(/\/$/, '') ?? service.url

  async function newBrowser(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      viewport: DESK,
      locale: 'de-DE',
      timezoneId: 'Europe/Berlin',
      ...options,
    })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    return { page, complaints: collectComplaints(page, url) }
  }

  const cookie = await openSession(url, admin)
  const asAdmin = (method: string, path: string, body?: unknown) =>
    fetch(new URL(path, url), {
      method,
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  let people = 0
  async function newPerson({
    isAdmin = false,
    name = 'Erika Muster',
    ...options
  }: Parameters<App['newPerson']>[0] = {}) {
    people += 1
    const login = { username: `person-${people}`, password: 'vier-zufaellige-woerter' }
    const created = await asAdmin('POST', '/api/admin/users', { ...login, display_name: name, is_admin: isAdmin })
    if (!created.ok) throw new Error(`${created.status} ${await created.text()}`)
    const person = { login, ...(await newBrowser(options)) }
    const answer = await person.page.request.post(`${url}/api/auth/login`, { data: login })
    if (!answer.ok()) throw new Error(`${answer.status()} ${await answer.text()}`)
    await person.page.goto(url)
    await person.page.locator('h1').waitFor()
    return person
  }

  return { service, url, browser, admin, newBrowser, newPerson, asAdmin }
}

/**
 * Closes the browser contexts of each test when the test ends. Each open page takes a second of processor time, mostly
 * for its service worker, which loads the whole app.
 */
function closeNewContexts(t: TestWithHooks, browser: Browser): void {
  const earlier: Set<BrowserContext>[] = []
  t.beforeEach(() => {
    earlier.push(new Set(browser.contexts()))
  })
  t.afterEach(async () => {
    const kept = earlier.pop()
    for (const context of browser.contexts()) {
      if (!kept?.has(context)) await closeContext(context)
    }
  })
}

/** Closes a context. Drops requests that its routes still hold, without an error. */
async function closeContext(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.close()
}

/**
 * Returns a list to which the following faults of the page are added: console errors and warnings, exceptions, and
 * requests to addresses that do not begin with `url`. Console messages about error responses, and `data:` and `blob:`
 * addresses, are not faults.
 */
export function collectComplaints(page: Page, url: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    if (!REFUSED_REQUEST.test(message.text())) complaints.push(`${message.text()} ${message.location().url}`.trim())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) complaints.push(request.url())
  })
  return complaints
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const barriersBy = (options: object) =>
  `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...options })})
  .then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ': ' + nodes.slice(0, 3).map(({ target }) => target.join(' ')).join(' | ')))`

const BARRIERS = barriersBy({ rules: { 'target-size': { enabled: true } } })
const FAINT_TEXTS = barriersBy({ runOnly: ['color-contrast'] })

/**
 * Returns the violations of WCAG 2.2 AA and of axe's best practices that axe finds, one line each.
 * @param which `contrast`: only violations that depend on the colour scheme
 */
export async function findBarriers(page: Page, which: 'all' | 'contrast' = 'all'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  return (await page.evaluate(which === 'all' ? BARRIERS : FAINT_TEXTS)) as string[]
}

export async function isTooWide(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')) as boolean
}

export async function studySome({ page }: Pick<Person, 'page'>, url: string, cards = 8): Promise<void> {
  const queue = (await (await page.request.get(`${url}/api/review/queue?limit=${cards}`)).json()) as {
    cards: { card_id: number }[]
  }
  const ratings = ['medium', 'easy', 'hard', 'again'] as const
  for (const [at, { card_id }] of queue.cards.entries()) {
    const data = { card_id, rating: ratings[at % ratings.length], duration_ms: 6_000 }
    const answer = await page.request.post(`${url}/api/review`, { data })
    if (!answer.ok()) throw new Error(`${answer.status()} ${await answer.text()}`)
  }
}

/** Sends reviews for the last two weeks, with some days off, so that some of the cards are due today. */
export async function studyForWeeks({ page }: Pick<Person, 'page'>, url: string): Promise<void> {
  const { cards } = (await (await page.request.get(`${url}/api/review/cards?limit=120`)).json()) as {
    cards: { card_id: number }[]
  }
  const ratings = ['medium', 'easy', 'medium', 'hard', 'medium', 'again'] as const
  const reviews: object[] = []
  let given = 0
  for (let daysAgo = 13; daysAgo >= 0; daysAgo--) {
    if (daysAgo % 6 === 5) continue
    const isNew = cards.slice((13 - daysAgo) * 6, (14 - daysAgo) * 6)
    const isOld = cards.slice(Math.max((10 - daysAgo) * 6, 0), Math.max((11 - daysAgo) * 6, 0))
    for (const { card_id } of daysAgo === 0 ? isOld : [...isNew, ...isOld]) {
      const reviewed_at = new Date(Date.now() - daysAgo * 86_400_000 + given * 1_000 - 3_600_000).toISOString()
      reviews.push({
        card_id,
        rating: ratings[given % ratings.length],
        duration_ms: 5_000 + (given % 7) * 900,
        reviewed_at,
      })
      given += 1
    }
  }
  for (let at = 0; at < reviews.length; at += 100) {
    const answer = await page.request.post(`${url}/api/review/batch`, {
      data: { reviews: reviews.slice(at, at + 100) },
    })
    if (!answer.ok()) throw new Error(`${answer.status()} ${await answer.text()}`)
  }
}

const UNTIL_MS = 60_000

/** Waits until the app has stored a response for each of these names, which may be beginnings of the stored names. */
export async function untilKept(page: Page, ...names: string[]): Promise<void> {
  await until(
    page,
    `(async () => {
      const name = 'training ' + new URL(document.baseURI).pathname
      if (!(await indexedDB.databases()).some((database) => database.name === name)) return false
      const database = await new Promise((done) => { indexedDB.open(name).onsuccess = (event) => done(event.target.result) })
      const keys = await new Promise((done) => {
        database.transaction('kept').objectStore('kept').getAllKeys().onsuccess = (event) => done(event.target.result)
      })
      database.close()
      return ${JSON.stringify(names)}.every((name) => keys.some(([, kept]) => kept.startsWith(name)))
    })()`,
  )
}

/** Expression that resolves to the number of pictures kept for offline use */
export const KEPT_PICTURES = `caches.keys().then(async (names) => {
  const name = names.find((name) => name.startsWith('training-pictures'))
  return name === undefined ? 0 : (await (await caches.open(name)).keys()).length
})`

/**
 * Waits until an expression is true in the page. An exception, for example for a missing element or during a
 * navigation, counts as false. Playwright's `waitForFunction` needs `eval`, which the policy forbids.
 * @throws Error if the expression does not become true in time
 */
export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + UNTIL_MS
  let cause: unknown
  const holds = () =>
    page.evaluate(expression).catch((error) => {
      cause = error
      return false
    })
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not in time: ${expression}`, { cause })
    await page.waitForTimeout(50)
  }
}

/**
 * Checks that the address of the page, or a part of it, is the expected one. Waits for this address, because the
 * browser reports a new address only after the event that caused the change.
 */
export async function isAt(
  t: Test,
  page: Page,
  expected: string | RegExp,
  { read = ({ href }: URL): string | null => href, message = 'the address' } = {},
): Promise<void> {
  const fits = (found: string | null) =>
    typeof expected === 'string' ? found === expected : expected.test(found ?? '')
  await page.waitForURL((url) => fits(read(url))).catch(() => {})
  const found = read(new URL(page.url()))
  if (typeof expected === 'string') t.equal(found, expected, message)
  else t.match(found, expected, message)
}
