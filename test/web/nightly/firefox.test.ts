import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { openApp } from '../support/app.js'
import { FIREFOX, openFirefox } from '../support/firefox.js'
import { press } from '../support/keys.js'
import { PAGES } from '../support/pages.js'
import { until } from '../support/patience.js'
import { post, writeAll } from '../support/written.js'

t.test('the app in Firefox', { skip: !existsSync(FIREFOX) && 'no Firefox' }, async (t) => {
  const app = await openApp(t)
  const { cards } = await writeAll(app)
  const page = await openFirefox(t)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })

  await t.test('logs in', async () => {
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
      await page.waitForSelector('button:has-text("Antwort zeigen")')
      await press(page, ' ', '3')
    }
    await until(async () => (await historyLength(page)) >= 3, 'three ratings have arrived')
    t.equal(await historyLength(page), 3)
    await untilLoaded(page)
  })

  await t.test('writes a card, undoes a format, and restores typed text', async (t) => {
    await page.goto(`${app.url}/inhalte/decks/netzwerk?karte=neu`)
    await page.waitForSelector('form textarea')
    await page.locator('form textarea').first().fill('Was ist ein Router?')
    await page.locator('form textarea').nth(1).fill('Ein Vermittler')
    await page.locator('form textarea').nth(1).focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+b')
    t.equal(await page.evaluate(ANSWER), '**Ein Vermittler**')
    await page.keyboard.press('Control+z')
    t.equal(await page.evaluate(ANSWER), 'Ein Vermittler')
    await page.waitForSelector('text=Dein Text liegt auf diesem Gerät.')
    await page.reload()
    await page.waitForSelector('form textarea')
    t.equal(await page.evaluate(ANSWER), 'Ein Vermittler')
    await page.locator('form textarea').nth(1).focus()
    await page.keyboard.press('Control+Enter')
    await page.waitForSelector('text=Gerade angelegt (1)')
    await untilLoaded(page)
  })

  await t.test('keeps typed text when the tab is closed', async (t) => {
    const tab = await page.context().newPage()
    await tab.goto(`${app.url}/inhalte/karten/${cards[0]}`)
    await tab.waitForSelector('form textarea')
    await tab.locator('form textarea').nth(1).fill('Mitten im Satz')
    await tab.waitForSelector('text=Dein Text liegt auf diesem Gerät.')
    await tab.close()
    await page.goto(`${app.url}/inhalte/karten/${cards[0]}`)
    await page.waitForSelector('text=Hier steht dein noch nicht gespeicherter Text')
    t.equal(await page.evaluate(ANSWER), 'Mitten im Satz')
    await page.locator('button:has-text("Verwerfen")').click()
    await until(async () => (await page.evaluate(ANSWER)) !== 'Mitten im Satz', 'the draft is discarded')
    await untilLoaded(page)
  })

  await t.test('pastes cells of a spreadsheet as a table, and a screenshot', async (t) => {
    await page.goto(`${app.url}/inhalte/karten/${cards[1]}`)
    await page.waitForSelector('form textarea')
    await page.locator('form textarea').nth(1).fill('')
    await paste(
      page,
      `clipboard.setData('text/plain', 'Ware\\tTage\\r\\nObst\\t3\\r\\n')
      clipboard.setData('text/html', '<table></table>')`,
    )
    await until(async () => /^\| Ware \| Tage \|/.test(String(await page.evaluate(ANSWER))), 'the table stands there')
    await page.locator('form textarea').nth(1).fill('')
    await paste(
      page,
      `const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 30 })
      canvas.getContext('2d').fillRect(0, 0, 20, 20)
      const picture = await new Promise((done) => canvas.toBlob(done, 'image/png'))
      clipboard.items.add(new File([picture], 'bild.png', { type: 'image/png' }))`,
    )
    const isThere = async () => /media\/[0-9a-f]{64}\.png/.test(String(await page.evaluate(ANSWER)))
    await until(isThere, 'the picture is uploaded')
    t.match(await page.evaluate(ANSWER), /^!\[bild\]\(media\//)
    await page.locator('button[type=submit]').click()
    await page.waitForSelector('text=Gespeichert um')
    await untilLoaded(page)
  })

  await t.test('shows both texts when another editor has saved', async (t) => {
    const address = `/api/content/cards/${cards[2]}`
    await page.goto(`${app.url}/inhalte/karten/${cards[2]}`)
    await page.waitForSelector('form textarea')
    await post(app, address, { version: 1, answer: 'Ihres' }, 'PATCH')
    await page.locator('form textarea').nth(1).fill('Meins')
    await page.locator('button[type=submit]').click()
    await page.waitForSelector('dialog[open] :text("Inzwischen geändert")')
    t.match(await post(app, address, undefined, 'GET'), { card: { answer: 'Ihres' } }, 'nothing was overwritten')
    await page.locator('button:has-text("Meins nehmen")').click()
    await page.waitForSelector('text=Gespeichert um')
    t.match(await post(app, address, undefined, 'GET'), { card: { answer: 'Meins', version: 3 } })
    complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes('409')))
    await untilLoaded(page)
  })

  // Does not run axe, because test/web/pages.test.ts already checks the accessibility of all pages in Chromium.
  await t.test('opens every page without console messages', async (t) => {
    for (const { path, ready } of PAGES) {
      await page.goto(`${app.url}/${path}`)
      await page.waitForSelector('h1')
      await page.waitForSelector(ready ?? 'h1')
      await untilLoaded(page)
      t.strictSame(complaints.splice(0), [], path)
    }
  })
})

/** Expression for the text of the second field, which is the answer of a card */
const ANSWER = `document.querySelectorAll('form textarea')[1]?.value`

/**
 * Pastes data that a script provides into the answer, because Firefox gives tests no access to the system clipboard.
 */
async function paste(page: Page, script: string): Promise<void> {
  await page.evaluate(`(async () => {
    const clipboard = new DataTransfer()
    ${script}
    const field = document.querySelectorAll('form textarea')[1]
    field.focus()
    const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true })
    Object.defineProperty(event, 'clipboardData', { value: clipboard })
    field.dispatchEvent(event)
  })()`)
}

async function historyLength(page: Page): Promise<number> {
  const script = `fetch('/api/review/history').then((answer) => answer.json()).then(({ entries }) => entries.length)`
  return (await page.evaluate(script)) as number
}

/** Expression that is true once the file that every page loads last has arrived */
const HAS_LAST_FILE = `performance.getEntriesByType('resource')
  .some(({ name, responseEnd }) => name.includes('/assets/outbox-parts-') && responseEnd > 0)`

/**
 * Waits until the page has loaded everything. If the browser leaves the page earlier, the service worker responds to a
 * page that no longer exists, and Firefox reports an error.
 */
async function untilLoaded(page: Page): Promise<void> {
  await until(async () => (await page.evaluate(HAS_LAST_FILE)) as boolean, 'the last file has been loaded')
  await page.waitForLoadState('networkidle')
}
