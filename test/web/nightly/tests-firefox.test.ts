import { existsSync } from 'node:fs'
import t from 'tap'
import { writeContentFolder } from '../../support/content.js'
import { openApp } from '../support/app.js'
import { FIREFOX, openFirefox } from '../support/firefox.js'
import { publishTests, QUESTIONS, takeByKeyboard } from '../support/published-tests.js'

t.test('a test in Firefox, by keyboard alone', { skip: !existsSync(FIREFOX) && 'no Firefox' }, async (t) => {
  const folder = await writeContentFolder(t, { 'decks/datenschutz.md': QUESTIONS })
  const app = await openApp(t, { config: { contentDir: folder } })
  await publishTests(app, { grundlagen: { name: 'Datenschutz, Grundlagen', review_when: 'now' } })
  const page = await openFirefox(t)
  await page.goto(`${app.url}/tests/grundlagen`)
  await page.locator('input[autocomplete~=username]').fill(app.admin.username)
  await page.locator('input[autocomplete=current-password]').fill(app.admin.password)
  await page.locator('button[type=submit]').click()
  await page.getByText('Bestanden ist der Test ab 80').waitFor()
  await takeByKeyboard(page)
  t.match(await page.locator('main').textContent(), /100\s%.*bestanden/)
})
