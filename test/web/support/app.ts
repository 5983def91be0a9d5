import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Kysely } from 'kysely'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Response as PlaywrightResponse,
} from 'playwright-core'
import type { Test } from 'tap'
import type { Database } from '../../../db/types.js'
import { importIntoEmptyStore } from '../../../src/services/content/folder/import.js'
import { TOAST_MS } from '../../../web/src/parts/toast-time.js'
import { createUser, PASSWORD } from '../../support/factories.js'
import {
  createStoreVariables,
  firstLogin,
  type Login,
  openSession,
  type RunningService,
  startProcess,
} from '../../support/process.js'
import { CONFIG, startService } from '../../support/service.js'
import { PATIENCE_MS, until as untilTrue } from './patience.js'

/** Debian's Chromium, installed by `.ci/run` */
export const CHROMIUM = '/usr/bin/chromium'
/** Headless build of Chromium, which needs a quarter less processor time */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'
export const HEADLESS = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM

export const DESK = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

interface Timed {
  setTimeout?(ms: number): void
  parent?: Timed | undefined
}

type TestWithHooks = Pick<Test, 'teardown' | 'beforeEach' | 'afterEach'> & Timed

export interface Person {
  page: Page
  login: Login
  /** Faults that `collectComplaints` has found */
  complaints: string[]
}

export interface App {
  url: string
  browser: Browser
  /** First administrator */
  admin: Login
  /**
   * Opens a browser context without a login. By default, it has no service worker, because each one loads the whole
   * app, which takes a second of processor time. Tests that need one set `serviceWorkers: 'allow'`.
   */
  newBrowser(options?: BrowserContextOptions): Promise<Omit<Person, 'login'>>
  /** Creates a user and logs in with a new browser context, which shows no page yet. */
  newPerson(options?: BrowserContextOptions & { isAdmin?: boolean; name?: string }): Promise<Person>
  asAdmin(method: string, path: string, body?: unknown): Promise<Response>
  /**
   * Accepts responses of the API with status 404 until the running test ends. Others fail the test.
   * @param paths patterns of method and path, such as `GET /api/decks/nie`
   */
  expectMissing(...paths: RegExp[]): void
}

/** App of a service in a separate process */
export interface AppOfProgram extends App {
  service: RunningService
}

/** Timeout of a whole test file. The default of 30 seconds is for tests without a browser. */
const FILE_TIMEOUT_MS = 1_800_000

/** Header that every response of the service has */
export const OWN = { 'x-service': 'svc-training' }

/** Returns a script that starts no timers of these durations (ms). */
export const withoutTimers = (...durations: number[]) => `{
  const start = globalThis.setTimeout
  globalThis.setTimeout = (work, ms, ...values) =>
    ${JSON.stringify(durations)}.includes(ms) ? -1 : start(work, ms, ...values)
}`
/** Script that keeps toasts until the next one, because a slow machine may look at the page after a toast has ended */
const LASTING_TOASTS = withoutTimers(TOAST_MS, 2 * TOAST_MS)

/** Console message about an error response to a request of the app; such a message is not a fault. */
const REFUSED_REQUEST = /^Failed to load resource: the server responded with a status of (4|5)\d\d/
/** Console message about the option `serviceWorkers: 'block'` */
const NO_WORKER = 'Service Worker registration blocked by Playwright'

/**
 * Starts the service in this process, by default with the shipped content, and a real browser.
 * @param options of the service; `port`: default is a free port
 */
