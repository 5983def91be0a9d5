import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { type App, CHROMIUM, findBarriers, openApp, type Person, PHONE, untilKept } from '../support/app.js'
import { tabTo } from '../support/keys.js'
import { post } from '../support/written.js'

interface Task {
  id: number
  assignment: { id: number }
  proof_code: string | null
}

const SHEET = 'git-alltag'
const CONFIRM = 'Ich habe den Spickzettel gelesen und verstanden'
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

async function enter(page: Page, role: 'button' | 'link', name: string): Promise<void> {
  const target = await tabTo(page, role, name, 150)
  await target.press('Enter')
}

async function writeShortTest(app: App): Promise<void> {
  const { source } = await post<{ source: { id: number } }>(app, '/api/content/sources', { name: 'Prüfungen' })
  const pool = { source_id: source.id, name: 'Fragen', tests_only: true }
  const { deck } = await post<{ deck: { slug: string } }>(app, '/api/content/decks', pool)
  const options = [{ text: 'Öl', correct: false }]
  const question = { question: 'Womit löscht man Holz?', answer: 'Wasser', options, client_id: 'holz' }
  await post(app, '/api/content/cards', { deck: deck.slug, ...question })
  const definition = { source_id: source.id, name: 'Löschen', sections: [{ deck: deck.slug }] }
  await post(app, '/api/content/tests/loeschen', definition, 'PUT')
  await post(app, '/api/content/tests/loeschen/publish', {})
}

