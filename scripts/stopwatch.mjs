// Measures the time from `npm start` to the first rated card: starts the service on an empty store, opens the printed
// address in Chromium, logs in and rates a card. Run it in a fresh clone after `npm ci`, whose time is not included:
// `node scripts/stopwatch.mjs`.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from 'playwright-core'

const started = performance.now()
const say = (what) => console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${what}`)

const folder = mkdtempSync(path.join(tmpdir(), 'svc-training-stopwatch-'))
const service = spawn('npm', ['start'], {
  cwd: path.join(import.meta.dirname, '..'),
  env: { ...process.env, DATA_DIR: path.join(folder, 'data'), PORT: process.env.PORT ?? '3918' },
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
})
try {
  const { address, username, password } = await readStart(service)
  say(`the address is printed: ${address}`)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport: { width: 390, height: 844 }, locale: 'de-DE' })
  await page.goto(address)
  await page.getByLabel('Benutzername').fill(username)
  await page.getByLabel('Passwort', { exact: true }).fill(password)
  say('name and password are typed')
  await page.getByRole('button', { name: 'Anmelden' }).click()
  await page.getByRole('link', { name: 'Erste Karten lernen' }).click()
  await page.getByRole('button', { name: /Antwort zeigen/ }).waitFor()
  say('the first question is there')
  await page.waitForTimeout(300)
  await page.getByRole('button', { name: /Antwort zeigen/ }).click()
  const stored = page.waitForResponse((response) => /\/api\/review(\/batch)?$/.test(new URL(response.url()).pathname))
  await page.waitForTimeout(300)
  await page.getByRole('button', { name: /^Gut/ }).click()
  say((await stored).ok() ? 'the first rating is stored' : 'the first rating was refused')
  await browser.close()
} finally {
  process.kill(-service.pid, 'SIGTERM')
  await new Promise((resolve) => service.once('close', resolve))
  rmSync(folder, { recursive: true, force: true })
}

function readStart(child) {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (data) => {
      output += data
      const address = /läuft: (http\S+)/.exec(output)?.[1]
      const login = /Benutzername (\S+), Passwort (\S+)/.exec(output)
      if (address !== undefined && login !== null) resolve({ address, username: login[1], password: login[2] })
    })
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${output}`)))
  })
}