export async function openApp(
  t: Test,
  { port = 0, ...options }: Parameters<typeof startService>[1] & { port?: number } = {},
): Promise<App & { db: Kysely<Database> }> {
  allowTime(t)
  const config = { ...CONFIG, web: true, ...options.config }
  const { app: server, db } = await startService(t, { ...options, config })
  await createUser(db, { username: 'admin', display_name: 'admin', is_admin: true, emergency: true })
  await importIntoEmptyStore(db, config.contentDir, { mediaMaxBytes: config.mediaMaxBytes, onProgress: () => {} })
  const address = await server.listen({ port, host: '127.0.0.1' })
  const url = config.publicUrl?.replace(/\/$/, '') ?? address
  const addUser = async (username: string, display_name: string, is_admin: boolean) => {
    await createUser(db, { username, display_name, is_admin })
    return PASSWORD
  }
  return { ...(await openBrowsers(t, url, { username: 'admin', password: PASSWORD }, addUser)), db }
}

/**
 * Starts the service as a process, which a test can stop and configure by variables, and a real browser. Starting a
 * process takes seconds, so `openApp` is used where possible.
 */
export async function openProgram(t: TestWithHooks, variables: Record<string, string> = {}): Promise<AppOfProgram> {
  allowTime(t)
  const store = { ...(await createStoreVariables(t)), ...variables }
  const service = await startProcess(t, store)
  const admin = firstLogin(service, store)
  const url = variables.PUBLIC_URL?.replace(/\/$/, '') ?? service.url
  const password = 'vier-zufaellige-woerter'
  const addUser = async (username: string, display_name: string, is_admin: boolean) => {
    const created = await app.asAdmin('POST', '/api/admin/users', { username, password, display_name, is_admin })
    if (!created.ok) throw new Error(`${created.status} ${await created.text()}`)
    return password
  }
  const app = await openBrowsers(t, url, admin, addUser)
  return { ...app, service }
}

/** Raises the timeout of the test and its parents to that of a test file. */
function allowTime(t: Timed): void {
  for (let test: Timed | undefined = t; test !== undefined; test = test.parent) test.setTimeout?.(FILE_TIMEOUT_MS)
}

async function openBrowsers(
  t: TestWithHooks,
  url: string,
  admin: Login,
  addUser: (username: string, display_name: string, is_admin: boolean) => Promise<string>,
): Promise<App> {
  const browser = await chromium.launch({ executablePath: HEADLESS, args: ['--no-sandbox'] })
  const missing = watchMissing()
  t.teardown(async () => {
    await Promise.all(browser.contexts().map(closeContext))
    await browser.close()
    missing.check()
  })
  closeNewContexts(t, browser, missing.check)

  async function newBrowser(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      viewport: DESK,
      locale: 'de-DE',
      timezoneId: 'Europe/Berlin',
      serviceWorkers: 'block',
      ...options,
    })
    context.setDefaultTimeout(PATIENCE_MS)
    context.on('response', missing.note)
    context.on('page', recordRequests)
    await context.addInitScript(LASTING_TOASTS)
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
    const username = `person-${people}`
    const login = { username, password: await addUser(username, name, isAdmin) }
    const person = { login, ...(await newBrowser(options)) }
    await logInAs(person.page, url, login)
    return person
  }

  return { url, browser, admin, newBrowser, newPerson, asAdmin, expectMissing: missing.expect }
}

/** Logs in with a request in the browser context of the page, without the login form. */
export async function logInAs({ request }: Page, url: string, login: Login): Promise<void> {
  const response = await request.post(`${url}/api/auth/login`, { data: login })
  if (!response.ok()) throw new Error(`${response.status()} ${await response.text()}`)
}

/**
 * Ends the session when the page sends its next request to these addresses, so that no other request is the first one
 * without a session.
 * @param addresses pattern for `page.route`
 * @param method method of the request; default: any
 */
export async function endSessionBefore(page: Page, addresses: string, method?: string): Promise<void> {
  let isEnded = false
  await page.route(addresses, async (route) => {
    const isMeant = method === undefined || route.request().method() === method
    if (isMeant && !isEnded) {
      isEnded = true
      await page.context().clearCookies()
    }
    await route.fallback()
  })
}

