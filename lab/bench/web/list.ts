import type { Browser } from 'puppeteer-core'
import { DESK, newVisitor, openPage } from '../browser.js'
import { median } from '../median.js'
import { type Measure, within } from '../report.js'
import type { Visit } from '../scenarios/web.js'

const ROUNDS = 3
const PIXELS_A_FRAME = 200
const TIMEOUT_MS = 240_000

export async function measureList(browser: Browser, visit: Visit): Promise<Measure[]> {
  const runs: Scrolled[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const context = await newVisitor(browser, visit.url, visit.cookie)
    const page = await openPage(context, { network: false, cpu: 1 }, DESK)
    page.setDefaultTimeout(TIMEOUT_MS)
    await page.goto(`${visit.url}/decks/${visit.deck}`)
    await page.waitForSelector('main [role=listitem]')
    runs.push((await page.evaluate(SCROLL)) as Scrolled)
    await context.close()
  }
  const rows = Math.min(...runs.map((run) => run.rows))
  return [
    {
      what: `scrolling through ${rows} cards of one deck, CPU 1×: longest frame, median of ${ROUNDS} runs`,
      service: `${Math.round(median(runs.map((run) => run.frames)))} frames, p99 ${Math.round(median(runs.map((run) => run.p99)))} ms`,
      ...within(50, median(runs.map((run) => run.longest)), 'ms'),
    },
  ]
}

interface Scrolled {
  rows: number
  frames: number
  p99: number
  longest: number
}

/** Page script that scrolls to the end; it stops when the page has not scrolled for 180 frames. */
const SCROLL = `new Promise((resolve) => {
  const gaps = []
  let last = performance.now()
  let waited = 0
  const step = (now) => {
    gaps.push(now - last)
    last = now
    const before = scrollY
    scrollBy(0, ${PIXELS_A_FRAME})
    waited = scrollY === before ? waited + 1 : 0
    if (waited < 180) return requestAnimationFrame(step)
    const sorted = gaps.slice(1, -180).sort((a, b) => a - b)
    resolve({
      rows: document.querySelectorAll('main [role=listitem]').length,
      frames: sorted.length,
      p99: sorted[Math.floor(sorted.length * 0.99)],
      longest: sorted.at(-1),
    })
  }
  requestAnimationFrame(step)
})`
