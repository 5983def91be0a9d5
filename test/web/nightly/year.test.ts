import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import t from 'tap'
import { ROOT } from '../../support/constants.js'
import { freePort } from '../../support/postgres.js'
import {
  createStoreVariables,
  firstLogin,
  loginOver,
  type RunningService,
  type Send,
  startProcess,
  withStore,
} from '../../support/process.js'
import { CHROMIUM, collectComplaints, DESK, findBarriers, HEADLESS, isTooWide, PHONE } from '../support/app.js'
import { PATIENCE_MS } from '../support/patience.js'

/**
 * Days on which the test acts, all of them working days. The task is due on 31 March each year and opens 30 days
 * before.
 */
const DAYS = { assign: '2027-03-01', instruct: '2027-03-03', late: '2027-04-05', audit: '2028-03-06' }
const TITLE = 'IT-Sicherheit, jährlich'
const PASSWORD = 'vier-zufaellige-woerter'
const OFFICER = 'Sabine Sicher'
/** Lead of the team, who also has the task */
const LEAD = 'Anna Amsel'
const LATE = 'Dora Drossel'
const LEAVER = 'Emil Elster'
const MEMBERS = [LEAD, 'Ben Buchfink', 'Carla Cramer', LATE, LEAVER]
const ON_TIME = MEMBERS.slice(0, 3)

/** Right options of the questions in the shipped test, as the page shows them */
const RIGHT = new Set(
  Array.from(
    readFileSync(path.join(ROOT, 'content/decks/it-sicherheit-am-arbeitsplatz.md'), 'utf8').matchAll(
      /^- \[x\] (.+)$/gm,
    ),
    ([, text = '']) => text.replaceAll('`', ''),
  ),
)

/** Parts of console messages that open pages may cause while the service restarts */
const DURING_RESTART = ['net::ERR_CONNECTION_REFUSED', 'An unknown error occurred when fetching the script.']

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')
const row = (page: Page, name: string) => page.locator('main tr').filter({ hasText: name })

/** Reads and confirms the sheet and passes the test, starting on „Heute“. */
async function learn(page: Page): Promise<void> {
  await link(page, 'Alle anzeigen').click()
  await link(page, 'Lesen: IT-Sicherheit am Arbeitsplatz').click()
  await button(page, 'Ich habe den Spickzettel gelesen und verstanden').click()
  await page.getByText(/gelesen und bestätigt am/).waitFor()
  await link(page, 'Zum Test: IT-Sicherheit am Arbeitsplatz').click()
  await button(page, 'Test beginnen').click()
  for (let number = 1; number <= 8; number++) {
    await page.getByText(`Frage ${number} von 8`).first().waitFor()
    const options = page.locator('.options label')
    for (const [at, text] of (await options.locator('.text').allTextContents()).entries()) {
      if (RIGHT.has(text.trim())) await options.nth(at).click()
    }
    await page.locator('[data-state=saved]').waitFor()
    if (number < 8) await button(page, 'Weiter').click()
  }
  await button(page, 'Abgeben …').last().click()
  await button(page, 'Abgeben').click()
  await page.getByRole('heading', { name: 'Bestanden' }).waitFor()
  await link(page, 'Zurück zur Aufgabe').click()
  await page.getByText(/bestanden am/).waitFor()
}