/** Collects responses of the service to pages that have status 404, except the expected ones. */
function watchMissing() {
  const found: string[] = []
  const expected: RegExp[] = []
  return {
    note: (response: PlaywrightResponse) => {
      const { pathname } = new URL(response.url())
      const isOwn = pathname.includes('/api/') && response.headers()['x-service'] !== undefined
      if (response.status() === 404 && isOwn) found.push(`${response.request().method()} ${pathname}`)
    },
    expect: (...paths: RegExp[]) => {
      expected.push(...paths)
    },
    /** @throws Error if there were other responses since the last call */
    check: () => {
      const patterns = expected.splice(0)
      const others = found.splice(0).filter((one) => !patterns.some((pattern) => pattern.test(one)))
      if (others.length > 0) throw new Error(`unexpected 404: ${others.join(', ')}`)
    },
  }
}

/** Closes the browser contexts of each test when the test ends, because each open page takes processor time. */
function closeNewContexts(t: TestWithHooks, browser: Browser, check: () => void): void {
  const earlier: Set<BrowserContext>[] = []
  t.beforeEach(() => {
    earlier.push(new Set(browser.contexts()))
  })
  t.afterEach(async (test) => {
    const kept = earlier.pop()
    const added = browser.contexts().filter((context) => !kept?.has(context))
    const pages = test.passing() ? [] : await Promise.all(added.flatMap((context) => context.pages()).map(describe))
    await Promise.all(added.map(closeContext))
    if (pages.length > 0) throw new Error(`the pages at the failure:\n${pages.join('\n\n')}`)
    check()
  })
}

/** Number of the latest requests of a page that the report of a failure contains */
const REPORTED_REQUESTS = 30

/** Requests of each page, with their outcomes */
const requests = new WeakMap<Page, string[]>()

function recordRequests(page: Page): void {
  const lines: string[] = []
  requests.set(page, lines)
  page.on('request', (request) => {
    const at = lines.push(`${request.method()} ${request.url()}: no response`) - 1
    const note = (outcome: string) => {
      lines[at] = `${request.method()} ${request.url()}: ${outcome}`
    }
    request.response().then(
      (response) => note(response === null ? (request.failure()?.errorText ?? 'failed') : String(response.status())),
      () => note('page closed'),
    )
  })
}

/** Describes a page after a failure: address, requests, and the text that it shows. */
async function describe(page: Page): Promise<string> {
  const text = await page
    .locator('body')
    .textContent({ timeout: 5_000 })
    .catch((error: Error) => error.message)
  return [page.url(), ...(requests.get(page) ?? []).slice(-REPORTED_REQUESTS), text?.slice(0, 2_000)].join('\n')
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
    if (REFUSED_REQUEST.test(message.text()) || message.text() === NO_WORKER) return
    complaints.push(`${message.text()} ${message.location().url}`.trim())
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
/** Ends transitions, because a colour in the middle of one may have too little contrast */
const FINISH_TRANSITIONS = `for (const animation of document.getAnimations()) {
  if (animation.effect.getComputedTiming().endTime !== Infinity) animation.finish()
}`

const FAINT_TEXTS = barriersBy({ runOnly: ['color-contrast'] })

/**
 * Returns the violations of WCAG 2.2 AA and of axe's best practices that axe finds, one line each.
 * @param which `contrast`: only violations that depend on the colour scheme
 */
export async function findBarriers(page: Page, which: 'all' | 'contrast' = 'all'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  await page.evaluate(FINISH_TRANSITIONS)
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
    const response = await page.request.post(`${url}/api/review`, { data })
    if (!response.ok()) throw new Error(`${response.status()} ${await response.text()}`)
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
    const response = await page.request.post(`${url}/api/review/batch`, {
      data: { reviews: reviews.slice(at, at + 100) },
    })
    if (!response.ok()) throw new Error(`${response.status()} ${await response.text()}`)
  }
}

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
export function until(page: Page, expression: string): Promise<void> {
  return untilTrue(() => page.evaluate<boolean>(expression).catch(() => false), expression)
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
