import type { Test } from 'tap'
import { LATE_AFTER_MS } from '../../../web/src/api/late-response.js'
import { startIdentityProvider } from '../../support/identity-provider.js'
import { freePort } from '../../support/postgres.js'
import { oidcSettings } from '../../support/sign-in.js'
import { openApp, withoutTimers } from './app.js'

/** The person who logs in by the provider */
export const ERIKA = { sub: 'e-1', preferred_username: 'erika', name: 'Erika Muster' }

/**
 * Script with which no response is late. A page that a slow machine answers late shows a remembered person the app and
 * a dialog, instead of going to the provider at once.
 */
const PATIENT = withoutTimers(LATE_AFTER_MS)

/**
 * Starts the app with a provider that confirms Erika for seven days, and opens a page without a login. `learn` opens the
 * deck „Git“ there and waits for its first card.
 */
export async function openWithProvider(t: Test, settings: Parameters<typeof oidcSettings>[2] = {}) {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}/`
  const provider = await startIdentityProvider(t, `${publicUrl}api/auth/oidc/callback`)
  provider.person = ERIKA
  const oidc = oidcSettings(provider, publicUrl, { OIDC_RECHECK_DAYS: 7, ...settings })
  const app = await openApp(t, { port, config: { publicUrl, oidc } })
  const { page } = await app.newBrowser({ serviceWorkers: 'allow' })
  await page.context().addInitScript(PATIENT)
  const learn = async () => {
    await page.goto(`${app.url}/lernen/git`)
    await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
  }
  return { app, provider, page, learn }
}
