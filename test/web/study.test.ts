import { existsSync } from 'node:fs'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import t from 'tap'
import { type App, CHROMIUM, findBarriers, isTooWide, openApp, PHONE } from './support/app.js'

/** Longer than input is ignored for after a change. */
const GUARD_MS = 230

interface Entry {
  kind: string
  card_id: number
  rating: string
  is_undone: boolean
  created_at: string
}

/** What the service has in its log, oldest first. */
async function readLog(app: App, { request }: Page | BrowserContext): Promise<Entry[]> {
  const entries: Entry[] = []
  let before = ''
  for (;;) {
    const answer = await request.get(`${app.url}/api/review/history?limit=200&before=${before}`)
    const page = (await answer.json()) as { entries: Entry[]; next_before: number | null }
    entries.push(...page.entries)
    if (page.next_before === null) return entries.reverse()
    before = String(page.next_before)
  }
}

/** The ratings that stand. */
async function standing(app: App, page: Page | BrowserContext): Promise<string[]> {
  const log = await readLog(app, page)
  return log.filter((entry) => entry.kind === 'review' && !entry.is_undone).map(({ rating }) => rating)
}

async function until(isTrue: () => Promise<boolean>): Promise<boolean> {
  for (let left = 100; left > 0; left--) {
    if (await isTrue()) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}

const arrived = (app: App, page: Page | BrowserContext, ratings: string[]) =>
  until(async () => (await standing(app, page)).join() === ratings.join())

async function openSession(app: App, page: Page, path = 'lernen/git'): Promise<void> {
  await page.goto(`${app.url}/${path}`)
  await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
}

async function textOf(locator: Locator): Promise<string> {
  return ((await locator.textContent()) ?? '').replace(/\s+/g, ' ').trim()
}

const question = (page: Page) => textOf(page.locator('article:not([hidden]) .question'))
const left = (page: Page) => textOf(page.locator('.progress p'))

/** A person presses a key when they have seen what is there. */
async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.waitForTimeout(GUARD_MS)
    await page.keyboard.press(key)
  }
  // A rating is stored before the next card shows.
  await page.waitForTimeout(GUARD_MS)
}

