import { mkdirSync } from 'node:fs'
import t from 'tap'
import { startMailServer } from '../../support/mail-server.js'
import { freePort } from '../../support/postgres.js'
import { DESK, openProgram, PHONE } from '../support/app.js'
import { findUserId } from '../support/written.js'

/** Folder for screenshots; if undefined, no screenshots are taken */
const { SCREENS } = process.env

const USER = { id: 1, username: 'admin', display_name: 'Ængelbert "><i>Größer</i> \u202eabc' }
const MAIL = { id: 9, user: USER, kind: 'tasks', day: '2026-12-02', address: 'engelbert@example.org', state: 'sent' }
const TIMES = { created_at: '2026-12-02T06:00:00Z', next_attempt_at: '2026-12-02T06:30:00Z', sent_at: null }
const ROWS = [
  {
    ...MAIL,
    ...TIMES,
    id: 12,
    state: 'unknown',
    attempts: 1,
    answer: 'Der Dienst wurde unterbrochen',
    may_resend: true,
  },
  {
    ...MAIL,
    ...TIMES,
    id: 11,
    kind: 'due_cards',
    state: 'waiting',
    attempts: 2,
    may_resend: false,
    answer: '450 4.2.1 Mailbox busy',
  },
  {
    ...MAIL,
    ...TIMES,
    id: 10,
    kind: 'lead_digest',
    state: 'failed',
    attempts: 1,
    may_resend: false,
    answer: `550 5.1.1 ${'<engelbert@example.org>: Recipient address rejected: User unknown '.repeat(3)}`,
  },
  { ...MAIL, ...TIMES, attempts: 1, sent_at: '2026-12-02T06:00:40Z', answer: '250 ok', may_resend: false },
]
const OUTBOX = {
  mails: ROWS,
  counts: { waiting: 1, sending: 0, sent: 1_204, failed: 1, unknown: 1 },
  configured: true,
  held: false,
  next_after: null,
  next_before: null,
}

const AWAY = 'Der Dienst ist gerade nicht erreichbar. Bitte die Verbindung prüfen.'
/**
 * Returns whether a console message is a fault. The browser reports each request that failed offline, including those
 * of the service worker.
 */
const isFault = (complaint: string) => !/ERR_INTERNET_DISCONNECTED|ERR_FAILED|fetching the script/.test(complaint)