t.test('a year of a company', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const variables = { ...(await createStoreVariables(t)), PORT: String(port) }
  let service: RunningService | undefined
  const live = async (day: string) => {
    await service?.stop()
    service = await startProcess(t, { ...variables, SIMULATED_DATE: day })
    return service
  }
  const send = async <T>(as: Send, way: string, body: object, method = 'POST'): Promise<T> => {
    const response = await as(way, { method, body })
    if (!response.ok) throw new Error(`${way}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

  const first = await live(DAYS.assign)
  const asAdmin = await loginOver(url, firstLogin(first, variables))
  const { team } = await send<{ team: { id: number } }>(asAdmin, '/api/teams', { name: 'Werkstatt' })
  const browser = await chromium.launch({ executablePath: HEADLESS, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const complaints: string[][] = []
  const open = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport: DESK,
      locale: 'de-DE',
      timezoneId: 'Europe/Berlin',
      ...options,
    })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    complaints.push(collectComplaints(page, url))
    return page
  }
  const pages = new Map<string, Page>()
  const pageOf = (name: string) => pages.get(name) as Page
  // Each person keeps one browser for the whole year.
  for (const display_name of [OFFICER, ...MEMBERS]) {
    const login = { username: display_name.split(' ')[0]?.toLowerCase() ?? '', password: PASSWORD }
    const account = { ...login, display_name, is_admin: display_name === OFFICER }
    const { id } = await send<{ id: number }>(asAdmin, '/api/admin/users', account)
    if (display_name !== OFFICER) {
      const role = display_name === LEAD ? 'lead' : 'member'
      await send(asAdmin, `/api/teams/${team.id}/members/${id}`, { role }, 'PUT')
    }
    const page = await open(
      display_name === OFFICER
        ? {}
        : { viewport: PHONE, ...(display_name === LATE && { colorScheme: 'dark' as const }) },
    )
    const response = await page.request.post(`${url}/api/auth/login`, { data: login })
    if (!response.ok()) throw new Error(`${response.status()} ${await response.text()}`)
    pages.set(display_name, page)
  }
  const officer = pageOf(OFFICER)
  let assignment = ''
  const look = async (page: Page, name: string) => {
    t.strictSame(await findBarriers(page), [], `${name}: no barriers`)
    t.notOk(await isTooWide(page), `${name}: fits`)
  }
  const filter = (page: Page, stand: string) => page.goto(`${assignment}?stand=${stand}`)
  const confirmPersonal = async (names: string[]) => {
    await officer.goto(assignment)
    for (const name of names) await officer.getByRole('checkbox', { name, exact: true }).check()
    await button(officer, 'Persönlichen Teil bestätigen …').click()
    await dialog(officer).getByLabel('Notiz').fill('Halle 3')
    await look(officer, 'the confirmation')
    await button(officer, 'Bestätigen').click()
  }

  await t.test('1 March: the safety officer assigns the shipped instruction to a team', async () => {
    await officer.goto(url)
    await button(officer, `Menü von ${OFFICER}`).click()
    await officer.getByRole('menuitem', { name: 'Aufgaben betreuen' }).click()
    await link(officer, 'Neue Aufgabe').click()
    await button(officer, TITLE).click()
    await officer.getByRole('radio', { name: 'Teams und Personen' }).check()
    await officer.getByLabel('Werkstatt 5 Mitglieder').check()
    await officer.getByRole('radio', { name: 'Bis zu einem Tag' }).check()
    await officer.getByLabel('Letzter Tag', { exact: true }).fill('2027-03-31')
    await officer.getByRole('radio', { name: 'Jedes Jahr bis' }).check()
    await officer.getByLabel('Tag', { exact: true }).fill('31')
    await officer.getByLabel('Monat').selectOption('März')
    await officer.getByText('Zum ersten Mal bis 31.03.2027, danach jedes Jahr bis 31. März.').waitFor()
    await look(officer, 'the form')
    await button(officer, 'Vergeben').click()
    await officer.getByRole('heading', { name: TITLE, exact: true }).waitFor()
    await officer.waitForURL(/vergeben\/\d+$/)
    assignment = officer.url()
    for (const name of MEMBERS) await row(officer, name).getByText('offen', { exact: true }).waitFor()
    await look(officer, 'the assignment')
  })

  await t.test('3 March: three people do it, and the officer confirms the talk after a fresh login', async (t) => {
    await service?.stop()
    service = undefined
    await ageLogins(variables)
    await live(DAYS.instruct)
    await Promise.all(
      ON_TIME.map(async (name) => {
        const page = pageOf(name)
        await page.goto(url)
        await page.getByText('bis 31. März, noch 28 Tage').waitFor()
        await look(page, 'today')
        await learn(page)
        await look(page, 'the task')
      }),
    )
    await confirmPersonal(ON_TIME)
    const again = officer.getByRole('dialog', { name: 'Bitte erneut anmelden' })
    await again.getByLabel('Passwort', { exact: true }).fill(PASSWORD)
    await look(officer, 'the fresh login')
    await again.getByRole('button', { name: 'Weiter' }).click()
    await officer.getByText('Der persönliche Teil ist für 3 Personen bestätigt.').waitFor()
    await filter(officer, 'erledigt')
    for (const name of ON_TIME) await row(officer, name).getByText('erledigt').waitFor()
    t.equal(await row(officer, LATE).count(), 0)
    await look(officer, 'the done ones')
  })

  await t.test('5 April: officer and lead see who is late; one leaves, the other gets more time', async (t) => {
    await live(DAYS.late)
    const [late, lead] = [pageOf(LATE), pageOf(LEAD)]
    await late.goto(url)
    await late.getByText('überfällig').first().waitFor()
    await look(late, 'today, late')

    await filter(lead, 'ueberfaellig')
    for (const name of [LATE, LEAVER]) await row(lead, name).getByText('überfällig').waitFor()
    t.equal(await button(lead, /^Entscheiden/).count(), 0, 'leads cannot decide')
    await look(lead, 'the late ones, for the lead')

    await officer.goto(`${url}/verwaltung/benutzer`)
    await link(officer, LEAVER).click()
    await button(officer, 'Konto deaktivieren …').click()
    t.equal(await dialog(officer).getByLabel('Ab wann').inputValue(), DAYS.late)
    await button(officer, 'Deaktivieren').click()
    await officer.getByText('Das Konto ist deaktiviert.').waitFor()
    await filter(officer, 'weg')
    await row(officer, LEAVER).getByText('ausgeschieden').waitFor()
    await pageOf(LEAVER).goto(url)
    await pageOf(LEAVER).getByRole('heading', { name: 'Anmelden' }).waitFor()

    await filter(officer, 'ueberfaellig')
    await row(officer, LATE).getByText('überfällig').waitFor()
    t.equal(await row(officer, LEAVER).count(), 0)
    await look(officer, 'the late ones')
    await button(officer, `Entscheiden für ${LATE}`).click()
    await officer.getByRole('menuitem', { name: 'Frist verlängern …' }).click()
    await dialog(officer).getByLabel('Grund').fill('Urlaub')
    t.equal(await dialog(officer).getByLabel('Neuer letzter Tag').inputValue(), '2027-04-19')
    await look(officer, 'the extension')
    await button(officer, 'Verlängern').click()
    await officer.getByText(`${LATE} hat mehr Zeit.`).waitFor()

    await late.reload()
    await late.getByText('bis 19. April, noch 14 Tage').waitFor()
    await learn(late)
    await late.getByText('; verlängert').waitFor()
    await late.getByText(/^Grund: .?Urlaub/).waitFor()
    await look(late, 'the task, late')
    await confirmPersonal([LATE])
    await officer.getByText('Der persönliche Teil ist für 1 Person bestätigt.').waitFor()
    await officer.getByText('Niemandem fehlt etwas').waitFor()
    await late.reload()
    await late.getByText(/^Erledigt am 5. April/).waitFor()
  })

  await t.test('6 March: the next period is open for those who stayed, and the auditor comes', async (t) => {
    await live(DAYS.audit)
    await officer.goto(assignment)
    for (const name of [...ON_TIME, LATE]) await row(officer, name).getByText('31.03.2028').waitFor()
    t.equal(await row(officer, LEAVER).count(), 0)
    const ben = pageOf('Ben Buchfink')
    await ben.goto(`${url}/aufgaben`)
    await ben.getByText('bis 31. März, noch 25 Tage').waitFor()
    await look(ben, 'the next period')
    await link(ben, 'Meine Nachweise').click()
    await ben.getByText('Erledigt am 3. März 2027, gültig bis 31. März.').waitFor()
    await look(ben, 'the proofs')
    const pdf = ben.waitForEvent('download')
    await button(ben, `PDF des Nachweises: ${TITLE}`).click()
    t.match(await readFile(await (await pdf).path(), 'latin1'), /^%PDF/)
    await link(ben, `Nachweis ansehen: ${TITLE}`).click()
    await ben.getByText('Diesen Nachweis gibt es.').waitFor()
    const code = ben.url().split('/').at(-1) ?? ''

    await officer.goto(`${url}/verwaltung/nachweise`)
    await officer.getByLabel('Zweck').fill('Audit ISO 27001, 2028')
    await look(officer, 'the proofs of all')
    const download = officer.waitForEvent('download')
    await button(officer, 'Herunterladen').click()
    const [head = '', ...lines] = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\r\n')
    t.match(head, /^\uFEFF.*;/)
    t.equal(lines.length, 4)
    for (const name of [...ON_TIME, LATE]) t.equal(lines.filter((line) => line.includes(name)).length, 1, name)
    t.ok(lines.some((line) => line.includes(code)))

    const auditor = await open()
    await auditor.goto(`${url}/nachweis`)
    await auditor.getByLabel('Code auf dem Nachweis').fill(code)
    await button(auditor, 'Prüfen').click()
    await auditor.getByText('Ben Buchfink').waitFor()
    await auditor.getByText('03.03.2027').first().waitFor()
    await auditor.getByText(new RegExp(`bestätigt von ${OFFICER}`)).waitFor()
    await look(auditor, 'the proof')
    await officer.goto(`${url}/verwaltung/protokoll`)
    await officer.getByText('Audit ISO 27001, 2028').first().waitFor()
    await look(officer, 'the audit trail')
  })

  await t.test('leaves no console messages', async (t) => {
    t.strictSame(
      complaints.flat().filter((complaint) => !DURING_RESTART.some((part) => complaint.includes(part))),
      [],
    )
  })
})

/** Moves all logins to yesterday, because `SIMULATED_DATE` does not change them. The service must be stopped. */
async function ageLogins(variables: Record<string, string>): Promise<void> {
  const authenticated_at = new Date(Date.now() - 86_400_000)
  await withStore(variables, (db) => db.updateTable('sessions').set({ authenticated_at }).execute())
}
