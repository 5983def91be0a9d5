import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import t, { type Test } from 'tap'
import { startIdentityProvider } from '../support/identity-provider.js'
import { freePort } from '../support/postgres.js'
import { createStoreVariables } from '../support/process.js'
import { CHROMIUM } from './support/app.js'
import { type Company, liveFirstDay } from './support/company.js'
import { liveWithoutPassword } from './support/company-access.js'

const skip = !existsSync(CHROMIUM) && 'no Chromium'

async function foundCompany(t: Test): Promise<Company> {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}/`
  const provider = await startIdentityProvider(t, `${publicUrl}api/auth/oidc/callback`, {
    backchannel_logout_uri: `${publicUrl}api/auth/oidc/back-channel-logout`,
  })
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const variables = { ...(await createStoreVariables(t)), PORT: String(port) }
  return { provider, browser, publicUrl, variables }
}

t.test('single sign-on on its first day', { skip }, async (t) => {
  await liveFirstDay(t, await foundCompany(t))
})

t.test('granting lasting access without a password', { skip }, async (t) => {
  await liveWithoutPassword(t, await foundCompany(t))
})
