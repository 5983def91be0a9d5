import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { tryLogin } from '../../support/process.js'
import { type App, DESK, openApp, type Person, PHONE, studyForWeeks } from '../support/app.js'
import { type AppPage, PAGES } from '../support/pages.js'
import { PATIENCE_MS } from '../support/patience.js'
import { writeAll } from '../support/written.js'

const MOST = 0.02
/** Delay of the first response, and between further responses, in milliseconds */
const SLOW_MS = 200
/** Time after which the test expects that a page has loaded completely, in milliseconds */
const SETTLED_MS = 1_200
const AT_ONCE = 4

/** Script that sums up layout shifts as the browser measures them */
const WATCH = `(() => {
  const shifts = globalThis.__shifts = { sum: 0, sources: [] }
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      shifts.sum += value
      for (const { node, previousRect, currentRect } of sources) {
        const name = node === null ? 'gone' : node.nodeName.toLowerCase() + '.' + (node.className ?? '')
        shifts.sources.push(name + ' ' + previousRect.y + ' -> ' + currentRect.y)
      }
    }
  }).observe({ type: 'layout-shift', buffered: true })
})()`

interface Shifts {
  sum: number
  sources: string[]
}

/** Delays responses so that they arrive one after another; with `isReversed`, the first four in reverse order. */
async function slowDown(page: Page, isReversed: boolean): Promise<void> {
  let asked = 0
  await page.route('**/api/**', async (route) => {
    const isMe = route.request().url().endsWith('/api/auth/me')
    if (!isMe) asked += 1
    const turn = isMe ? 1 : isReversed ? Math.max(6 - asked, 2) : 1 + asked
    await new Promise((resolve) => setTimeout(resolve, turn * SLOW_MS))
    // The page may have been closed.
    await route.continue().catch(() => {})
  })
}

/** Creates a user whose browser knows the user. */
async function newPerson(app: App, options: Parameters<App['newPerson']>[0] = {}): Promise<Person> {
  const person = await app.newPerson(options)
  await person.page.goto(app.url)
  await person.page.locator('h1').waitFor()
  return person
}

async function visit(app: App, person: Person, at: AppPage, options: BrowserContextOptions): Promise<Shifts> {
  const context = await app.browser.newContext({ locale: 'de-DE', timezoneId: 'Europe/Berlin', ...options })
  try {
    await context.addCookies(await person.page.context().cookies())
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    await slowDown(page, options.viewport === DESK)
    await page.addInitScript(WATCH)
    // Stores the user, because a page that knows the user requests its data at once.
    const known = await person.page.evaluate("localStorage['training.user'] ?? ''")
    await page.addInitScript(`localStorage['training.user'] ??= ${JSON.stringify(known)}`)
    await page.goto(`${app.url}/${at.path}`)
    await page
      .locator(at.ready ?? 'h1')
      .first()
      .waitFor()
    await page.waitForTimeout(SETTLED_MS)
    return (await page.evaluate('globalThis.__shifts')) as Shifts
  } finally {
    await context.close()
  }
}

t.test('no page shifts its content, however late and in whatever order responses arrive', async (t) => {
  const app = await openApp(t)
  const person = await newPerson(app, { isAdmin: true })
  await studyForWeeks(person, app.url)
  await writeAll(app)
  const visits = PAGES.flatMap((at) => [
    { at, name: `${at.name}, phone`, options: { viewport: PHONE } },
    { at, name: `${at.name}, desk`, options: { viewport: DESK } },
  ])
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let next = visits.shift(); next !== undefined; next = visits.shift()) {
      const { sum, sources } = await visit(app, person, next.at, next.options)
      t.ok(sum <= MOST, `${next.name}: ${sum.toFixed(3)}`, { sources })
    }
  })
  await Promise.all(lanes)
})

t.test('the start page of a new user, or without due cards, does not shift', async (t) => {
  const app = await openApp(t)
  const start = { path: '', name: 'heute', ready: 'main section' }
  for (const viewport of [PHONE, DESK]) {
    const person = await newPerson(app)
    const { sum, sources } = await visit(app, person, start, { viewport })
    t.ok(sum <= MOST, `new, ${viewport.width}: ${sum.toFixed(3)}`, { sources })
    await studyForWeeks(person, app.url)
    for (const { slug } of await activeDecks(person, app.url)) {
      await person.page.request.put(`${app.url}/api/review/decks/${slug}`, { data: { active: false } })
    }
    const done = await visit(app, person, { ...start, ready: 'text=alles geschafft' }, { viewport })
    t.ok(done.sum <= MOST, `done, ${viewport.width}: ${done.sum.toFixed(3)}`, { sources: done.sources })
  }
})

// A small shift in each row would move the last row far, and a click would hit another row.
t.test('long lists do not shift by a single line', async (t) => {
  const app = await openApp(t)
  const person = await newPerson(app, { isAdmin: true })
  await studyForWeeks(person, app.url)
  for (let at = 0; at < 6; at++) await addColleague(app, `kollege-${at}`)
  const lists = PAGES.filter(({ path }) => ['verwaltung/benutzer', 'verlauf', 'decks'].includes(path))
  t.equal(lists.length, 3)
  for (const at of lists) {
    for (const viewport of [PHONE, DESK]) {
      const { sum, sources } = await visit(app, person, at, { viewport })
      t.ok(sum < 0.001, `${at.name}, ${viewport.width}: ${sum.toFixed(3)}`, { sources })
    }
  }
})

async function addColleague({ asAdmin, url }: App, username: string): Promise<void> {
  const login = { username, password: 'vier-zufaellige-woerter' }
  const created = await asAdmin('POST', '/api/admin/users', { ...login, display_name: username })
  const been = await tryLogin(url, login)
  if (!created.ok || !been.ok) throw new Error(`${created.status} ${been.status}`)
}

async function activeDecks({ page }: Person, url: string): Promise<{ slug: string }[]> {
  const response = await page.request.get(`${url}/api/review/decks`)
  return ((await response.json()) as { decks: { slug: string }[] }).decks
}
