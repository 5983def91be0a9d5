import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createTeam, issueCertificate } from '../support/assignments.js'
import { createUser, PASSWORD } from '../support/factories.js'
import { CHROMIUM, findBarriers, isTooWide, logInAs, openApp, type Person, PHONE } from './support/app.js'
import { findUserId, writeAssignment, writeSome } from './support/written.js'

const LOOKS: { viewport: { width: number; height: number }; colorScheme: 'light' | 'dark' }[] = [
  { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { viewport: PHONE, colorScheme: 'dark' },
]
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
      await page.setViewportSize(options.viewport)
      await page.emulateMedia({ colorScheme: options.colorScheme })
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
    await page.route('**/api/assignments/urgent', () => {})
    await page.goto(app.url)
    let hasEnded = false
    page.on('requestfailed', (request) => {
      if (request.url().endsWith('/api/assignments/urgent')) hasEnded = true
    })
    await page.getByText('Deine Aufgaben').waitFor()
    t.notOk(hasEnded, 'a request without a response does not hold up the page')
    await page.unroute('**/api/assignments/urgent')
    t.match(complaints.splice(0), [/ERR_FAILED/])

    await late.page.goto(app.url)
    await late.page.getByText('Deine Aufgaben').waitFor()
    t.equal(await late.page.getByText('Dein Team').count(), 0, 'a member')
    t.strictSame(late.complaints, [])
  })

  await t.test('a lead and a responsible person see nothing beyond the table of who sees what', async (t) => {
    const named = async (display_name: string) => {
      const { id, username } = await createUser(db, { display_name })
      return { id, username }
    }
    const [lead, responsible] = [await named('Lars Leitung'), await named('Rita Rede')]
    const [mine, foreign] = [await named('Mia Mitglied'), await named('Franz Fremd')]
    const teams = {
      own: await createTeam(db, { leads: [lead.id], members: [mine.id] }),
      other: await createTeam(db, { members: [foreign.id] }),
    }
    const sheet = { kind: 'sheet', slug: 'netzwerk-kompakt' }
    const both = { team_ids: [teams.own, teams.other] }
    const give = (title: string, values: object) =>
      writeAssignment(app, { parts: [sheet], recurrence: null, due: '2026-12-31', title, ...values })
    const mandatory = await give('Pflicht für beide', { audience: both, responsible_id: responsible.id })
    const optional = await give('Freiwillig für beide', { audience: both, mandatory: false })
    const theirs = await give('Nur die anderen', { audience: { team_ids: [teams.other] } })
    for (const [assignment, title, person] of [
      [mandatory, 'Pflicht für beide', mine],
      [mandatory, 'Pflicht für beide', foreign],
      [theirs, 'Nur die anderen', foreign],
    ] as const) {
      const name = person === mine ? 'Mia Mitglied' : 'Franz Fremd'
      await issueCertificate(db, { id: assignment, title }, person.id, { name, valid_until: '2026-12-20' })
    }

    const area = 'aufgaben/vergeben'
    const NOT_HERE = 'Diese Aufgabe gibt es nicht'
    const NO_RIGHT = 'Dafür fehlt dir etwas'
    const NO_READER = 'Nachweise anderer sehen nur'
    const NO_AUDITOR = 'Das sehen nur Administratoren und Prüfer'
    /** For each page: what a lead and a responsible person see of M (Mia), F (Franz) and the titles P, O and T */
    const PAGES: [path: string, lead: string, responsible: string, settled: [string, string | RegExp]][] = [
      ['', 'PO', '', ['Deine Aufgaben', 'Hallo, Rita']],
      ['aufgaben', 'PO', '', ['Pflicht für beide', 'Noch keine Aufgaben']],
      [area, 'P', 'P', ['Pflicht für beide', 'Pflicht für beide']],
      [`${area}/dringend`, '', '', ['Alles im Plan', 'Alles im Plan']],
      [`${area}/${mandatory}`, 'MP', 'MFP', ['Mia Mitglied', 'Franz Fremd']],
      [`${area}/${mandatory}?stand=alle&q=fremd`, 'P', 'FP', ['Niemand gefunden', 'Franz Fremd']],
      [`${area}/${optional}`, '', '', [NOT_HERE, NOT_HERE]],
      [`${area}/${theirs}`, '', '', [NOT_HERE, NOT_HERE]],
      [`${area}/${mandatory}/aendern`, 'P', 'P', ['Diese Aufgabe ändern nur', 'Diese Aufgabe ändern nur']],
      [`${area}/neu`, '', '', [NO_RIGHT, NO_RIGHT]],
      [`${area}/nachweise`, '', 'MFP', [NO_READER, 'Franz Fremd']],
      [`${area}/nachweise?aufgabe=${theirs}`, '', 'P', [NO_READER, /Pflicht für beide.*Kein Nachweis gefunden/s]],
      [`${area}/ablauf`, '', 'MFP', [NO_READER, 'Franz Fremd']],
      [`${area}/protokoll`, '', '', [NO_AUDITOR, NO_AUDITOR]],
      [`${area}/datenschutz`, '', '', [NO_AUDITOR, NO_AUDITOR]],
      ['teams', '', '', ['Team', 'Nur für']],
      [`teams/${teams.own}`, 'M', '', ['Mia Mitglied', 'Nur für']],
      [`teams/${teams.other}`, '', '', ['Nur für', 'Nur für']],
      ...['', '/benutzer', '/nachweise', '/ablauf', '/mails', '/protokoll', '/datenschutz'].map(
        (part): (typeof PAGES)[number] => [`verwaltung${part}`, '', '', ['Nur für', 'Nur für']],
      ),
      ['inhalte', '', '', ['Nur für', 'Nur für']],
      ['konto', '', '', ['Konto', 'Konto']],
    ]
    const WORDS = {
      M: 'Mia Mitglied',
      F: 'Franz Fremd',
      P: 'Pflicht für beide',
      O: 'Freiwillig für',
      T: 'Nur die anderen',
    }
    for (const [role, { username }] of [lead, responsible].entries()) {
      for (const options of LOOKS) {
        app.expectMissing(/\/api\//)
        const { page, complaints } = await app.newBrowser(options)
        await logInAs(page, app.url, { username, password: PASSWORD })
        for (const [path, ofLead, ofResponsible, settled] of PAGES) {
          await page.goto(`${app.url}/${path}`, { waitUntil: 'networkidle' })
          await page
            .locator('main')
            .filter({ hasText: settled[role] ?? '' })
            .waitFor()
          const text = (await page.locator('main').textContent()) ?? ''
          const seen = Object.entries(WORDS).flatMap(([letter, words]) => (text.includes(words) ? letter : []))
          const name = `${path} by ${role === 0 ? 'lead' : 'responsible person'}`
          t.equal(seen.join(''), role === 0 ? ofLead : ofResponsible, name)
        }
        t.strictSame(complaints, [])
      }
    }
  })

  await t.test('a responsible person opens a missed period again, which the person then completes', async (t) => {
    const boss = await app.newPerson({ name: 'Bettina Boss' })
    for (const options of LOOKS) {
      const { page, complaints } = boss
      await page.setViewportSize(options.viewport)
      const late = await app.newPerson({ ...options, name: 'Vera Verpasst' })
      const user_id = await idOf(late)
      const id = await writeAssignment(app, {
        title: `Quartal ${options.colorScheme}`,
        parts: [{ kind: 'sheet', slug: 'netzwerk-kompakt' }],
        audience: { user_ids: [user_id] },
        starts: '2026-10-01',
        due: '2026-12-31',
        recurrence: { every_months: 3, window_end: '12-31', opens_days_before: 40 },
        responsible_id: await idOf(boss),
      })
      await db
        .insertInto('occurrences')
        .values({
          assignment_id: id,
          user_id,
          period: '2026-07-01',
          due_on: '2026-09-30',
          state: 'missed',
          missed_at: new Date('2026-11-20T23:00:00Z'),
          counts_from: new Date('2026-06-30T22:00:00Z'),
          content_version: 1,
        })
        .execute()
      await page.goto(`${app.url}/aufgaben/vergeben/${id}?stand=verpasst`)
      await rows(page).filter({ hasText: 'verpasst' }).waitFor()
      await page.getByRole('button', { name: /^Entscheiden für .*Vera Verpasst/ }).click()
      await page.getByRole('menuitem', { name: 'Wieder öffnen …' }).click()
      const dialog = page.locator('dialog[open]')
      await dialog.getByLabel('Grund').fill('  ')
      await dialog.getByRole('button', { name: 'Öffnen', exact: true }).click()
      await dialog.getByText('Das Feld „Grund“ darf nicht leer sein').waitFor()
      await dialog.getByLabel('Grund').fill('Die Maschine fehlte')
      await dialog.getByLabel('Letzter Tag').fill('2026-12-18')
      await look(t, page, 'dialog')
      await dialog.getByRole('button', { name: 'Öffnen', exact: true }).click()
      await page.getByText('kann es nachholen.').waitFor()
      await page.goto(`${app.url}/aufgaben/vergeben/${id}`)
      await rows(page).nth(1).waitFor()
      t.equal(await rows(page).count(), 2, 'beside the present period')
      t.equal(await rows(page).filter({ hasText: 'verlängert' }).count(), 1)

      await late.page.goto(`${app.url}/aufgaben`)
      await late.page.getByText('Grund: Die Maschine fehlte').waitFor()
      await look(t, late.page, 'tasks')
      await late.page
        .getByRole('article')
        .filter({ hasText: 'Die Maschine fehlte' })
        .getByRole('link', { name: /^Lesen/ })
        .click()
      await late.page.getByRole('button', { name: /gelesen und verstanden$/ }).click()
      await late.page.getByText('ist erledigt. Dein Nachweis liegt bereit.').waitFor()
      await late.page.getByRole('link', { name: /^Nachweis ansehen/ }).click()
      await late.page.getByText('Nachgeholt für').first().waitFor()
      t.strictSame([...complaints, ...late.complaints], [])
    }
  })
})
