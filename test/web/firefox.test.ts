import { existsSync } from 'node:fs'
import puppeteer from 'puppeteer-core'
import t from 'tap'
import { AXE, BARRIERS, openApp } from './support/app.js'
import { PAGES } from './support/pages.js'

/** Debian's; `.ci/run` installs it. */
const FIREFOX = '/usr/bin/firefox-esr'

t.test('the app in Firefox', { skip: !existsSync(FIREFOX) && 'no Firefox' }, async (t) => {
  const app = await openApp(t)
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX })
  t.teardown(() => browser.close())
  const page = await browser.newPage()
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
    await until(async () => (await historyLength(page)) === 3)
    t.equal(await historyLength(page), 3)
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
    }
    t.strictSame(complaints, [])
  })
})

/** What is pressed within 200 ms of a change is ignored, as a person would want it. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 300))

async function historyLength(page: { evaluate(script: string): Promise<unknown> }): Promise<number> {
  const script = `fetch('/api/review/history').then((answer) => answer.json()).then(({ entries }) => entries.length)`
  return (await page.evaluate(script)) as number
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 100 && !(await condition()); turn++) await rest()
}
