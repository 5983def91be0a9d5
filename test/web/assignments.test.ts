import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, findBarriers, isTooWide, openApp, type Person, PHONE } from './support/app.js'
import { tabTo } from './support/keys.js'
import { findUserId, post, writeAssignment, writeSome } from './support/written.js'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first().waitFor()
const row = (page: Page, name: string) => page.locator('main tr').filter({ hasText: name })

const reach = (page: Page, role: 'button' | 'link' | 'checkbox' | 'radio', name: string) => tabTo(page, role, name, 80)

async function press(page: Page, name: string, role: 'button' | 'link' = 'button'): Promise<void> {
  const target = await reach(page, role, name)
  await target.press('Enter')
}

t.test('assignments', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  await writeSome(app)
  const idOf = ({ login }: Person) => findUserId(app, login.username)
  const createTeam = async (name: string, members: [person: number, role: string][]): Promise<number> => {
    const { team } = await post<{ team: { id: number } }>(app, '/api/teams', { name })
    for (const [person, role] of members) await post(app, `/api/teams/${team.id}/members/${person}`, { role }, 'PUT')
    return team.id
  }
  const NAMES = ['=SUMME("A1")', '\u05D0Drahcir Rothcir', `Lang${'name'.repeat(48)}`, 'علي "Ali" محمد']
  await post(app, '/api/accounts/bulk', {
    users: NAMES.map((display_name, at) => ({ username: `name-${at}`, display_name })),
  })
  const named = await Promise.all(NAMES.map((_, at) => findUserId(app, `name-${at}`)))

  await t.test('a safety officer assigns and confirms an instruction with the keyboard alone', async (t) => {
    const officer = await app.newPerson({ isAdmin: true, name: 'Sabine Sicher' })
    const { page, complaints } = officer
    await createTeam('Werkstatt', [
      [named[0] as number, 'member'],
      [named[1] as number, 'member'],
      [await idOf(officer), 'member'],
    ])
    await page.goto(app.url)
    await press(page, 'Menü von Sabine Sicher')
    await page.getByRole('menuitem', { name: 'Aufgaben betreuen' }).press('Enter')
    await heading(page, 'Noch keine Aufgabe')
    await press(page, 'Neue Aufgabe', 'link')
    await page.getByLabel('Titel').waitFor()
    await page.getByLabel('Titel').focus()
    await page.keyboard.type('Brandschutz "2026"')
    for (const isPersonal of [false, true]) {
      await press(page, 'Teil hinzufügen …')
      await dialog(page).waitFor()
      if (!isPersonal) {
        await dialog(page).getByRole('searchbox').focus()
        await page.keyboard.type('kompakt')
        await press(page, 'Netzwerk kompakt hinzufügen')
      } else {
        await dialog(page).getByRole('radio').first().focus()
        for (let at = 0; at < 3; at++) await page.keyboard.press('ArrowRight')
        await dialog(page).getByLabel('Wie heißt er?').focus()
        await page.keyboard.type('Rundgang')
        await page.keyboard.press('Enter')
      }
      await dialog(page).waitFor({ state: 'detached' })
    }
    await press(page, 'Teil 2 nach oben')
    await page.locator('main ol li').first().getByLabel('Persönlicher Teil').waitFor()
    await press(page, 'Teil 1 nach unten')
    t.equal(await page.getByRole('group', { name: 'Für wen' }).getByRole('radio', { checked: true }).count(), 0)
    await press(page, 'Vergeben')
    await page.getByText('Es fehlt noch, für wen die Aufgabe ist.').waitFor()
    await reach(page, 'radio', 'Teams und Personen')
    await page.keyboard.press('Space')
    await reach(page, 'checkbox', 'Werkstatt 3 Mitglieder')
    await page.keyboard.press('Space')
    const sentence = /^Nach heutigem Stand bekommen das 3 Personen: .*=SUMME\("A1"\).* und .*\.$/
    await page.getByText(sentence).nth(1).waitFor()
    t.equal(await page.getByText(sentence).count(), 2, 'at the choice and before the button')
    const due = page.getByLabel('Letzter Tag', { exact: true })
    await press(page, 'Vergeben')
    await page.getByText('Der Tag, bis zu dem alles erledigt sein soll, fehlt noch.').waitFor()
    // Sets the value without typing, because the order of day and month depends on the locale of the machine.
    await due.fill('2099-12-31')
    await reach(page, 'radio', 'Keine')
    await page.keyboard.press('ArrowRight')
    await page.getByText('Zum ersten Mal bis 31.12.2099, danach jedes Jahr bis 31. Dezember.').waitFor()
    await press(page, 'Vergeben')
    await heading(page, 'Brandschutz "2026"')

    await page.getByText('Deinen persönlichen Teil bestätigt jemand anderes.').waitFor()
    await reach(page, 'checkbox', NAMES[0] as string)
    await page.keyboard.press('Space')
    await press(page, 'Persönlichen Teil bestätigen …')
    await dialog(page)
      .getByText(NAMES[0] as string)
      .waitFor()
    await press(page, 'Bestätigen')
    await page.getByText('Der persönliche Teil ist für 1 Person bestätigt.').waitFor()
    await row(page, NAMES[0] as string)
      .getByText('begonnen')
      .waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('the assignments of a path are given one after another to the same persons', async (t) => {
    for (const options of [{}, { viewport: PHONE, colorScheme: 'dark' }] as const) {
      const { page, complaints } = await app.newPerson({ ...options, isAdmin: true, name: 'Pia Personal' })
      await page.goto(`${app.url}/aufgaben/vergeben/neu`)
      await page.getByRole('textbox', { name: 'Titel' }).fill('Etwas anderes')
      await button(page, 'Formular leeren').waitFor()
      t.ok(
        await button(page, 'Einarbeitung, erste 30 Tage (3 Aufgaben)').isDisabled(),
        'it would replace what is typed',
      )
      await button(page, 'Formular leeren').click()
      await button(page, 'Einarbeitung, erste 30 Tage (3 Aufgaben)').click()
      await page.getByText('Einarbeitung, erste 30 Tage: Aufgabe 1 von 3').waitFor()
      await page.getByRole('radio', { name: 'Teams und Personen' }).press('Space')
      await page.getByLabel('Einzelne Personen suchen').fill('SUMME')
      await button(page, `${NAMES[0]}: Hinzufügen`).click()
      await page.getByText('Nach heutigem Stand bekommt das 1 Person:').first().waitFor()
      t.strictSame(await findBarriers(page), [])
      t.notOk(await isTooWide(page))
      await button(page, 'Vergeben und weiter').click()
      await page.getByText('Einarbeitung, erste 30 Tage: Aufgabe 2 von 3').waitFor()
      await page.getByText('Nach heutigem Stand bekommt das 1 Person:').first().waitFor()
      await page.reload()
      await page.getByRole('link', { name: 'Diese auslassen' }).click()
      await page.getByText('Einarbeitung, erste 30 Tage: Aufgabe 3 von 3').waitFor()
      await page.getByText('Nach heutigem Stand bekommt das 1 Person:').first().waitFor()
      await button(page, 'Vergeben').click()
      await heading(page, 'Aufgaben betreuen')
      await page.getByText('Aufgabe 3 von 3 ist vergeben.').waitFor()
      const { assignments } = (await (await app.asAdmin('GET', '/api/assignments?limit=2')).json()) as {
        assignments: { title: string; starts: object; audience: { user_ids: number[] }; responsible: object }[]
      }
      t.match(assignments, [
        { title: 'Gespräch nach dem ersten Monat', starts: { days_after_joining: Number } },
        { title: 'Ankommen', starts: {} },
      ])
      for (const one of assignments) {
        t.match(one, { audience: { user_ids: [named[0]] }, responsible: { display_name: 'Pia Personal' } })
      }
      t.strictSame(complaints, [])
    }
    app.expectMissing(/\/api\//)
    const { page } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/aufgaben/vergeben/weg/Umgezogen/1`)
    await page.getByText('Diese Vorlage gibt es nicht mehr.').waitFor()
  })

  await t.test('the responsible person decides; unusual names cause no fault', async (t) => {
    const boss = await app.newPerson({ name: 'Bettina Boss', viewport: PHONE })
    const { page } = boss
    const id = await writeAssignment(app, { audience: { user_ids: named }, responsible_id: await idOf(boss) })
    await page.goto(`${app.url}/aufgaben/vergeben`)
    await heading(page, 'Aufgaben betreuen')
    t.equal(await page.getByText('Neue Aufgabe').count(), 0)
    await page.goto(`${app.url}/aufgaben/vergeben/${id}`)
    for (const [at, name] of NAMES.entries()) await row(page, at === 1 ? 'Drahcir' : name).waitFor()
    t.equal(await page.getByRole('link', { name: 'Ändern' }).count(), 0, 'only its creator changes it')
    t.strictSame(await findBarriers(page), [])
    t.notOk(await isTooWide(page))

    const decide = async (name: string, item: string) => {
      await row(page, name).getByRole('button').click()
      await page.getByRole('menuitem', { name: item }).click()
      await dialog(page).getByLabel('Grund').fill('  ')
    }
    await decide(NAMES[0] as string, 'Frist verlängern …')
    await button(page, 'Verlängern').click()
    await dialog(page).getByText('Das Feld „Grund“ darf nicht leer sein').waitFor()
    await dialog(page).getByLabel('Grund').fill('Urlaub')
    await dialog(page).getByLabel('Neuer letzter Tag').fill('2099-12-31')
    t.strictSame(await findBarriers(page), [])
    await page.context().setOffline(true)
    await button(page, 'Verlängern').click()
    await dialog(page).getByText('nicht erreichbar').waitFor()
    t.equal(await dialog(page).getByLabel('Grund').inputValue(), 'Urlaub')
    await page.context().setOffline(false)
    await button(page, 'Verlängern').click()
    await row(page, NAMES[0] as string)
      .getByText('verlängert', { exact: true })
      .waitFor()
    await decide('Drahcir', 'Befreien …')
    await dialog(page).getByLabel('Grund').fill('Andere Abteilung')
    await button(page, 'Befreien').click()
    await row(page, 'Drahcir').waitFor({ state: 'detached' })
    await page.getByLabel('Zeigen').selectOption('befreit')
    await row(page, 'Drahcir').getByText('befreit').waitFor()
    await page.getByLabel('Zeigen').selectOption('alle')
    await page.getByLabel('Person suchen').fill('ali')
    await row(page, 'Ali').waitFor()
    await row(page, NAMES[0] as string).waitFor({ state: 'detached' })

    // The person loses the role of responsible person while a dialog is open.
    await decide('Ali', 'Nachweis anerkennen …')
    await dialog(page).getByLabel('Grund').fill('Zeugnis')
    await post(app, `/api/assignments/${id}`, { responsible_id: null }, 'PATCH')
    await button(page, 'Anerkennen').click()
    await dialog(page).getByText('Das entscheidet nur die verantwortliche Person').waitFor()
    t.equal(await dialog(page).getByLabel('Grund').inputValue(), 'Zeugnis')
    await page.reload()
    await heading(page, 'Nicht für dich')
  })

  await t.test('no typed text is lost by a refusal, another tab, or a deletion in another tab', async (t) => {
    app.expectMissing(/\/api\//)
    const { page } = await app.newPerson({ isAdmin: true })
    const id = await writeAssignment(app, { title: 'Erste Fassung' })
    const title = page.getByLabel('Titel')
    await page.goto(`${app.url}/aufgaben/vergeben/${id}/aendern`)
    await title.fill('Meine Fassung')
    await post(app, `/api/assignments/${id}`, { title: 'Fassung der anderen' }, 'PATCH')
    await button(page, 'Speichern').click()
    await heading(page, 'Inzwischen geändert')
    await button(page, 'Meins nehmen').click()
    await page
      .getByText(/^Gespeichert um/)
      .first()
      .waitFor()
    const { assignment } = (await (await app.asAdmin('GET', `/api/assignments/${id}`)).json()) as {
      assignment: { title: string }
    }
    t.equal(assignment.title, 'Meine Fassung')

    await page.goto(`${app.url}/aufgaben/vergeben/${id}/aendern`)
    await title.fill('Noch nicht gespeichert')
    await page.getByLabel('Öffnet sich vorher (Tage)').fill('500')
    await button(page, 'Speichern').click()
    await page.getByText('Das Feld „Öffnet sich vorher“ muss von 0 bis 168 sein').first().waitFor()
    await page.reload()
    await page.getByText('Hier steht dein noch nicht gespeicherter Text').waitFor()
    t.equal(await title.inputValue(), 'Noch nicht gespeichert')
    await page.getByLabel('Öffnet sich vorher (Tage)').fill('20')
    await post(app, `/api/assignments/${id}`, undefined, 'DELETE')
    await button(page, 'Speichern').click()
    await page.getByText('Diese Aufgabe gibt es nicht').first().waitFor()
    t.equal(await title.inputValue(), 'Noch nicht gespeichert')
    await page.goto(`${app.url}/aufgaben/vergeben/${id}`)
    await heading(page, 'Diese Aufgabe gibt es nicht')
  })

  await t.test('a repeated request whose response was lost creates one assignment, with the latest text', async (t) => {
    const { page } = await app.newPerson({ isAdmin: true })
    const model = await writeAssignment(app, { title: 'Vorbild' })
    await page.goto(`${app.url}/aufgaben/vergeben/neu?vorlage=${model}`)
    await page.getByLabel('Titel').fill('Erster Titel')
    await page.getByLabel('Letzter Tag', { exact: true }).fill('2099-12-31')
    await page.route('**/api/assignments', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await route.abort()
    })
    await button(page, 'Vergeben').click()
    await page.getByText('Der Dienst ist gerade nicht erreichbar').first().waitFor()
    await page.unroute('**/api/assignments')
    await page.getByLabel('Titel').fill('Zweiter Titel')
    await button(page, 'Vergeben').click()
    await heading(page, 'Zweiter Titel')
    const { assignments } = (await (await app.asAdmin('GET', '/api/assignments')).json()) as {
      assignments: { title: string }[]
    }
    const titles = assignments.map(({ title }) => title).filter((title) => title.endsWith(' Titel'))
    t.strictSame(titles, ['Zweiter Titel'])
  })

  await t.test('a first task appears on „Heute“ and in the navigation of an open app', async (t) => {
    const person = await app.newPerson({ name: 'Nora Neu' })
    const { page, complaints } = person
    await page.clock.install()
    await page.goto(app.url)
    await page.getByText('Was möchtest du lernen?').waitFor()
    await writeAssignment(app, { title: 'Einweisung Lager', audience: { user_ids: [await idOf(person)] } })
    await page.clock.runFor(60_000)
    await page.getByText('Einweisung Lager').waitFor()
    const places = page.getByRole('navigation', { name: 'Hauptbereiche' })
    await places.getByRole('link', { name: 'Aufgaben' }).first().click()
    await page.getByRole('heading', { name: 'Aufgaben', exact: true }).waitFor()
    t.equal(await places.getByRole('link', { name: 'Aufgaben' }).first().getAttribute('aria-current'), 'page')
    t.strictSame(complaints, [])
  })

  await t.test('each role sees only the allowed pages', async (t) => {
    app.expectMissing(/\/api\//)
    const [learner, author, lead] = [
      await app.newPerson({ name: 'Lea Lern' }),
      await app.newPerson(),
      await app.newPerson(),
    ]
    const authorLead = await app.newPerson({ name: 'Arno Autor' })
    for (const person of [author, authorLead]) {
      await post(app, `/api/accounts/${await idOf(person)}`, { is_author: true }, 'PATCH')
    }
    const { sources } = (await (await app.asAdmin('GET', '/api/content/sources')).json()) as {
      sources: { id: number }[]
    }
    const source = sources[0]?.id
    await post(app, `/api/content/sources/${source}/editors/${authorLead.login.username}`, undefined, 'PUT')
    const team = await createTeam('Lager', [
      ...([
        [await idOf(learner), 'member'],
        [await idOf(lead), 'lead'],
        [await idOf(authorLead), 'lead'],
      ] as [number, string][]),
    ])
    const id = await writeAssignment(app, { title: 'Für das Lager', audience: { team_ids: [team], user_ids: named } })
    const hidden = await writeAssignment(app, { title: 'Freiwillig', audience: { team_ids: [team] }, mandatory: false })
    const see = async ({ page }: Person, path: string, words: string) => {
      await page.goto(`${app.url}/aufgaben/vergeben${path}`)
      await heading(page, words)
    }
    for (const path of ['', `/${id}`, `/${id}/aendern`]) await see(learner, path, 'Nicht für dich')
    await see(learner, '/neu', 'Dafür fehlt dir etwas')
    await button(learner.page, 'Menü von Lea Lern').click()
    t.equal(await learner.page.getByRole('menuitem', { name: /Aufgaben (?:vergeben|der|betreuen)/ }).count(), 0)
    await see(author, '', 'Noch keine Aufgabe')
    await see(author, '/neu', 'Dafür fehlt dir etwas')
    await see(author, `/${id}`, 'Diese Aufgabe gibt es nicht')

    await see(lead, '', 'Aufgaben betreuen')
    await lead.page.getByRole('link', { name: 'Für das Lager' }).waitFor()
    t.equal(await lead.page.getByText('Freiwillig').count(), 0)
    await see(lead, `/${hidden}`, 'Diese Aufgabe gibt es nicht')
    await see(lead, `/${id}`, 'Deine Mitglieder')
    await row(lead.page, 'Lea Lern').waitFor()
    t.equal(await row(lead.page, 'SUMME').count(), 0, 'no member of other teams')
    t.equal(await lead.page.getByRole('button', { name: /^Entscheiden/ }).count(), 0)
    await lead.page.goto(`${app.url}/aufgaben/vergeben/${id}/aendern`)
    await lead.page.getByText('Diese Aufgabe ändern nur Administratoren').waitFor()

    await see(authorLead, '/neu', 'Worum es geht')
    const { page } = authorLead
    await page.getByLabel('Titel').fill('Vom Autor')
    t.equal(await page.getByText('Einzelne Personen').count(), 0, 'authors assign to their teams')
    await page.getByLabel('Lager 3 Mitglieder').check()
    await button(page, 'Teil hinzufügen …').click()
    await dialog(page).getByRole('radio', { name: 'Deck' }).check()
    await button(page, 'Netzwerk hinzufügen').click()
    await page.getByText('Ist das eine Unterweisung im Arbeitsschutz?').waitFor()
    await page.getByLabel('Letzter Tag', { exact: true }).fill('2099-12-31')
    // An administrator removes the author's right to edit the content while the form is open.
    await post(app, `/api/content/sources/${source}/editors/${authorLead.login.username}`, undefined, 'DELETE')
    await button(page, 'Vergeben').click()
    await page.getByText('Noch nicht gespeichert.').waitFor()
    await post(app, `/api/content/sources/${source}/editors/${authorLead.login.username}`, undefined, 'PUT')
    await button(page, 'Vergeben').click()
    await heading(page, 'Vom Autor')
    await button(page, 'Mehr zu dieser Aufgabe').click()
    await page.getByRole('menuitem', { name: 'Neu unterweisen …' }).click()
    await dialog(page).getByText('Frühere Nachweise bleiben gültig').waitFor()
    await button(page, 'Neu unterweisen').click()
    await page.getByText('Die Aufgabe ist für alle neu fällig.').waitFor()
    await button(page, 'Mehr zu dieser Aufgabe').click()
    await page.getByRole('menuitem', { name: 'Löschen …' }).click()
    await button(page, 'Endgültig löschen').click()
    await page.getByText('Die Aufgabe „Vom Autor“ ist gelöscht.').waitFor()

    const admin = await app.newPerson({ isAdmin: true })
    await see(admin, `/${id}`, 'Was zu tun ist')
    await admin.page.getByText('Wer fertig ist, sehen nur die verantwortliche Person').waitFor()
    t.equal(await row(admin.page, 'Lea Lern').count(), 0, 'administrators do not see the state of persons')

    const change = { version: 1, content_md: '# Netzwerk\n\n## Schichten\n\nGenau sieben.\n' }
    await post(app, '/api/content/sheets/netzwerk-kompakt', change, 'PATCH')
    await admin.page.reload()
    const notice = admin.page.getByText('Der Inhalt hat sich geändert.')
    await notice.waitFor()
    t.strictSame(await findBarriers(admin.page), [])
    await button(admin.page, 'Nur Korrektur').click()
    await notice.waitFor({ state: 'detached' })
  })
})
