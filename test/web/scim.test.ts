import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import t from 'tap'
import { patchOf } from '../support/scim.js'
import { CHROMIUM } from './support/app.js'
import { press } from './support/keys.js'
import { until } from './support/patience.js'
import { ERIKA, openWithProvider } from './support/provider-login.js'

t.test(
  'a person whom SCIM has created logs in by the provider, leaves and comes back',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    const { app, provider, page, learn } = await openWithProvider(t, { OIDC_CREATE_USERS: false })
    const made = await app.asAdmin('POST', '/api/auth/tokens', { name: 'Entra', scopes: ['scim'] })
    const { token } = (await made.json()) as { token: string }

    const scim = async (method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' }
      const response = await fetch(`${app.url}/scim/v2${path}`, { method, headers, body: JSON.stringify(body) })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      return (await response.json()) as { id: string; active: boolean }
    }
    const logIn = async () => {
      await page.goto(`${app.url}/anmelden`)
      await page.getByRole('link', { name: 'Mit Firmenkonto anmelden' }).click()
      await page.getByRole('button', { name: 'Menü von Erika Muster' }).waitFor()
    }
    const ratings = async () => {
      const rows = await app.db.selectFrom('review_log').select(['user_id', 'rating']).orderBy('id').execute()
      return rows.map(({ user_id, rating }) => [user_id, rating])
    }
    const identities = async () => {
      const rows = await app.db.selectFrom('identities').select(['user_id', 'subject']).execute()
      return rows.map(({ user_id, subject }) => [user_id, subject])
    }

    const user = await scim('POST', '/Users', { userName: 'Erika', displayName: 'Erika Muster', externalId: 'x-1' })
    const id = Number(user.id)
    const setActive = (value: string) =>
      scim('PATCH', `/Users/${id}`, patchOf({ op: 'Replace', path: 'active', value }))

    await t.test('an administrator marks a token as a service token', async () => {
      const { page, login } = await app.newPerson({ isAdmin: true })
      await page.request.post(`${app.url}/api/auth/tokens`, { data: { name: 'Nachtlauf' } })
      const found = await app.asAdmin('GET', `/api/accounts?q=${login.username}`)
      const [user] = ((await found.json()) as { users: { id: number }[] }).users
      await page.goto(`${app.url}/verwaltung/benutzer/${user?.id}`)
      await page.getByRole('button', { name: 'Token Nachtlauf: Dienst-Token' }).click()
      await page.getByText('Das ist jetzt ein Dienst-Token.').waitFor()
      await page.getByRole('button', { name: 'Token Nachtlauf: kein Dienst-Token mehr' }).click()
      await page.getByText('Das ist kein Dienst-Token mehr.').waitFor()
      await page.context().close()
    })

    await t.test('the first login links the account and shows the start page', async (t) => {
      await logIn()
      await page.getByText('Was möchtest du lernen?').waitFor()
      t.strictSame(await identities(), [[id, ERIKA.sub]])
      await learn()
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
      await press(page, ' ', '3')
      await until(async () => (await ratings()).length === 1, 'the first rating')
    })

    await t.test('a later login uses the link', async (t) => {
      t.equal((await page.request.post(`${app.url}/api/auth/logout`)).status(), 200)
      await logIn()
      t.strictSame(await identities(), [[id, ERIKA.sub]])
    })

    await t.test('a due confirmation goes through the provider without a page of it', async (t) => {
      // A request of the page that is still on its way would already go through the provider.
      await page.goto('about:blank')
      await sql`update identities set confirmed_at = '2020-01-01'`.execute(app.db)
      const asked = page.waitForRequest((request) => request.url().startsWith(`${provider.issuer}/auth?`))
      const confirmed = page.waitForResponse((response) => response.url().includes('/api/auth/oidc/callback'))
      await learn()
      t.equal(new URL((await asked).url()).searchParams.get('prompt'), 'none')
      await confirmed
      t.ok(
        (await app.db.selectFrom('identities').select('confirmed_at').executeTakeFirstOrThrow()).confirmed_at >
          new Date('2020-01-01'),
      )
    })

    await t.test('a deactivation ends the session in the open app and keeps the ratings given offline', async (t) => {
      const context = page.context()
      await learn()
      await context.setOffline(true)
      await press(page, ' ', '1', ' ', '2')
      await page.getByText('2 warten').waitFor()
      t.equal((await setActive('False')).active, false)
      await context.setOffline(false)
      const dialog = page.getByRole('dialog', { name: 'Bitte noch einmal anmelden' })
      await dialog.waitFor()
      await page.getByText('2 warten').waitFor()
      await dialog.getByRole('link', { name: 'Mit Firmenkonto anmelden' }).click()
      await page.getByText('Für dich gibt es hier noch kein Konto').waitFor()
      t.strictSame(await ratings(), [[id, 'medium']])

      t.equal((await setActive('True')).active, true)
      await logIn()
      await until(async () => (await ratings()).length === 3, 'the ratings that waited')
      t.strictSame(await ratings(), [
        [id, 'medium'],
        [id, 'again'],
        [id, 'hard'],
      ])
      await page.getByText(/warten/).waitFor({ state: 'detached' })
    })
  },
)
