import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, openApp, untilKept } from './support/app.js'
import { openGateway, passOn, silence, slowly } from './support/gateway.js'

/** Time limit for a cached copy, plus a margin for a busy machine */
const AT_MOST_MS = 1_000 + 1_500

const MARK = /Stand (von )?\d\d:\d\d, Dienst antwortet nicht/

/** Opens the page and returns the milliseconds until its content. */
async function open(page: Page, url: string, content: string): Promise<number> {
  const begun = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator(content).first().waitFor()
  return performance.now() - begun
}

t.test('a slow network', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const gateway = await openGateway(t, app.url)
  /** Address, expected content, and names of its cached copies */
  const pages = [
    ['lernen', 'button:has-text("Antwort zeigen")', 'queue '],
    ['', '.page a[href^=lernen]', 'counts', 'stats 30', 'choice'],
    ['spickzettel/git-alltag', '.markdown h2', 'sheet git-alltag'],
    ['decks', 'text=Mitlernen', 'choice', 'decks'],
    ['decks/git', 'text=Staging Area', 'deck git', 'cards git'],
    ['karten/1', 'text=Wenn du sie jetzt bewertest', 'card 1', 'card 1 history'],
    ['verlauf', 'main ol li', 'history', 'counts'],
    ['einstellungen', 'text=Neue Karten am Tag', 'settings'],
    ['statistik', 'figure', 'stats 365', 'stats 30'],
  ] as const

  const { page, login } = await app.newPerson()
  await page.context().request.post(`${gateway.url}/api/auth/login`, { data: login })
  await page.goto(`${gateway.url}/`)
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
  await page.request.post(`${gateway.url}/api/review`, { data: { card_id: 1, rating: 'medium' } })
  for (const [path, content, ...kept] of pages) {
    await open(page, `${gateway.url}/${path}`, content)
    await untilKept(page, ...kept)
  }

  await t.test('shows cached copies within a second, marked, if the service never responds', async (t) => {
    gateway.behave(silence)
    for (const [path, content] of pages) {
      const ms = await open(page, `${gateway.url}/${path}`, content)
      t.comment(`/${path}: ${Math.round(ms)} ms`)
      t.ok(ms < AT_MOST_MS, `/${path} took ${Math.round(ms)} ms`)
      await page.getByText(MARK).first().waitFor({ timeout: 5_000 })
    }
    gateway.behave(passOn)
  })

  await t.test('shows the cached copy first and the response after four seconds', async (t) => {
    gateway.behave(slowly(4_000))
    for (const [path, content] of pages) {
      const ms = await open(page, `${gateway.url}/${path}`, content)
      t.comment(`/${path}: ${Math.round(ms)} ms`)
      t.ok(ms < AT_MOST_MS, `/${path} took ${Math.round(ms)} ms`)
      await page.getByText(MARK).first().waitFor({ timeout: 5_000 })
      await page.getByText(MARK).first().waitFor({ state: 'detached' })
      t.ok(await page.locator(content).first().isVisible(), `/${path} is still there`)
    }
    gateway.behave(passOn)
  })

  await t.test('shows visited pages offline, marked', async (t) => {
    await page.context().setOffline(true)
    for (const [path, content] of pages) {
      await open(page, `${gateway.url}/${path}`, content)
      await page.getByText(MARK).first().waitFor({ timeout: 10_000 })
      t.pass(path)
    }
    await page.context().setOffline(false)
  })
})
