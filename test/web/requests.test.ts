import t from 'tap'
import { openApp, PHONE } from './support/app.js'
import { createGate } from './support/gate.js'
import { until } from './support/keys.js'

/** Parts that are requested without waiting for the start chunk */
const AHEAD = ['/assets/lernen-', '/assets/study-', '/assets/markdown-', '/assets/outbox-', '/api/auth/me']
/** Time after which Chromium reports unused preloads */
const COMPLAINED_MS = 4_000

/** Runs before the page's scripts */
const NOTE_FIRST_CARD = `new MutationObserver((_, observer) => {
  if (document.querySelector('article .question') === null) return
  performance.mark('first card')
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`

/** Paths requested until the first card */
const ASKED_UNTIL_FIRST_CARD = `(() => {
  const [card] = performance.getEntriesByName('first card')
  return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ startTime }) => startTime <= card.startTime)
    .map(({ name }) => new URL(name).pathname)
})()`

t.test('loads the first card with at most 14 requests, each once, without waiting for the start chunk', async (t) => {
  const app = await openApp(t)
  const { page: known } = await app.newPerson()
  // Without cached files, but with the session
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
  // By then everything requested has arrived and is recorded.
  await page.waitForTimeout(COMPLAINED_MS)
  // By the page's clock: the test itself notices the card later.
  const untilCard = (await page.evaluate(ASKED_UNTIL_FIRST_CARD)) as string[]
  t.ok(untilCard.length <= 14, `${untilCard.length}: ${untilCard.join(' ')}`)
  t.strictSame([...new Set(untilCard)], untilCard, 'nothing is asked for twice')
  t.strictSame(
    complaints.filter((text) => /preload/.test(text)),
    [],
    'all that was fetched ahead was used',
  )
})