t.test('an administrator checks the mail server and sends a mail again', async (t) => {
  const server = await startMailServer(t)
  const port = String(await freePort())
  const app = await openProgram(t, {
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(server.port),
    SMTP_SECURITY: 'off',
    SMTP_FROM: 'training@example.org',
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}/`,
  })
  const { page, complaints } = await app.newPerson({ isAdmin: true, viewport: DESK })
  const photograph = async (name: string) => {
    if (SCREENS === undefined) return
    mkdirSync(SCREENS, { recursive: true })
    await page.screenshot({ path: `${SCREENS}/${name}.png`, fullPage: true })
  }
  await page.goto(`${app.url}/verwaltung/mails`)
  await page.getByText('Noch keine Mails').waitFor()
  await page.getByLabel('Testmail an').fill('chefin@example.org')
  await page.keyboard.press('Enter')
  await page.getByText('Der Mailserver hat die Mail angenommen.').waitFor()
  t.equal(server.received[0]?.to, 'chefin@example.org')
  server.onRecipient = () => ({ code: 550, text: '5.1.1 No such user' })
  await page.getByRole('button', { name: 'Testmail senden' }).click()
  await page.getByText('Der Mailserver hat die Mail nicht angenommen: 550 5.1.1 No such user').waitFor()
  await photograph('leer')

  let resent = ''
  await page.route('**/api/mail/outbox?*', (route) =>
    route.fulfill({ json: OUTBOX, headers: { 'x-service': 'svc-training' } }),
  )
  await page.route('**/api/mail/outbox/*/resend', (route) => {
    resent = route.request().url()
    return route.fulfill({ json: { ok: true }, headers: { 'x-service': 'svc-training' } })
  })
  await page.reload()
  await page.getByRole('button', { name: /^Noch einmal senden/ }).focus()
  for (const [name, viewport, colorScheme] of [
    ['desk-hell', DESK, 'light'],
    ['telefon-dunkel', PHONE, 'dark'],
  ] as const) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    await photograph(name)
  }
  t.equal(await page.locator('i', { hasText: 'Größer' }).count(), 0, 'a name is text')
  await page.keyboard.press('Enter')
  await page.getByText('Die Mail wartet wieder und wird gleich gesendet.').waitFor()
  t.match(resent, /\/api\/mail\/outbox\/12\/resend$/)
  t.strictSame(complaints, [])

  await t.test('a user enters an address, and removes it', async (t) => {
    const { page, login, complaints } = await app.newPerson({ viewport: PHONE, colorScheme: 'dark' })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = page.getByLabel('E-Mail-Adresse')
    const dueCards = page.getByRole('switch', { name: 'Mail über fällige Karten' })
    await page.goto(`${app.url}/konto`)
    await field.fill(`${'a'.repeat(65)}@example.org`)
    await button('Link schicken').click()
    await page.getByText('Das ist keine E-Mail-Adresse.').waitFor()
    t.equal(await field.getAttribute('aria-invalid'), 'true')
    t.ok(await dueCards.isDisabled(), 'there is no address')
    await page.context().setOffline(true)
    await field.fill('erika@example.org')
    await button('Link schicken').click()
    await page.getByText(AWAY, { exact: true }).waitFor()
    t.equal(await field.inputValue(), 'erika@example.org', 'the address stays')
    await page.context().setOffline(false)
    await button('Link schicken').click()
    await page.getByText('Wir haben einen Link an erika@example.org geschickt.').waitFor()
    t.equal(await field.inputValue(), '')
    await button('Zurücknehmen').click()
    await button('Zurücknehmen').waitFor({ state: 'detached' })
    await page.getByText('Noch keine Adresse').waitFor()

    const address = `/api/accounts/${await findUserId(app, login.username)}`
    t.equal((await app.asAdmin('PATCH', address, { email: 'e@example.org' })).status, 200)
    await page.reload()
    await page.getByText('gehen an e@example.org').waitFor()
    const lost = '**/api/mail/due-cards'
    await page.route(lost, (route) => route.abort())
    await dueCards.click()
    await page.getByText(AWAY, { exact: true }).waitFor()
    await page.locator('[role=switch]:not(:checked)').waitFor()
    t.notOk(await dueCards.isChecked(), 'the setting is reset')
    t.equal(await page.getByLabel('Neue E-Mail-Adresse').getAttribute('aria-invalid'), null, 'not a fault of the field')
    await page.unroute(lost)
    await dueCards.click()
    await page.getByText(AWAY, { exact: true }).waitFor({ state: 'detached' })
    t.ok(await dueCards.isChecked())
    t.strictSame(complaints.filter(isFault), [])
  })

  await t.test('links of mails act after a click, without a login, and again after a failure', async (t) => {
    const { page, complaints } = await app.newBrowser({ viewport: PHONE })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const clickTwice = async (name: string) => {
      await button(name).waitFor()
      await page.context().setOffline(true)
      await button(name).click()
      await page.getByText(AWAY, { exact: true }).waitFor()
      await page.context().setOffline(false)
      await button(name).click()
    }
    await page.goto(`${app.url}/mail/abbestellen#${'x'.repeat(43)}`)
    await clickTwice('Abbestellen')
    await page.getByText('Die Mail über fällige Karten kommt nicht mehr.').waitFor()
    await page.goto(`${app.url}/mail/bestaetigen#${'x'.repeat(43)}`)
    await clickTwice('Adresse bestätigen')
    await page.getByText('Dieser Link gilt nicht mehr.').waitFor()
    t.equal(await page.getByRole('link', { name: 'Zum Konto' }).count(), 1)
    t.equal(await button('Adresse bestätigen').count(), 0, 'another click would not help')
    await page.goto(`${app.url}/mail/abbestellen`)
    await page.getByText('Der Link ist unvollständig.').waitFor()
    t.strictSame(complaints.filter(isFault), [])
  })
})
