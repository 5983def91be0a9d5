import { existsSync } from 'node:fs'
import puppeteer, { type Page } from 'puppeteer-core'
import t from 'tap'
import { AXE, BARRIERS, openApp } from './support/app.js'
import { PAGES } from './support/pages.js'

/** Debian's; `.ci/run` installs it. */
const FIREFOX = '/usr/bin/firefox-esr'
/** How long a step may take on a machine that is slow or busy otherwise. */
const PATIENCE_MS = 120_000

t.test('the app in Firefox', { skip: !existsSync(FIREFOX) && 'no Firefox' }, async (t) => {
  const app = await openApp(t)
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX })
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text())
  })

  await t.test('somebody logs in', async () => {
    await page.goto(`${app.url}/hilfe`)
    await page.locator('input[autocomplete~=username]').fill(app.admin.username)
    await page.locator('input[autocomplete=current-password]').fill(app.admin.password)
    await page.locator('button[type=submit]').click()
    await page.waitForSelector('nav [href=decks]')
    await untilLoaded(page)
  })

  await t.test('rates three cards by keyboard', async (t) => {
    await page.goto(`${app.url}/lernen`)
    for (let card = 0; card < 3; card++) {
      await page.waitForSelector('button ::-p-text(Antwort zeigen)')
      await rest()
      await page.keyboard.press(' ')
      await page.waitForSelector('button ::-p-text(Gut)')
      await rest()
      await page.keyboard.press('3')
    }
    await until(async () => (await historyLength(page)) >= 3, 'three ratings have arrived')
    t.equal(await historyLength(page), 3)
    await untilLoaded(page)
  })

  await t.test('every page opens without a barrier and without a complaint', async (t) => {
    for (const { path, ready } of PAGES) {
      await page.goto(`${app.url}/${path}`)
      await page.waitForSelector('h1')
      await page.waitForSelector(
        ready?.startsWith('text=') ? `::-p-text(${ready.slice('text='.length)})` : (ready ?? 'h1'),
      )
      await page.evaluate(AXE)
      t.strictSame(await page.evaluate(BARRIERS), [], `${path}: barriers`)
      await untilLoaded(page)
    }
    t.strictSame(complaints, [])
  })
})

/** What is pressed within 200 ms of a change is ignored, as a person would want it. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 300))

async function historyLength(page: Page): Promise<number> {
  const script = `fetch('/api/review/history').then((answer) => answer.json()).then(({ entries }) => entries.length)`
  return (await page.evaluate(script)) as number
}

/** What every page loads some time after it is shown. */
const HAS_LAST_FILE = `performance.getEntriesByType('resource')
  .some(({ name, responseEnd }) => name.includes('/assets/after-page-') && responseEnd > 0)`

/**
 * Waits until nothing of the page is under way any more. When somebody leaves earlier, Firefox complains of the worker,
 * whose answer it could not pass on to a page that is gone; the worker can neither see that nor answer otherwise.
 */
async function untilLoaded(page: Page): Promise<void> {
  await until(async () => (await page.evaluate(HAS_LAST_FILE)) as boolean, 'the last file has been loaded')
  await page.waitForNetworkIdle()
}

async function until(condition: () => Promise<boolean>, name: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not in time: ${name}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
