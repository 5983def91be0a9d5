import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import t from 'tap'
import { createStoreVariables, firstLogin, startProcess } from '../../support/process.js'
import { CHROMIUM } from '../support/app.js'
import { PATIENCE_MS } from '../support/patience.js'

t.test(
  'the API reference in a browser under its policy',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    const variables = await createStoreVariables(t)
    const service = await startProcess(t, variables)
    const login = firstLogin(service, variables)
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    t.teardown(() => browser.close())
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!/^data:/.test(request.url()) && !request.url().startsWith(service.url)) foreign.push(request.url())
    })

    await t.test('lists every operation without console messages or external requests', async (t) => {
      await page.goto(`${service.url}/docs`)
      await page.waitForSelector('.opblock-tag')
      const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, object> }
      const described = Object.values(document.paths).flatMap(Object.keys).length
      t.ok(described > 30)
      let listed = 0
      for (const group of await page.locator('.opblock-tag').all()) {
        await group.click()
        await page.waitForSelector('.opblock')
        listed += await page.locator('.opblock').count()
        await group.click()
        await page.waitForSelector('.opblock', { state: 'detached' })
      }
      t.equal(listed, described)
      t.strictSame(complaints, [])
      t.strictSame(foreign, [])
    })

    await t.test('sends a request with the cookie of a login from the page', async (t) => {
      const status = await page.evaluate(async (body) => {
        const headers = { 'content-type': 'application/json' }
        return (await fetch('/api/auth/login', { method: 'POST', headers, body })).status
      }, JSON.stringify(login))
      t.equal(status, 200)
      await page.locator('#operations-tag-decks').click()
      const operation = page.locator('#operations-decks-listDecks')
      await operation.locator('.opblock-summary').click()
      await operation.locator('.try-out__btn').click()
      await operation.locator('.execute').click()
      const answer = operation.locator('.live-responses-table .response')
      await answer.waitFor()
      t.match((await answer.textContent()) ?? '', /^200[\s\S]*"slug": "git"/)
      t.strictSame(complaints, [])
    })
  },
)
