import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import t from 'tap'
import { CHROMIUM, endSessionBefore } from './support/app.js'
import { press } from './support/keys.js'
import { until } from './support/patience.js'
import { openWithProvider } from './support/provider-login.js'

t.test(
  'an offline phone keeps its ratings until the person is back',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    const { app, provider, page, learn } = await openWithProvider(t)
    const context = page.context()
    const ratings = async () => {
      const rows = await app.db.selectFrom('review_log').select('rating').orderBy('id').execute()
      return rows.map(({ rating }) => rating)
    }

    await page.goto(`${app.url}/anmelden`)
    await page.getByRole('link', { name: 'Mit Firmenkonto anmelden' }).click()
    await page.getByText('Was möchtest du lernen?').waitFor()
    await learn()
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await press(page, ' ', '3')
    await until(async () => (await ratings()).length === 1, 'the first rating')

    await context.setOffline(true)
    await press(page, ' ', '1', ' ', '2')
    await page.getByText('2 warten').waitFor()
    await sql`update identities set confirmed_at = now() - interval '8 days'`.execute(app.db)
    const refused = page.waitForResponse(
      (response) => response.url().includes('/api/review') && response.status() === 401,
    )
    await context.setOffline(false)
    t.equal((await refused).headers()['x-error-code'], 'provider_login_needed')
    await page.getByText('2 warten').waitFor()

    // The provider responds, but does not let the person in.
    const discovery = await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).text()
    provider.instead = ({ url = '' }, response) => {
      if (url.startsWith('/.well-known/')) response.setHeader('content-type', 'application/json').end(discovery)
      else response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Konto gesperrt</h1>')
    }
    await page.goto(`${app.url}/lernen/git`)
    await page.getByRole('heading', { name: 'Konto gesperrt' }).waitFor()
    t.strictSame(await ratings(), ['medium'])

    provider.instead = undefined
    await learn()
    await until(async () => (await ratings()).length === 3, 'the ratings that waited')
    t.strictSame(await ratings(), ['medium', 'again', 'hard'])
    await page.getByText(/warten/).waitFor({ state: 'detached' })
  },
)

t.test(
  'a note that was typed before a login by the provider is kept',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    const { app, page, learn } = await openWithProvider(t)
    await page.goto(`${app.url}/anmelden`)
    await page.getByRole('link', { name: 'Mit Firmenkonto anmelden' }).click()
    await page.getByText('Was möchtest du lernen?').waitFor()
    await learn()
    for (const [key, title, name, address, done] of [
      ['n', 'Deine Notiz zu dieser Karte', 'Speichern', '**/note', 'Notiz gespeichert.'],
      ['m', 'Fehler auf dieser Karte melden', 'Melden', '**/reports', 'Danke, die Meldung ist angekommen.'],
    ] as const) {
      await press(page, key)
      const form = page.getByRole('dialog', { name: title })
      await form.getByRole('textbox').fill(`Der Esel weiß es (${key}).`)
      await endSessionBefore(page, address)
      await form.getByRole('button', { name }).click()
      const login = page.getByRole('dialog', { name: 'Bitte noch einmal anmelden' })
      await login.getByRole('link', { name: 'Mit Firmenkonto anmelden' }).click()
      await login.waitFor({ state: 'detached' })
      t.equal(await form.getByRole('textbox').inputValue(), `Der Esel weiß es (${key}).`)
      await form.getByRole('button', { name }).click()
      await page.getByText(done).waitFor()
    }
    const notes = await app.db.selectFrom('card_notes').select('text').execute()
    t.strictSame(notes, [{ text: 'Der Esel weiß es (n).' }])
  },
)
