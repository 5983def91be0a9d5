import t from 'tap'
import { openApp, PHONE } from './support/app.js'

/** Time for which scripts are held back; requests sent before did not wait for them. */
const HELD_MS = 1_500
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
  let ahead: string[] = []
  await page.route('**/assets/start-*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, HELD_MS))
    ahead = [...sent]
    await route.continue()
  })
  await page.goto(`${app.url}/lernen`)
  await page.locator('article .question').first().waitFor()
  // By then everything requested has arrived and is recorded.
  await page.waitForTimeout(COMPLAINED_MS)
  // By the page's clock: the test itself notices the card later.
  const untilCard = (await page.evaluate(ASKED_UNTIL_FIRST_CARD)) as string[]
  t.ok(untilCard.length <= 14, `${untilCard.length}: ${untilCard.join(' ')}`)
  t.strictSame([...new Set(untilCard)], untilCard, 'nothing is asked for twice')
  for (const part of ['/assets/lernen-', '/assets/study-', '/assets/markdown-', '/assets/outbox-', '/api/auth/me']) {
    t.ok(
      ahead.some((path) => path.startsWith(part)),
      `${part} does not wait for the start`,
    )
  }
  t.strictSame(
    complaints.filter((text) => /preload/.test(text)),
    [],
    'all that was fetched ahead was used',
  )
})
