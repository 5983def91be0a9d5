import t from 'tap'
import { openApp, PHONE } from './support/app.js'

/** So long the program is held back; what was asked for by then did not wait for it. */
const HELD_MS = 1_500
/** Later than this Chromium complains of what was fetched ahead and not used. */
const COMPLAINED_MS = 4_000

/** Runs in the page before the page does. */
const NOTE_FIRST_CARD = `new MutationObserver((_, observer) => {
  if (document.querySelector('article .question') === null) return
  performance.mark('first card')
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`

/** The paths of the page itself and of all it had asked for by then. */
const ASKED_UNTIL_FIRST_CARD = `(() => {
  const [card] = performance.getEntriesByName('first card')
  return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ startTime }) => startTime <= card.startTime)
    .map(({ name }) => new URL(name).pathname)
})()`

t.test(
  'the first card needs 14 requests at most, each one once, and its part does not wait for the start',
  async (t) => {
    const app = await openApp(t)
    const { page: known } = await app.newPerson()
    // Empty of files, but not of the session.
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
    // Later than this all that was asked for by then has come, and the page knows of it.
    await page.waitForTimeout(COMPLAINED_MS)
    // By the page's own clock: whoever waits for the card from outside learns of it after more has been asked for.
    const untilCard = (await page.evaluate(ASKED_UNTIL_FIRST_CARD)) as string[]
    t.ok(untilCard.length <= 14, `${untilCard.length}: ${untilCard.join(' ')}`)
    t.strictSame([...new Set(untilCard)], untilCard, 'nothing is asked for twice')
    for (const part of ['/assets/lernen-', '/assets/words-', '/assets/markdown-', '/assets/outbox-', '/api/auth/me']) {
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
  },
)
