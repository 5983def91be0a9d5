import { existsSync } from 'node:fs'
import t from 'tap'
import { writeContentFolder } from '../../support/content.js'
import { CHROMIUM, isTooWide, openApp, PHONE } from '../support/app.js'
import { FIREFOX, openFirefox } from '../support/firefox.js'
import { openGateway, passOn } from '../support/gateway.js'
import {
  publishTests,
  QUESTIONS,
  readAttempt,
  takeByKeyboard,
  takeByTouch,
  untilAttempt,
} from '../support/published-tests.js'

const isMissing = !(existsSync(CHROMIUM) && existsSync(FIREFOX))

t.test('three browsers take one test concurrently', { skip: isMissing && 'no Chromium or no Firefox' }, async (t) => {
  const folder = await writeContentFolder(t, { 'decks/datenschutz.md': QUESTIONS })
  const app = await openApp(t, { config: { contentDir: folder } })
  await publishTests(app, { kurz: { name: 'Datenschutz', time_limit_minutes: 2, attempts: 1, review_when: 'now' } })
  const phone = await app.newPerson({ name: 'Pia Handy', viewport: PHONE, hasTouch: true, isMobile: true })
  const desk = await app.newPerson({ name: 'Kai Taste' })
  const traveller = await app.newPerson({ name: 'Tim Klappzu' })
  const list = await (await app.asAdmin('GET', '/api/accounts?limit=100')).json()
  const { users } = list as { users: { id: number; username: string }[] }
  for (const { id, username } of users) {
    // The users of the phone and of the desktop computer get eight minutes, so that their attempts do not end on a busy
    // machine. The traveller has two minutes.
    if (![phone, desk].some(({ login }) => login.username === username)) continue
    t.equal((await app.asAdmin('PATCH', `/api/accounts/${id}`, { extra_time_percent: 300 })).status, 200)
  }

  // Connects Firefox to the service through a gateway, so that the test can break the connection.
  const network = await openGateway(t, app.url)
  const cut = () => network.behave((_asked, response) => response.destroy())
  const firefox = await openFirefox(t)
  await firefox.goto(`${network.url}/tests/kurz`)
  await firefox.locator('input[autocomplete~=username]').fill(traveller.login.username)
  await firefox.locator('input[autocomplete=current-password]').fill(traveller.login.password)
  await firefox.locator('button[type=submit]').click()
  await firefox.getByText('Du hast 2 Minuten.').waitFor()
  for (const { page } of [phone, desk]) {
    await page.goto(`${app.url}/tests/kurz`)
    await page.getByText('Du hast 8 Minuten').waitFor()
  }

  const travel = async () => {
    await firefox.getByRole('button', { name: /beginnen$/ }).click()
    await firefox.getByText('Wann muss eine Datenpanne gemeldet werden?').waitFor()
    await firefox.waitForURL(/versuche\/\d+/)
    const id = Number(/versuche\/(\d+)/.exec(firefox.url())?.[1])
    const answerTo = async (slot: number) => (await readAttempt(traveller.page, app, id)).questions[slot]?.answer
    await firefox.getByLabel('Innerhalb von 72 Stunden').check()
    await untilAttempt(traveller.page, app, id, ({ questions }) => questions[0]?.answer != null)
    cut()
    await firefox.getByRole('button', { name: /^Frage 2,/ }).click()
    await firefox.getByLabel('Auskunft').check()
    await firefox.locator('[data-state=waiting]').waitFor()
    // Closes the page before it sends its last answer, as if the laptop were shut.
    const context = firefox.context()
    await firefox.close()
    await untilAttempt(traveller.page, app, id, ({ state }) => state === 'submitted')
    t.equal(await answerTo(1), null)
    network.behave(passOn)
    const later = await context.newPage()
    await later.goto(`${network.url}/tests/versuche/${id}`)
    await later.getByRole('heading', { name: 'Noch nicht bestanden' }).waitFor()
    await later.getByText('Deine letzte Antwort auf Frage 2 kam erst nach dem Ende an').waitFor()
    await later.getByText('beendet, weil die Zeit um war,').waitFor()
  }
  await Promise.all([takeByTouch(phone.page), takeByKeyboard(desk.page), travel()])
  for (const { page, complaints } of [phone, desk]) {
    t.match(await page.locator('main').textContent(), /100\s%.*bestanden/)
    t.notOk(await isTooWide(page))
    t.strictSame(complaints, [])
  }
})
