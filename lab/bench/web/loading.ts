import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { collectRequests, newVisitor, openPage, SLOW_PHONE } from '../browser.js'
import { median } from '../median.js'
import { type Measure, within } from '../report.js'
import type { Visit } from '../scenarios/web.js'

const ROUNDS = 5
const TIMEOUT_MS = 30_000
/** Time for which layout shifts are measured after the content was painted, in milliseconds */
const SETTLED_MS = 2_500

const START_READY = 'main a[href^="lernen"]'
const CARD_READY = 'main article:not([hidden]) .question .markdown > *'
const SHEET_READY = 'main .markdown > *'

interface Loaded {
  /** Milliseconds from the start of the navigation until the content was painted */
  readable: number
  /** Largest Contentful Paint in milliseconds */
  lcp: number
  cls: number
  /** Number of requests until the content was painted */
  requests: number
  /** Compressed size in kilobytes of the JavaScript that was loaded until the content was painted */
  script: number
}

export async function measureLoading(browser: Browser, visit: Visit): Promise<Measure[]> {
  const found: Record<'start' | 'card' | 'warm' | 'sheet', Loaded[]> = { start: [], card: [], warm: [], sheet: [] }
  const sheet = await findSheet(visit)
  for (let round = 0; round < ROUNDS; round++) {
    found.start.push(await inNewBrowser(browser, visit, (context) => load(context, visit, '', START_READY)))
    found.sheet.push(await inNewBrowser(browser, visit, (context) => load(context, visit, sheet, SHEET_READY)))
    found.card.push(await inNewBrowser(browser, visit, (context) => load(context, visit, '/lernen', CARD_READY)))
    found.warm.push(
      await inNewBrowser(browser, visit, async (context) => {
        await waitForWorker(context, visit.url)
        return load(context, visit, '/lernen', CARD_READY)
      }),
    )
  }
  const middle = (of: keyof typeof found, what: keyof Loaded) => median(found[of].map((loaded) => loaded[what]))
  const most = (of: keyof typeof found, what: keyof Loaded) => Math.max(...found[of].map((loaded) => loaded[what]))
  const seconds = (of: keyof typeof found, what: keyof Loaded) => middle(of, what) / 1000
  const shifts = { start: most('start', 'cls'), sheet: most('sheet', 'cls'), card: most('card', 'cls') }
  return [
    { what: 'JavaScript until the start page is usable', ...within(48, middle('start', 'script'), 'kB') },
    { what: 'JavaScript until the first card', ...within(80, middle('card', 'script'), 'kB') },
    { what: 'requests to the first card, cold', ...within(14, most('card', 'requests'), '') },
    {
      what: `start page, cold: LCP on a phone of 1.6 Mbit/s, 150 ms and CPU 4×, median of ${ROUNDS}`,
      service: `usable after ${seconds('start', 'readable').toFixed(2)} s`,
      ...within(1.5, seconds('start', 'lcp'), 's'),
    },
    { what: 'first card readable, cold', ...within(2, seconds('card', 'readable'), 's') },
    { what: 'first card readable, warm: with the service worker', ...within(1.2, seconds('warm', 'readable'), 's') },
    {
      what: 'CLS, the worst of start page, sheet and card',
      service: Object.entries(shifts)
        .map(([page, shift]) => `${page} ${shift.toFixed(3)}`)
        .join(', '),
      ...within(0.02, Math.max(...Object.values(shifts)), ''),
    },
  ]
}

async function inNewBrowser<T>(
  browser: Browser,
  { url, cookie }: Visit,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const context = await newVisitor(browser, url, cookie)
  try {
    return await work(context)
  } finally {
    await context.close()
  }
}

export async function findSheet({ url, cookie }: Visit): Promise<string> {
  const response = await fetch(`${url}/api/cheatsheets`, { headers: { cookie } })
  const { cheatsheets } = (await response.json()) as { cheatsheets: { slug: string }[] }
  return `/spickzettel/${cheatsheets[0]?.slug}`
}

async function waitForWorker(context: BrowserContext, url: string): Promise<void> {
  const page = await openPage(context, { network: false, cpu: 1 })
  await page.goto(url)
  await page.waitForFunction('navigator.serviceWorker.controller !== null', { timeout: TIMEOUT_MS })
  await page.close()
}

/**
 * Returns a script that records LCP, CLS and the time at which the text of the selected element has been painted. It
 * must run before the scripts of the page.
 */
function watch(selector: string): string {
  return `(() => {
    const seen = globalThis.__seen = { readable: 0, lcp: 0, cls: 0 }
    const observe = (type, each) =>
      new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true })
    observe('largest-contentful-paint', (entry) => { seen.lcp = entry.startTime })
    observe('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.cls += entry.value })
    const poll = () => {
      if (document.querySelector(${JSON.stringify(selector)})?.textContent.trim()) {
        requestAnimationFrame((now) => { seen.readable = now })
      } else requestAnimationFrame(poll)
    }
    requestAnimationFrame(poll)
  })()`
}

async function load(
  context: BrowserContext,
  { url, userId }: Visit,
  address: string,
  selector: string,
): Promise<Loaded> {
  const page = await openPage(context, SLOW_PHONE)
  const requests = collectRequests(page)
  await page.evaluateOnNewDocument(watch(selector))
  // Simulates a returning user, whose id the app has stored.
  await page.evaluateOnNewDocument(`localStorage['training.user'] ??= '{"id":${userId}}'`)
  await page.goto(url + address, { waitUntil: 'domcontentloaded', timeout: TIMEOUT_MS })
  await page.waitForFunction('globalThis.__seen?.readable > 0', { timeout: TIMEOUT_MS })
  const sent = requests.length
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
  const seen = (await page.evaluate('globalThis.__seen')) as Pick<Loaded, 'readable' | 'lcp' | 'cls'>
  const script = await scriptUntil(page, seen.readable)
  await page.close()
  return { ...seen, requests: sent, script }
}

/** Returns the compressed kilobytes of the scripts that were loaded by `time`, in milliseconds since the navigation. */
async function scriptUntil(page: Page, time: number): Promise<number> {
  const bytes = (await page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ name, responseEnd }) => /\\.js$/.test(new URL(name).pathname) && responseEnd <= ${time})
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)) as number
  return bytes / 1000
}