t.test('learning', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)

  await t.test('a session by keyboard alone, to its end and back', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.request.put(`${app.url}/api/review/settings`, { data: { new_per_day: 4 } })
    await page.keyboard.press('Tab')
    await openSession(app, page)
    t.equal(await left(page), 'noch 4')
    const first = await question(page)
    await press(page, ' ')
    await page.getByRole('button', { name: /Nochmal/ }).waitFor()
    t.strictSame(await findBarriers(page), [])
    await press(page, '1')
    t.ok(await until(async () => /noch 4.*davon 1 noch einmal/.test(await left(page))))
    t.not(await question(page), first)
    await press(page, 'Space', 'Enter', 'Enter', '2')
    t.ok(await until(async () => /noch 2, davon 1/.test(await left(page))))
    await press(page, ' ', '4')
    t.equal(await question(page), first, 'what was not known is back at the end')
    await press(page, ' ')
    t.match(await textOf(page.getByRole('button', { name: /^Gut/ })), /morgen|Tag|heute/, 'with dates from the service')
    await press(page, ' ')
    await page.getByRole('heading', { name: 'Geschafft' }).waitFor()
    t.match(await textOf(page.locator('.end dl')), /Karten\s*4\s*Minute\s*1\s*gewusst\s*75/)
    t.strictSame(await findBarriers(page), [])
    t.ok(await arrived(app, page, ['again', 'medium', 'hard', 'easy', 'medium']))

    await press(page, 'u', 'Control+z')
    t.ok(await until(async () => /noch 2/.test(await left(page))))
    await press(page, '3', ' ', '1', ' ', '3')
    await page.getByRole('heading', { name: 'Geschafft' }).waitFor()
    t.ok(await arrived(app, page, ['again', 'medium', 'hard', 'medium', 'again', 'medium']))
    await press(page, 'x')
    await page.waitForURL(`${app.url}/`)
    t.strictSame(complaints, [])
  })

  await t.test('a held key counts once, and so does a double tap', async (t) => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    const first = await question(page)
    await page.waitForTimeout(GUARD_MS)
    for (let times = 0; times < 20; times++) await page.keyboard.down(' ')
    await page.keyboard.up(' ')
    t.equal(await question(page), first)
    await page.waitForTimeout(GUARD_MS)
    await page.getByRole('button', { name: /^Gut/ }).dblclick()
    t.ok(await arrived(app, page, ['medium']))
    t.equal(await page.getByRole('button', { name: /Antwort zeigen/ }).count(), 1, 'the second tap did nothing')
  })

  await t.test('by touch on a phone, upright and on its side', async (t) => {
    const { page } = await app.newPerson({ viewport: PHONE, hasTouch: true, isMobile: true })
    await openSession(app, page)
    await page.waitForTimeout(GUARD_MS)
    await page.locator('article:not([hidden])').tap()
    for (const name of ['Nochmal', 'Schwer', 'Gut', 'Leicht']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      t.ok(box !== null && box.height >= 48 && box.width >= 48 && box.y > 600, `${name} in reach of the thumb`)
    }
    t.notOk(await isTooWide(page))
    await page.waitForTimeout(GUARD_MS)
    await page.getByRole('button', { name: 'Leicht' }).tap()
    t.ok(await arrived(app, page, ['easy']))
    await page.waitForTimeout(GUARD_MS)
    await page.getByRole('button', { name: 'Letzten Schritt zurücknehmen' }).tap()
    t.ok(await arrived(app, page, []))

    await page.setViewportSize({ width: 844, height: 390 })
    const card = await page.locator('article:not([hidden])').boundingBox()
    const again = await page.getByRole('button', { name: 'Nochmal' }).boundingBox()
    t.ok(card !== null && again !== null && again.x >= card.x + card.width, 'the ratings stand beside the card')
    t.ok(again !== null && again.height >= 48 && again.y + again.height <= 390)
    t.notOk(await isTooWide(page))
  })

  await t.test('a reload and the back button go on where it stopped', async (t) => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    await press(page, ' ', '3', ' ', '1')
    const third = await question(page)
    await page.reload()
    await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
    t.equal(await question(page), third)
    await press(page, 'u')
    t.ok(await arrived(app, page, ['medium']), 'what was done before the reload can be taken back')
    await press(page, '4')
    t.equal(await question(page), third)
    await page.getByRole('link', { name: 'Lernen beenden' }).click()
    await page.getByRole('link', { name: 'Jetzt lernen' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
    t.equal(await question(page), third)
    t.ok(await arrived(app, page, ['medium', 'easy']))
  })

  await t.test('suspend, info and report', async (t) => {
    const { page } = await app.newPerson()
    await openSession(app, page)
    const first = await question(page)
    await press(page, 'i')
    await page.getByRole('dialog', { name: 'Zu dieser Karte' }).getByText('neu, noch nie gesehen').waitFor()
    await page.keyboard.press('Escape')
    await press(page, 'm')
    const dialog = page.getByRole('dialog', { name: /melden/ })
    await dialog.getByRole('textbox').fill('Hier fehlt ein Komma, und u, a, i, m sind nur Buchstaben.')
    await dialog.getByRole('button', { name: 'Melden' }).click()
    await page.getByText('Danke, die Meldung ist angekommen.').waitFor()
    const reports = (await (await app.asAdmin('GET', '/api/content/reports')).json()) as { reports: { text: string }[] }
    t.match(reports.reports, [{ text: /Komma/ }])
    t.equal(await question(page), first)
    await press(page, 'a')
    t.ok(await until(async () => (await question(page)) !== first))
    await press(page, 'u')
    t.equal(await question(page), first)
    const { cards } = (await (await page.request.get(`${app.url}/api/review/cards?state=suspended`)).json()) as {
      cards: []
    }
    t.ok(await until(async () => cards.length === 0))
    t.strictSame(await standing(app, page), [])
  })
})