t.test('tasks', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  await writeShortTest(app)
  const give = async (title: string, parts: object[], values: object = {}): Promise<number> =>
    (
      await post<{ assignment: { id: number } }>(app, '/api/assignments', {
        title,
        parts,
        audience: { everybody: true },
        starts: '2026-01-01',
        due: '2099-12-31',
        recurrence: null,
        mandatory: true,
        retention_years: 2,
        responsible_id: 1,
        ...values,
      })
    ).assignment.id
  const taskOf = async ({ page }: Person, assignment: number): Promise<Task> => {
    const { occurrences } = (await (await page.request.get(`${app.url}/api/assignments/mine`)).json()) as {
      occurrences: Task[]
    }
    return occurrences.find((one) => one.assignment.id === assignment) as Task
  }
  const sheet = { kind: 'sheet', slug: SHEET }
  const focused = (page: Page, id: string) => page.locator(`#${id}:focus`).waitFor()

  await t.test('a user without tasks sees none', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(app.url)
    await page.getByRole('link', { name: 'Decks' }).first().waitFor()
    t.equal(await page.getByRole('link', { name: 'Aufgaben' }).count(), 0)
    await page.goto(`${app.url}/aufgaben`)
    await page.getByText('Noch keine Aufgaben').waitFor()
    await link(page, 'Meine Nachweise').click()
    await page.getByText('Noch keine Nachweise').waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('a person completes sheet, test and personal part with the keyboard, and gets the proof', async (t) => {
    const parts = [sheet, { kind: 'test', slug: 'loeschen' }, { kind: 'personal', title: 'Rundgang' }]
    const assignment = await give('Brandschutz „2027“ \u05D0abc', parts, { description: 'Zeile <b>1</b>\n=2' })
    const person = await app.newPerson()
    const { page, complaints } = person
    const { id } = await taskOf(person, assignment)
    await page.goto(app.url)
    await enter(page, 'link', 'Alle anzeigen')
    await page.getByText('Zeile <b>1</b>').waitFor()
    await page.getByText('bestätigt es admin oder die Leitung deines Teams').waitFor()
    t.strictSame(await findBarriers(page), [])
    await enter(page, 'link', 'Lesen: Git im Alltag')
    await button(page, CONFIRM).waitFor()
    t.strictSame(await findBarriers(page), [])
    await enter(page, 'button', CONFIRM)
    await page.getByText('Gelesen und bestätigt.').waitFor()
    await focused(page, `aufgabe-${id}`)
    await page.getByText(/gelesen und bestätigt am/).waitFor()

    await enter(page, 'link', 'Zum Test: Löschen')
    await enter(page, 'button', 'Test beginnen')
    await page.getByRole('radio', { name: 'Wasser' }).focus()
    await page.keyboard.press('Space')
    await enter(page, 'button', 'Abgeben …')
    await enter(page, 'button', 'Abgeben')
    await enter(page, 'link', 'Zurück zur Aufgabe')
    await focused(page, `aufgabe-${id}`)
    await page.getByText(/bestanden am/).waitFor()

    const held_on = new Date().toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })
    await post(app, '/api/assignments/occurrences/confirm-personal', { ids: [id], held_on })
    await page.reload()
    await focused(page, `aufgabe-${id}`)
    await page.getByText(/^Erledigt am/).waitFor()
    await page.keyboard.press('Tab')
    const download = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    t.match((await download).suggestedFilename(), /^nachweis-.*\.pdf$/)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Diesen Nachweis gibt es.').waitFor()
    await page.getByText(/persönliche Unterweisung am .*, bestätigt von admin/).waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('no input is lost after a lost network, a changed text and a closed task', async (t) => {
    const assignment = await give('Netze', [sheet])
    const closed = await give('Vorbei', [sheet])
    const person = await app.newPerson({ viewport: PHONE, colorScheme: 'dark' })
    const { page } = person
    const task = await taskOf(person, assignment)
    await page.goto(`${app.url}/spickzettel/${SHEET}?aufgabe=${task.id}&teil=0`)
    await button(page, CONFIRM).waitFor()
    t.strictSame(await findBarriers(page), [])
    await page.context().setOffline(true)
    await button(page, CONFIRM).click()
    await page.getByText('Noch nicht bestätigt. Der Dienst ist gerade nicht erreichbar').waitFor()
    // The service stores the confirmation, but its response is lost, and the list of tasks does not load either.
    await page.route('**/api/assignments/mine', (route) => route.abort())
    await page.context().setOffline(false)
    await page.route('**/confirm', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await button(page, CONFIRM).click()
    await page.getByText('Noch nicht bestätigt.').waitFor()
    await page.unroute('**/confirm')
    await page.unroute('**/api/assignments/mine')
    await button(page, CONFIRM).click()
    await page.getByText('ist erledigt. Dein Nachweis liegt bereit.').waitFor()
    await focused(page, `aufgabe-${task.id}`)

    const download = page.waitForEvent('download')
    await button(page, 'PDF des Nachweises: Netze').click()
    t.match((await download).suggestedFilename(), /^nachweis-.*\.pdf$/)
    const { proof_code } = await taskOf(person, assignment)
    await post(app, `/api/proofs/${proof_code}/revoke`, { reason: 'Versehen' })
    await link(page, 'Meine Nachweise').click()
    await page.getByText('widerrufen', { exact: true }).waitFor()
    t.strictSame(await findBarriers(page), [])

    const { id } = await taskOf(person, closed)
    await page.goto(`${app.url}/spickzettel/${SHEET}?aufgabe=${id}&teil=0`)
    await button(page, CONFIRM).waitFor()
    await page.route('**/confirm', (route) => {
      const body = { ...route.request().postDataJSON(), version: 99 }
      return route.continue({ postData: JSON.stringify(body) })
    })
    await button(page, CONFIRM).click()
    await page.getByText('Der Text wurde geändert').waitFor()
    await page.unroute('**/confirm')
    await button(page, 'Neuen Text lesen').click()
    await button(page, CONFIRM).waitFor()
    await post(app, `/api/assignments/occurrences/${id}/exempt`, { reason: 'Elternzeit' })
    await button(page, CONFIRM).click()
    await page.getByText('ist nicht mehr offen').waitFor()
    await link(page, 'Zurück zur Aufgabe').click()
    await page.getByText('Grund: Elternzeit').waitFor()
    await focused(page, `aufgabe-${id}`)
    await page.goto(`${app.url}/spickzettel/${SHEET}?aufgabe=999999&teil=7`)
    await page.getByText('gehört zu keiner deiner Aufgaben').waitFor()
  })

  await t.test('a learned deck leads back; without a network, the list and „Heute“ show stored copies', async () => {
    const assignment = await give('Git lernen', [{ kind: 'deck', slug: 'git', share_percent: 80 }])
    const person = await app.newPerson({ serviceWorkers: 'allow' })
    const { page } = person
    const { id } = await taskOf(person, assignment)
    await page.goto(`${app.url}/lernen/git?aufgabe=${id}`)
    await page.getByText('Antwort zeigen').waitFor()
    await link(page, 'Lernen beenden').click()
    await focused(page, `aufgabe-${id}`)
    await page.getByText('Bewerte 80 % der Karten').waitFor()
    await page.goto(app.url)
    await page.getByText('Deine Aufgaben').waitFor()
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await untilKept(page, 'tasks')
    await page.context().setOffline(true)
    await page.reload()
    await page.getByRole('link', { name: /^Git lernen/ }).waitFor()
    await page.getByRole('link', { name: /anzeigen$/ }).click()
    await page.getByText('Bewerte 80 % der Karten').waitFor()
    await page.getByText('Stand von').first().waitFor()
  })

  await t.test('the calendar gets an address that is shown once and can be ended', async (t) => {
    const { page } = await app.newPerson()
    await page.goto(`${app.url}/aufgaben`)
    await button(page, 'Adresse anlegen').click()
    const shown = page.getByLabel('Adresse des Kalenders')
    const address = await shown.inputValue()
    const status = async () => (await fetch(address)).status
    t.equal(await status(), 200)
    await page.reload()
    await page.getByText('Es gibt eine Adresse, angelegt').waitFor()
    t.equal(await shown.count(), 0)
    await button(page, 'Abschalten').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Abschalten' }).click()
    await button(page, 'Adresse anlegen').waitFor()
    t.equal(await status(), 404)
  })
})
