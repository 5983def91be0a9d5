import puppeteer, {
  type Browser,
  type BrowserContext,
  type CDPSession,
  type HTTPRequest,
  type Page,
} from 'puppeteer-core'
import { atEnd } from './cleanup.js'
import { makeFolder } from './processes.js'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const BYTES_PER_SECOND = 1_600_000 / 8

export const PHONE = { width: 390, height: 844, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
export const DESK = { width: 1440, height: 900 }

export interface Slowness {
  /** Whether the network is limited to 1.6 Mbit/s with a latency of 150 ms */
  network: boolean
  /** Slowdown factor of the processor */
  cpu: number
}

export const SLOW_PHONE: Slowness = { network: true, cpu: 4 }
export const SLOW_PROCESSOR: Slowness = { network: false, cpu: 4 }

export async function startBrowser(): Promise<Browser> {
  const browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    userDataDir: await makeFolder(),
    args: ['--no-sandbox', '--no-first-run', '--disable-background-networking', '--accept-lang=de-DE'],
  })
  atEnd(() => browser.close())
  return browser
}

export async function newVisitor(browser: Browser, url: string, cookie: string): Promise<BrowserContext> {
  const context = await browser.createBrowserContext()
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  await context.setCookie({ name, value, domain: new URL(url).hostname, path: '/', httpOnly: true })
  return context
}

/** Opens a throttled page. The network limit, but not the processor limit, also applies to service workers. */
export async function openPage(
  context: BrowserContext,
  { network, cpu }: Slowness,
  viewport: Parameters<Page['setViewport']>[0] = PHONE,
): Promise<Page> {
  const page = await context.newPage()
  await page.setViewport(viewport)
  const session = await page.createCDPSession()
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpu })
  if (!network) return page
  await slowDown(session)
  const slowWorkers = async () => {
    for (const target of context.targets()) {
      if (target.type() !== 'service_worker') continue
      // Ignores errors, because the target may have closed.
      await target
        .createCDPSession()
        .then(slowDown)
        .catch(() => {})
    }
  }
  await slowWorkers()
  context.on('targetcreated', slowWorkers)
  return page
}

async function slowDown(session: CDPSession): Promise<void> {
  await session.send('Network.enable')
  const throughput = { downloadThroughput: BYTES_PER_SECOND, uploadThroughput: BYTES_PER_SECOND }
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: 150, ...throughput })
}

export function collectRequests(page: Page): HTTPRequest[] {
  const requests: HTTPRequest[] = []
  page.on('request', (request) => requests.push(request))
  return requests
}
