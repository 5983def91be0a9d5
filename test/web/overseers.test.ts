import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createTeam } from '../support/assignments.js'
import { CHROMIUM, findBarriers, isTooWide, openApp, type Person, PHONE } from './support/app.js'
import { findUserId, writeAssignment, writeSome } from './support/written.js'

const LOOKS = [{}, { viewport: PHONE, colorScheme: 'dark' }] as const
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first().waitFor()
const rows = (page: Page) => page.locator('main tbody tr')

t.test('leads and responsible persons', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  // A Friday; the week ends on 6 December.
  const app = await openApp(t, { now: () => new Date('2026-12-04T10:00:00Z') })
  const { db } = app
  await writeSome(app)
  const idOf = ({ login }: Person) => findUserId(app, login.username)
  const setDue = (assignment: number, user: number, due_on: string) =>
    db
      .updateTable('occurrences')
      .set({ due_on })
      .where('assignment_id', '=', assignment)
      .where('user_id', '=', user)
      .execute()
  const look = async (t: Test, page: Page, name: string) => {
    t.strictSame(await findBarriers(page), [], name)
    t.equal(await isTooWide(page), false, name)
  }

  await t.test('„Heute“ of a lead says what is urgent and leads to the filtered list', async (t) => {
    const [late, soon, done] = [await app.newPerson(), await app.newPerson(), await app.newPerson()]
    const [lateId, soonId, doneId] = [await idOf(late), await idOf(soon), await idOf(done)]
    for (const [id, display_name] of [
      [lateId, 'Leo Spät'],
      [soonId, 'Sofia Bald'],
      [doneId, 'Doro Fertig'],
    ] as const) {
      await db.updateTable('users').set({ display_name }).where('id', '=', id).execute()
    }
    const leadNow = await app.newPerson({ name: 'Lena Leitung' })
    const leadId = await idOf(leadNow)
    const team = await createTeam(db, { leads: [leadId], members: [lateId, soonId, doneId] })
    const others = await createTeam(db, { members: [await findUserId(app, 'admin')] })
    const sheet = { kind: 'sheet', slug: 'netzwerk-kompakt' }
    const given = { parts: [sheet], audience: { team_ids: [team, others] }, recurrence: null, due: '2026-12-31' }
    const first = await writeAssignment(app, { ...given, title: 'Brandschutz' })
    const second = await writeAssignment(app, { ...given, title: 'Datenschutz' })

    const { page, complaints } = leadNow
    await page.goto(app.url)
    await page.getByText('Was möchtest du lernen?').waitFor()
    t.equal(await page.getByText('Dein Team').count(), 0, 'nothing is urgent')

    await setDue(first, lateId, '2026-12-03')
    await setDue(first, await findUserId(app, 'admin'), '2026-12-03')
    await page.goto(app.url)
    await page.getByRole('link', { name: 'Dein Team: 1 überfällig', exact: true }).click()
    await rows(page).filter({ hasText: 'Leo Spät' }).waitFor()
    t.equal(await rows(page).count(), 1)
    const places = page.getByRole('navigation', { name: 'Hauptbereiche' })
    t.equal(await places.getByRole('link', { name: 'Aufgaben' }).first().getAttribute('aria-current'), 'page')

    await setDue(first, soonId, '2026-12-06')
    await setDue(second, lateId, '2026-12-04')
    await setDue(second, soonId, '2026-12-07')
    for (const options of LOOKS) {
      const size = options.viewport ?? { width: 1280, height: 800 }
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' })
      await page.goto(app.url)
      const card = page.getByRole('link', { name: 'Dein Team: 1 überfällig, 2 fällig diese Woche', exact: true })
      await card.waitFor()
      await look(t, page, 'Heute')
      await card.click()
      await heading(page, 'Dein Team')
      await rows(page).nth(1).waitFor()
      await look(t, page, 'urgent assignments')
      await page.getByRole('link', { name: /^1 diese Woche fällig: .*Brandschutz/ }).click()
      await rows(page).filter({ hasText: 'Sofia Bald' }).waitFor()
      t.equal(await rows(page).count(), 1)
      await page.getByLabel('Zeigen').selectOption({ label: 'Überfällig (1)' })
      await rows(page).filter({ hasText: 'Leo Spät' }).waitFor()
      t.equal(await rows(page).count(), 1)
    }

    await page.route('**/api/assignments/urgent', (route) => route.abort('failed'))
    await page.goto(app.url)
    await page.getByText('Deine Aufgaben').waitFor()
    t.equal(await page.getByText('Dein Team').count(), 0, 'a failure does not hold up the page')
    await page.unroute('**/api/assignments/urgent')
    t.match(complaints.splice(0), [/ERR_FAILED/])

    await late.page.goto(app.url)
    await late.page.getByText('Deine Aufgaben').waitFor()
    t.equal(await late.page.getByText('Dein Team').count(), 0, 'a member')
    t.strictSame(late.complaints, [])
  })
})
