import { existsSync } from 'node:fs'
import t from 'tap'
import { startStrippingProxy } from '../../support/web.js'
import { CHROMIUM, collectComplaints, openApp } from '../support/app.js'
import { PATIENCE_MS } from '../support/patience.js'

t.test(
  'works below a path behind a proxy that strips it',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    const app = await openApp(t, { config: { basePath: '/training/' } })
    const front = await startStrippingProxy(t, '/training/', app.url)
    const context = await app.browser.newContext({ locale: 'de-DE' })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const complaints = collectComplaints(page, `${front}/training/`)

    await page.goto(`${front}/training/anmelden?weiter=/hilfe`)
    await page.locator('input[autocomplete~=username]').fill(app.admin.username)
    await page.locator('input[autocomplete=current-password]').fill(app.admin.password)
    await page.locator('button[type=submit]').click()
    await page.waitForURL(`${front}/training/hilfe`)
    t.ok(await page.locator('h1').textContent())

    await page.goto(`${front}/training/`)
    await page.locator('h1').waitFor()
    await page.reload()
    await page.locator('h1').waitFor()
    await page.goto(`${front}/training/docs`)
    await page.locator('#operations-tag-decks').click()
    const operation = page.locator('#operations-decks-listDecks')
    await operation.locator('.opblock-summary').click()
    await operation.locator('.try-out__btn').click()
    await operation.locator('.execute').click()
    const answer = operation.locator('.live-responses-table .response')
    t.match(
      await answer.textContent(),
      /^200[\s\S]*"slug": "git"/,
      'the reference sends requests below the path as well',
    )
    t.strictSame(complaints, [])
  },
)
