import type { Browser, Page } from 'puppeteer-core'
import { newVisitor, openPage, SLOW_PROCESSOR } from '../browser.js'
import { median } from '../median.js'
import { type Measure, within } from '../report.js'
import type { Visit } from '../scenarios/web.js'

const ROUNDS = 3
/** Pause before each key press; longer than the time for which the app ignores input after a change */
const BETWEEN_KEYS_MS = 300
const TIMEOUT_MS = 30_000

const CARD = 'main article:not([hidden])'

/**
 * Measures the time from a key press to the painted change, in whole sessions. Space shows the answer; 3 rates the card
 * and shows the next one.
 */
export async function measureKeys(browser: Browser, visit: Visit): Promise<Measure[]> {
  const reveals: number[] = []
  const ratings: number[] = []
  const all: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const context = await newVisitor(browser, visit.url, visit.cookie)
    const page = await openPage(context, SLOW_PROCESSOR)
    await page.evaluateOnNewDocument(WATCH)
    await page.goto(`${visit.url}/lernen`)
    await page.waitForSelector(CARD, { timeout: TIMEOUT_MS })
    const of: Record<'reveal' | 'rate', number[]> = { reveal: [], rate: [] }
    for (let card = 0; card < visit.session; card++) {
      of.reveal.push(await press(page, 'Space'))
      of.rate.push(await press(page, 'Digit3'))
    }
    reveals.push(p95(of.reveal))
    ratings.push(p95(of.rate))
    all.push(p95([...of.reveal, ...of.rate]))
    await context.close()
  }
  return [
    {
      what: `key to paint in a session of ${visit.session}, CPU 4×: p95, median of ${ROUNDS} runs`,
      service: `Space ${Math.round(median(reveals))} ms, rating and next card ${Math.round(median(ratings))} ms`,
      ...within(100, median(all), 'ms'),
    },
  ]
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN
}

/**
 * Page script that records the time from a key to the frame after the change was painted. It compares the content in
 * each frame; the frame after the first difference begins after the paint. The time includes work after the event
 * handler, such as storing the rating, which the Event Timing API omits.
 */
const WATCH = `(() => {
  const shown = () => {
    const card = document.querySelector('${CARD}')
    return card === null ? 'none' : card.querySelector('.answer')?.hidden + card.querySelector('.question').textContent
  }
  addEventListener('keydown', ({ timeStamp }) => {
    const before = shown()
    globalThis.__painted = undefined
    const poll = () => {
      if (shown() === before) requestAnimationFrame(poll)
      else requestAnimationFrame((now) => { globalThis.__painted = now - timeStamp })
    }
    requestAnimationFrame(poll)
  }, { capture: true })
})()`

async function press(page: Page, key: 'Space' | 'Digit3'): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_KEYS_MS))
  await page.keyboard.press(key)
  const painted = await page.waitForFunction('globalThis.__painted', { timeout: TIMEOUT_MS })
  return (await painted.jsonValue()) as number
}
