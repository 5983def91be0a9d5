import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import t from 'tap'
import { startIdentityProvider } from '../support/identity-provider.js'
import { freePort } from '../support/postgres.js'
import { createStoreVariables } from '../support/process.js'
import { CHROMIUM } from './support/app.js'
import { liveFirstDay } from './support/company.js'

t.test('the first day of single sign-on', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}/`
  const provider = await startIdentityProvider(t, `${publicUrl}api/auth/oidc/callback`, {
    backchannel_logout_uri: `${publicUrl}api/auth/oidc/back-channel-logout`,
  })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const variables = { ...(await createStoreVariables(t)), PORT: String(port) }
  await liveFirstDay(t, { provider, browser, publicUrl, variables })
})
