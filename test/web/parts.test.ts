import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, findBarriers, isTooWide, openApp, PHONE } from './support/app.js'
import { findUserId, post, writeAssignment, writeSome } from './support/written.js'

const SHEET = 'netzwerk-kompakt'
const CONFIRM = 'Ich habe den Spickzettel gelesen und verstanden'
const LOOKS = [{}, { viewport: PHONE, colorScheme: 'dark' }] as const
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

t.test('parts of tasks', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  await writeSome(app)
  const give = async (username: string, title: string, parts: object[], values: object = {}) => {
    const audience = { user_ids: [await findUserId(app, username)] }
    const due = '2099-11-30'
    return writeAssignment(app, { title, parts, audience, due, recurrence: null, ...values })
  }
  const sheet = { kind: 'sheet', slug: SHEET }

  await t.test('a sheet and a deck say which task they belong to, and the sheet is confirmed in place', async (t) => {
    for (const options of LOOKS) {
      const { page, complaints, login } = await app.newPerson(options)
      const look = async (name: string) => {
        t.strictSame(await findBarriers(page), [], name)
        t.equal(await isTooWide(page), false, name)
      }
      await page.goto(`${app.url}/spickzettel/${SHEET}`)
      await page.getByText('Sieben.').waitFor()
      t.equal(await page.getByText('Gehört zu deiner Aufgabe').count(), 0)
      t.equal(await button(page, CONFIRM).count(), 0, 'no task')

      const deck = { kind: 'deck', slug: 'netzwerk' }
      const [read, both] = [
        await give(login.username, 'Brandschutz', [sheet]),
        await give(login.username, 'Netze', [deck, sheet], { ordered: true, due: '2099-10-31' }),
      ]
      await page.goto(`${app.url}/decks/netzwerk`)
      await page.getByText(/^Gehört zu deiner Aufgabe Netze, bis /).waitFor()
      t.equal(await page.getByText('Brandschutz').count(), 0)
      await look('deck')

      await page.goto(`${app.url}/spickzettel`)
      await page.getByRole('link', { name: /^Netzwerk kompakt/ }).click()
      await page.getByText(/^Gehört zu deiner Aufgabe Brandschutz, bis /).waitFor()
      await page.getByText(/^Gehört zu deiner Aufgabe Netze, bis /).waitFor()
      await look('sheet')

      // The text changes while it is shown.
      const { sheet: stored } = (await (await app.asAdmin('GET', `/api/content/sheets/${SHEET}`)).json()) as {
        sheet: { version: number; content_md: string }
      }
      const content_md = `${stored.content_md}\nNeu seit ${stored.version}.\n`
      await post(app, `/api/content/sheets/${SHEET}`, { version: stored.version, content_md }, 'PATCH')
      const sent = page.waitForRequest('**/confirm')
      await button(page, CONFIRM).click()
      t.strictSame((await sent).postDataJSON(), { part: 0, version: stored.version, lang: 'de' })
      await page.getByText('Der Text wurde geändert').waitFor()
      await button(page, 'Neuen Text lesen').click()
      await page.getByText(`Neu seit ${stored.version}.`).waitFor()
      await button(page, CONFIRM).click()
      await page.getByText('„Brandschutz“ ist erledigt. Dein Nachweis liegt bereit.').waitFor()
      const { occurrences } = (await (await page.request.get(`${app.url}/api/assignments/mine`)).json()) as {
        occurrences: { id: number; assignment: { id: number }; state: string }[]
      }
      const task = (assignment: number) => occurrences.find((one) => one.assignment.id === assignment)
      t.equal(task(read)?.state, 'done')
      t.equal(task(both)?.state, 'open', 'each task has its own confirmation')
      t.equal(new URL(page.url()).hash, `#aufgabe-${task(read)?.id}`)

      await page.goto(`${app.url}/spickzettel/${SHEET}`)
      await page.getByText('Kommt, sobald die Teile davor erledigt sind.').waitFor()
      t.equal(await button(page, CONFIRM).count(), 0, 'the deck comes first')
      t.strictSame(complaints, [])
    }
  })

  await t.test('an ordered task opens its parts one after another', async (t) => {
    for (const options of LOOKS) {
      const { page, complaints, login } = await app.newPerson(options)
      const parts = [sheet, { kind: 'deck', slug: 'netzwerk' }, { kind: 'personal', title: 'Rundgang' }]
      const title = 'Erst lesen, dann üben'
      const id = await give(login.username, title, parts, { ordered: true, responsible_id: 1 })
      await page.goto(`${app.url}/aufgaben`)
      const items = page.getByRole('article').filter({ hasText: title }).getByRole('listitem')
      await items
        .first()
        .getByRole('link', { name: /^Lesen/ })
        .waitFor()
      for (const at of [1, 2]) {
        await items.nth(at).getByText('Kommt, sobald die Teile davor erledigt sind.').waitFor()
        t.equal(await items.nth(at).getByRole('link').count(), 0)
      }
      t.strictSame(await findBarriers(page), [])
      t.equal(await isTooWide(page), false)
      await items
        .first()
        .getByRole('link', { name: /^Lesen/ })
        .click()
      await button(page, CONFIRM).click()
      await page.getByText('Gelesen und bestätigt.').waitFor()
      await items
        .nth(1)
        .getByRole('link', { name: /^Lernen/ })
        .waitFor()
      await items.nth(2).getByText('Kommt, sobald').waitFor()

      const answer = await app.asAdmin('GET', `/api/assignments/${id}/occurrences`)
      const [row] = ((await answer.json()) as { occurrences: { id: number; personal_open: boolean }[] }).occurrences
      t.equal(row?.personal_open, false, 'the personal part cannot be confirmed yet')
      t.strictSame(complaints, [])
    }
  })
})
