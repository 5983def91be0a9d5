import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, openApp, untilKept } from '../support/app.js'
import { createGate } from '../support/gate.js'
import { openGateway, passOn, silence } from '../support/gateway.js'

const MARK = /Stand (von )?\d\d:\d\d, Dienst antwortet nicht/

async function open(page: Page, url: string, content: string): Promise<void> {
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator(content).first().waitFor()
}

t.test('a slow network', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const gateway = await openGateway(t, app.url)
  /** Path, selector of the expected content, and names of the cached responses */
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

  const { page, login } = await app.newPerson({ serviceWorkers: 'allow' })
  await page.context().request.post(`${gateway.url}/api/auth/login`, { data: login })
  await page.goto(`${gateway.url}/`)
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
  await page.request.post(`${gateway.url}/api/review`, { data: { card_id: 1, rating: 'medium' } })
  for (const [path, content, ...kept] of pages) {
    await open(page, `${gateway.url}/${path}`, content)
    await untilKept(page, ...kept)
  }

  await t.test('shows marked cached copies if the service never responds', async (t) => {
    gateway.behave(silence)
    for (const [path, content] of pages) {
      await open(page, `${gateway.url}/${path}`, content)
      await page.getByText(MARK).first().waitFor()
      t.pass(path)
    }
    gateway.behave(passOn)
  })

  await t.test('shows the cached copy first and the late response afterwards', async (t) => {
    for (const [path, content] of pages) {
      const gate = createGate()
      gateway.behave((_asked, _response, pass) => void gate.opened.then(() => pass()))
      await open(page, `${gateway.url}/${path}`, content)
      await page.getByText(MARK).first().waitFor()
      gate.open()
      await page.getByText(MARK).first().waitFor({ state: 'detached' })
      t.ok(await page.locator(content).first().isVisible(), `/${path} is still there`)
    }
    gateway.behave(passOn)
  })

  await t.test('shows marked copies of visited pages offline', async (t) => {
    await page.context().setOffline(true)
    for (const [path, content] of pages) {
      await open(page, `${gateway.url}/${path}`, content)
      await page.getByText(MARK).first().waitFor()
      t.pass(path)
    }
    await page.context().setOffline(false)
  })
})
