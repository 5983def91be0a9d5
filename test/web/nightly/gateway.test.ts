import { existsSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import t from 'tap'
import type { Login } from '../../support/process.js'
import { type App, HEADLESS, openApp } from '../support/app.js'
import { FIREFOX, openFirefox } from '../support/firefox.js'
import {
  type Behaviour,
  type Gateway,
  openGateway,
  passOn,
  type Reply,
  replyWith,
  silence,
} from '../support/gateway.js'
import { press } from '../support/keys.js'
import { PATIENCE_MS, until } from '../support/patience.js'

const CHROMIUM = '/usr/bin/chromium'
const CARDS = 4

const JSON_404: Reply = {
  status: 404,
  type: 'application/json',
  body: '{"message":"no Route matched with those values"}',
}
const JSON_200: Reply = { status: 200, type: 'application/json', body: '{"portal":"https://wlan.example/login"}' }
const HTML: Reply = { status: 200, type: 'text/html', body: '<h1>Willkommen im WLAN</h1>' }

const isApi = (url: string | undefined) => url?.startsWith('/api/') === true
const forApi =
  (behaviour: Behaviour): Behaviour =>
  (asked, response, pass) =>
    isApi(asked.url) ? behaviour(asked, response, pass) : pass()

/**
 * Returns a behaviour that cycles through several replies. Some requests do not reach the service; for others, the
 * gateway replaces the response of the service. Only the last reply is the unchanged response.
 */
function inTurns(): Behaviour {
  const steps: Behaviour[] = [
    replyWith(JSON_404),
    (_asked, _response, pass) => pass(JSON_404),
    replyWith(JSON_200),
    (_asked, _response, pass) => pass(JSON_200),
    replyWith(HTML),
    (_asked, response) => response.destroy(),
    passOn,
  ]
  let turn = 0
  return (...request) => steps[turn++ % steps.length]?.(...request)
}

async function openChromium(t: Tap): Promise<Page> {
  const browser = await chromium.launch({ executablePath: HEADLESS, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const page = await browser.newPage({ locale: 'de-DE' })
  page.setDefaultTimeout(PATIENCE_MS)
  return page
}

type Tap = { teardown(end: () => unknown): void }

const holds = (page: Page, condition: string) =>
  until(async () => (await page.evaluate(condition).catch(() => false)) === true, condition)

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const shows = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`

/**
 * Expression that is true once a learning session has loaded its remaining cards and the code of the outbox. The
 * session loads both after it has shown the first card.
 */
const HAS_QUEUE_AND_OUTBOX = `['/api/review/queue?', '/assets/outbox-parts-'].every((part, at) =>
  performance.getEntriesByType('resource')
    .filter(({ name, responseEnd }) => name.includes(part) && responseEnd > 0).length >= 2 - at)`

/** Reads the user's ratings directly from the service. Returns the card ids, oldest first. */
async function readRated(app: App, { username, password }: Login): Promise<number[]> {
  const login = await fetch(`${app.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const response = await fetch(`${app.url}/api/review/history`, { headers: { cookie } })
  const { entries } = (await response.json()) as { entries: { card_id: number }[] }
  return entries.map(({ card_id }) => card_id).reverse()
}

/** Logs in through the gateway, and rates some cards while the gateway misbehaves. */
async function rateThrough(app: App, gateway: Gateway, page: Page, login: Login, behaviour: Behaviour) {
  await page.goto(`${gateway.url}/hilfe`)
  await holds(page, 'document.querySelector("h1") !== null')
  await page.evaluate(`fetch('/api/auth/login', { method: 'POST', headers: { 'content-type': 'application/json' },
    body: ${JSON.stringify(JSON.stringify(login))} }).then(({ status }) => status)`)
  await page.goto(`${gateway.url}/lernen/git`)
  await holds(page, shows('Antwort zeigen'))
  await holds(page, HAS_QUEUE_AND_OUTBOX)
  gateway.behave(forApi(behaviour))
  for (let card = 0; card < CARDS; card++) await press(page, ' ', '3')
  return {
    /** Makes the page send its ratings repeatedly for this time in milliseconds. */
    insist: async (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; await wait(200)) {
        await page.evaluate("dispatchEvent(new Event('online'))")
      }
    },
    end: async () => {
      gateway.behave(passOn)
      await page.evaluate("dispatchEvent(new Event('online'))")
      await until(async () => (await readRated(app, login)).length >= CARDS, 'all ratings')
      // Waits until no rating is in the outbox, so that the page sends no rating a second time.
      await holds(page, '!/warte[nt]/.test(document.body.innerText)')
    },
  }
}

const BEHAVIOURS: [string, () => Behaviour, string | undefined][] = [
  ['JSON with 404', () => replyWith(JSON_404), 'Etwas zwischen dir und dem Dienst hat geantwortet'],
  ['JSON with 200', () => replyWith(JSON_200), 'Etwas zwischen dir und dem Dienst hat geantwortet'],
  ['HTML', () => replyWith(HTML), 'Etwas zwischen dir und dem Dienst hat geantwortet'],
  ['nothing', () => silence, undefined],
  ['everything in turns', inTurns, undefined],
]

for (const [name, program, openBrowser] of [
  ['Chromium', CHROMIUM, openChromium],
  ['Firefox', FIREFOX, openFirefox],
] as const) {
  t.test(`a gateway in front, in ${name}`, { skip: !existsSync(program) && `no ${name}` }, async (t) => {
    const app = await openApp(t)
    const gateway = await openGateway(t, app.url)
    const page = await openBrowser(t)
    for (const [at, [what, behaviour, sentence]] of BEHAVIOURS.entries()) {
      await t.test(`that answers ${what}: every rating arrives exactly once`, async (t) => {
        const login = { username: `gateway-${at}`, password: 'vier-zufaellige-woerter' }
        await app.asAdmin('POST', '/api/admin/users', { ...login, display_name: 'Erika Muster' })
        const { insist, end } = await rateThrough(app, gateway, page, login, behaviour())
        if (sentence !== undefined) {
          await holds(page, shows(`${CARDS} warten`))
          await page.evaluate(
            "[...document.querySelectorAll('button')].find((one) => /warten/.test(one.innerText)).click()",
          )
          await holds(page, shows(sentence))
          t.strictSame(await readRated(app, login), [], 'nothing has arrived')
          t.pass('the page says why')
        }
        if (behaviour === inTurns) await insist(6_000)
        await end()
        const rated = await readRated(app, login)
        t.equal(rated.length, CARDS, 'all have arrived')
        t.equal(new Set(rated).size, CARDS, 'each once')
        await page.evaluate("fetch('/api/auth/logout', { method: 'POST' }).then(() => localStorage.clear())")
      })
    }
  })
}
