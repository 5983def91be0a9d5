import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'
import t, { type Test } from 'tap'
import { startIdentityProvider } from '../support/identity-provider.js'
import { startNginx } from '../support/nginx.js'
import { freePort } from '../support/postgres.js'
import { createStoreVariables } from '../support/process.js'
import { CHROMIUM } from '../web/support/app.js'
import { type Company, testFirstDay } from '../web/support/company.js'
import { testWithoutPassword } from '../web/support/company-access.js'

const PREFIX = '/training/'

const isMissing = (program: string, flag: string) => spawnSync(program, [flag]).error !== undefined
const skip =
  (!existsSync(CHROMIUM) && 'no Chromium') ||
  (isMissing('nginx', '-v') && 'nginx is not installed') ||
  (isMissing('openssl', 'version') && 'openssl is not installed') ||
  (isMissing('certutil', '-H') && 'libnss3-tools is not installed')

/**
 * Starts nginx with TLS in front of the address that the service will use, an identity provider, and a browser that
 * trusts the certificate. The service is available below a path.
 */
async function startCompany(t: Test): Promise<Company> {
  const [port, own] = [await freePort(), await freePort()]
  const publicUrl = `https://localhost:${port}${PREFIX}`
  const { certificateFile } = await startNginx(t, [`127.0.0.1:${own}`], { prefix: PREFIX, port })
  const provider = await startIdentityProvider(t, `${publicUrl}api/auth/oidc/callback`, {
    // The URL does not use TLS, because the provider runs in this process, which does not trust the certificate.
    backchannel_logout_uri: `http://127.0.0.1:${own}/api/auth/oidc/back-channel-logout`,
  })

  // Chromium trusts the certificates in the user's NSS database.
  const home = await mkdtemp(path.join(tmpdir(), 'svc-training-home-'))
  t.teardown(() => rm(home, { recursive: true, force: true }))
  const store = path.join(home, '.pki/nssdb')
  await mkdir(store, { recursive: true })
  for (const args of [
    ['-N', '--empty-password'],
    ['-A', '-t', 'C,,', '-n', 'test', '-i', certificateFile],
  ]) {
    const { status, stderr } = spawnSync('certutil', ['-d', `sql:${store}`, ...args])
    t.equal(status, 0, String(stderr))
  }
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox'],
    env: { ...(process.env as Record<string, string>), HOME: home },
  })
  t.teardown(() => browser.close())

  const variables = {
    ...(await createStoreVariables(t)),
    PORT: String(own),
    BASE_PATH: PREFIX,
    TRUST_PROXY: '127.0.0.1',
  }
  return { provider, browser, publicUrl, variables }
}

t.test('single sign-on on its first day, behind nginx with TLS and below a path', { skip }, async (t) => {
  await testFirstDay(t, await startCompany(t))
})

t.test('granting lasting access without a password, behind nginx with TLS and below a path', { skip }, async (t) => {
  await testWithoutPassword(t, await startCompany(t))
})
