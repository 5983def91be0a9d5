import t from 'tap'
import { openApp, PHONE } from '../support/app.js'
import { createGate } from '../support/gate.js'
import { until } from '../support/patience.js'

/** Beginnings of paths that the page requests without waiting for the start chunk */
const AHEAD = ['/assets/lernen-', '/assets/study-', '/assets/markdown-', '/assets/outbox-', '/api/auth/me']
/** Time after which Chromium has reported unused preloads, in milliseconds */
const COMPLAINED_MS = 4_000

/** Script that marks the time of the first card; it runs before the page's scripts */
const NOTE_FIRST_CARD = `new MutationObserver((_, observer) => {
  if (document.querySelector('article .question') === null) return
  performance.mark('first card')
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`

const ASKED_UNTIL_FIRST_CARD = `(() => {
  const [card] = performance.getEntriesByName('first card')
  return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ startTime }) => startTime <= card.startTime)
    .map(({ name }) => new URL(name).pathname)
})()`

t.test('loads the first card with at most 14 requests, each once, without waiting for the start chunk', async (t) => {
  const app = await openApp(t)
  const { page: known } = await app.newPerson()
  // This browser has the session but no cached files.
  const { page, complaints } = await app.newBrowser({ viewport: PHONE })
  await page.context().addCookies(await known.context().cookies())
  await page.addInitScript(NOTE_FIRST_CARD)
  const sent: string[] = []
  page.on('request', (request) => sent.push(new URL(request.url()).pathname))
  const hasSent = (part: string) => sent.some((path) => path.startsWith(part))
  const gate = createGate()
  await page.route('**/assets/start-*', async (route) => {
    await gate.opened
    await route.continue()
  })
  await page.goto(`${app.url}/lernen`, { waitUntil: 'commit' })
  await until(async () => AHEAD.every(hasSent), 'the requests that do not wait for the start chunk')
  gate.open()
  await page.locator('article .question').first().waitFor()
  // Waits until Chromium has reported unused preloads. By then all responses have arrived and are recorded.
  await page.waitForTimeout(COMPLAINED_MS)
  // Uses the time that the page has recorded, because the test notices the card later.
  const untilCard = (await page.evaluate(ASKED_UNTIL_FIRST_CARD)) as string[]
  t.ok(untilCard.length <= 14, `${untilCard.length}: ${untilCard.join(' ')}`)
  t.strictSame([...new Set(untilCard)], untilCard, 'no path is requested twice')
  t.strictSame(
    complaints.filter((text) => /preload/.test(text)),
    [],
    'every preloaded file is used',
  )
})
