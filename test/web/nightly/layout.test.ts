import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import t from 'tap'
import { DESK, HEADLESS, openApp, PHONE } from '../support/app.js'
import { PATIENCE_MS } from '../support/patience.js'

const app = await openApp(t)
const person = await app.newPerson({ name: 'Erika Muster' })

/** A browser with classic scrollbars, which Playwright hides by default */
const browser = await chromium.launch({
  executablePath: HEADLESS,
  args: ['--no-sandbox'],
  ignoreDefaultArgs: ['--hide-scrollbars'],
})
t.teardown(() => browser.close())

async function open(path: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: DESK, locale: 'de-DE', reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  await context.addCookies(await person.page.context().cookies())
  const page = await context.newPage()
  await page.goto(`${app.url}/${path}`, { waitUntil: 'networkidle' })
  await page.locator('h1').waitFor()
  return page
}

async function colourAt(page: Page, x: number, y: number): Promise<number[]> {
  const picture = await page.screenshot({ clip: { x, y, width: 1, height: 1 } })
  const reader = await browser.newPage()
  const colour = (await reader.evaluate(`(async () => {
    const blob = await (await fetch('data:image/png;base64,${picture.toString('base64')}')).blob()
    const canvas = new OffscreenCanvas(1, 1).getContext('2d')
    canvas.drawImage(await createImageBitmap(blob), 0, 0)
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
  })()`)) as number[]
  await reader.close()
  return colour
}

const brightnessOf = (colour: number[]) => colour.reduce((sum, part) => sum + part, 0) / 3

t.test('desk: keeps the scrollbar beside the header, on short pages too', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open('gibt-es-nicht', { colorScheme })
    const [bar, background] = await Promise.all([
      colourAt(page, DESK.width - 2, DESK.height / 2),
      page.evaluate('getComputedStyle(document.documentElement).scrollbarGutter'),
    ])
    t.equal(background, 'auto', 'no empty stripe is kept free')
    t.notSame(bar, await colourAt(page, DESK.width - 40, DESK.height / 2), `${colorScheme}: a scrollbar, not the page`)
    await page.context().close()
  }
})

t.test('desk: leaves nothing bright beside an open dialog', async (t) => {
  for (const path of ['gibt-es-nicht', 'decks']) {
    const page = await open(path, { colorScheme: 'light' })
    await page.keyboard.press('/')
    await page.getByRole('dialog').waitFor()
    const beside = brightnessOf(await colourAt(page, DESK.width - 40, DESK.height - 20))
    for (const y of [30, DESK.height - 20]) {
      const stripe = brightnessOf(await colourAt(page, DESK.width - 2, y))
      t.ok(stripe < beside + 25, `${path}: ${stripe} at the edge, ${beside} beside it`)
    }
    await page.context().close()
  }
})

t.test('desk: centres narrow pages like wide ones', async (t) => {
  for (const path of ['karten/1', 'einstellungen', 'konto', 'suche', 'hilfe', 'decks']) {
    const page = await open(path, {})
    const [left, right] = (await page.evaluate(`(() => {
      const { left, right } = document.querySelector('main .page').getBoundingClientRect()
      return [left, document.documentElement.clientWidth - right]
    })()`)) as [number, number]
    t.ok(Math.abs(left - right) <= 1, `${path}: ${left} on the left, ${right} on the right`)
    await page.context().close()
  }
})

t.test('shows the waiting time of a limited login in one line, on the smallest phones in two', async (t) => {
  for (const viewport of [PHONE, { width: 320, height: 640 }, DESK]) {
    const context = await browser.newContext({ viewport, locale: 'de-DE' })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    await page.route('**/api/auth/login', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '299', 'x-error-code': 'too_many_attempts' },
        json: { statusCode: 429, error: 'Too Many Requests', message: 'Zu viele Versuche, bitte später erneut' },
      }),
    )
    await page.goto(`${app.url}/anmelden`)
    await page.locator('input[autocomplete~=username]').fill('erika')
    await page.locator('input[autocomplete=current-password]').fill('falsch-geraten')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    const notice = page.getByText(/Zu viele Versuche/)
    await notice.waitFor()
    t.match(await notice.textContent(), /^Zu viele Versuche, weiter in 4:5\d\.$/)
    const lines = (await page.evaluate(`(() => {
      const text = document.querySelector('.notice p')
      return text.getBoundingClientRect().height / parseFloat(getComputedStyle(text).lineHeight)
    })()`)) as number
    t.ok(Math.round(lines) <= (viewport.width < 390 ? 2 : 1), `${viewport.width} px: ${lines} lines`)
    await context.close()
  }
})
