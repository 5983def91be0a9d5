import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, findBarriers, openApp, type Person } from '../support/app.js'
import { tabTo } from '../support/keys.js'
import { findUserId, post } from '../support/written.js'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const member = (page: Page, name: string) => page.locator('main li').filter({ hasText: name })
const search = (page: Page) => page.getByRole('searchbox', { name: 'Person suchen' })

async function enter(page: Page, role: 'button' | 'link', name: string): Promise<void> {
  const target = await tabTo(page, role, name, 60)
  await target.press('Enter')
}

t.test('teams', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const idOf = ({ login }: Person) => findUserId(app, login.username)
  const createTeam = async (name: string): Promise<number> =>
    (await post<{ team: { id: number } }>(app, '/api/teams', { name })).team.id
  const setMember = (team: number, person: number, role: string) =>
    post(app, `/api/teams/${team}/members/${person}`, { role }, 'PUT')

  await t.test('an administrator manages a team with the keyboard alone', async (t) => {
    await app.newPerson({ name: 'Aylin Demir' })
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/verwaltung`)
    await enter(page, 'link', 'Teams')
    await page.getByText('Noch kein Team').waitFor()
    await enter(page, 'button', 'Team anlegen')
    await dialog(page).getByLabel('Name').waitFor()
    await page.keyboard.type('Werkstatt Süd')
    await page.keyboard.press('Enter')
    await heading(page, 'Werkstatt Süd')
    await page.getByText('Noch niemand gehört zu diesem Team.').waitFor()

    await search(page).focus()
    await page.keyboard.type('demir')
    await enter(page, 'button', 'Aylin Demir hinzufügen')
    await member(page, 'Aylin Demir').first().waitFor()
    await button(page, 'Aylin Demir entfernen').waitFor()
    await page.waitForFunction(`document.activeElement?.type === 'search'`)
    t.equal(await search(page).inputValue(), '', 'ready for the next name')
    await enter(page, 'button', 'Aylin Demir zur Leitung machen')
    await page.getByText('Leitung', { exact: true }).waitFor()

    await enter(page, 'button', 'Ändern …')
    await dialog(page).getByLabel('Name').fill('Werkstatt Nord')
    await page.keyboard.press('Enter')
    await heading(page, 'Werkstatt Nord')
    await enter(page, 'button', 'Aylin Demir entfernen')
    await page.getByText('Noch niemand gehört zu diesem Team.').waitFor()
    await enter(page, 'button', 'Löschen …')
    await dialog(page).getByText('Die Konten bleiben').waitFor()
    await enter(page, 'button', 'Endgültig löschen')
    await heading(page, 'Teams')
    await page.getByText('Noch kein Team').waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('the typed text stays after a taken name, without a network and after a withdrawn right', async (t) => {
    await createTeam('Vertrieb')
    const team = await createTeam('Lager')
    const person = await app.newPerson({ isAdmin: true })
    const { page } = person
    await page.goto(`${app.url}/teams`)
    await button(page, 'Team anlegen').click()
    const name = dialog(page).getByLabel('Name')
    await name.fill('Vertrieb')
    await button(page, 'Anlegen').click()
    await dialog(page).getByText('gibt es schon').waitFor()
    t.equal(await name.inputValue(), 'Vertrieb')
    await page.context().setOffline(true)
    await name.fill('Versand')
    await button(page, 'Anlegen').click()
    await dialog(page).getByText('nicht erreichbar').waitFor()
    t.equal(await name.inputValue(), 'Versand')
    await page.context().setOffline(false)
    await button(page, 'Anlegen').click()
    await heading(page, 'Versand')

    await page.goto(`${app.url}/teams/${team}`)
    await button(page, 'Ändern …').click()
    await name.fill('Lager und Versand')
    await post(app, `/api/accounts/${await idOf(person)}`, { is_admin: false }, 'PATCH')
    await button(page, 'Speichern').click()
    await dialog(page).getByText('Administratorrechte erforderlich').waitFor()
    t.equal(await name.inputValue(), 'Lager und Versand')
    await page.reload()
    await page.getByRole('heading', { name: 'Nur für Leitungen' }).waitFor()
  })

  await t.test('keeps the typed name when another administrator has changed the team', async (t) => {
    const team = await createTeam('Spedition')
    const { page } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/teams/${team}`)
    await button(page, 'Ändern …').click()
    await dialog(page).getByLabel('Name').fill('Spedition Ost')
    await post(app, `/api/teams/${team}`, { name: 'Spedition West', external_group: 'training-west' }, 'PATCH')
    await button(page, 'Speichern').click()
    const conflict = page.getByRole('dialog', { name: 'Inzwischen geändert' })
    await conflict.getByText('training-west').waitFor()
    await conflict.getByRole('button', { name: 'Beides bearbeiten' }).click()
    const form = page.getByRole('dialog', { name: 'Team ändern' })
    t.equal(await form.getByLabel('Name').inputValue(), 'Spedition Ost')
    await form.getByLabel('Gruppe beim Anbieter').fill('training-west')
    await button(page, 'Speichern').click()
    await heading(page, 'Spedition Ost')
    const { team: saved } = await post<{ team: object }>(app, `/api/teams/${team}`, undefined, 'GET')
    t.match(saved, { name: 'Spedition Ost', external_group: 'training-west', version: 3 })

    await button(page, 'Ändern …').click()
    await form.getByLabel('Name').fill('Spedition Nord')
    await post(app, `/api/teams/${team}`, { name: 'Spedition Süd' }, 'PATCH')
    await button(page, 'Speichern').click()
    await conflict.getByRole('button', { name: 'Meins nehmen' }).click()
    await heading(page, 'Spedition Nord')
    await form.waitFor({ state: 'hidden' })
  })

  await t.test('creates one team when the response to the first request is lost', async (t) => {
    const { page } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/teams`)
    await button(page, 'Team anlegen').click()
    await dialog(page).getByLabel('Name').fill('Einkauf')
    await page.route('**/api/teams', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await button(page, 'Anlegen').click()
    await dialog(page).getByText('nicht erreichbar').waitFor()
    await page.unroute('**/api/teams')
    await dialog(page).getByLabel('Name').fill('Einkauf und Lager')
    await button(page, 'Anlegen').click()
    await heading(page, 'Einkauf und Lager')
    const { teams } = await post<{ teams: { name: string }[] }>(app, '/api/teams', undefined, 'GET')
    t.strictSame(
      teams.map(({ name }) => name).filter((name) => name.startsWith('Einkauf')),
      ['Einkauf und Lager'],
    )
  })

  await t.test('reports that another tab has deleted the team', async () => {
    app.expectMissing(/\/api\//)
    const team = await createTeam('Kurzlebig')
    const guest = await app.newPerson({ name: 'Noah Berger' })
    await setMember(team, await idOf(guest), 'member')
    const { page } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/teams/${team}`)
    await button(page, 'Noah Berger zur Leitung machen').waitFor()
    await search(page).fill('Noah')
    await page.getByText('schon im Team').waitFor()
    await post(app, `/api/teams/${team}`, undefined, 'DELETE')
    await button(page, 'Noah Berger zur Leitung machen').click()
    await page.getByText('Dieses Team gibt es nicht').first().waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Zu den Teams' }).click()
    await heading(page, 'Teams')
  })

  await t.test('names the assignments of a team before its deletion', async () => {
    const team = await createTeam('Auflösung')
    await post(app, '/api/assignments', {
      title: 'Brandschutz',
      parts: [{ kind: 'personal', title: 'Rundgang' }],
      audience: { team_ids: [team] },
      starts: '2026-12-01',
      due: '2099-12-31',
      recurrence: null,
      mandatory: true,
      retention_years: 2,
    })
    const { page } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/teams/${team}`)
    await button(page, 'Löschen …').click()
    await dialog(page)
      .getByText(/Nicht mehr für dieses Team: .*Brandschutz/)
      .waitFor()
  })

  await t.test('a lead finds the team and sees only names; the account lists the team', async (t) => {
    const team = await createTeam('Montage')
    const lead = await app.newPerson({ name: 'Sofia Rossi' })
    const other = await app.newPerson({ name: 'Tomasz Nowak' })
    await setMember(team, await idOf(lead), 'lead')
    await setMember(team, await idOf(other), 'member')
    const { page } = lead
    await page.goto(app.url)
    await button(page, 'Menü von Sofia Rossi').click()
    await page.getByRole('menuitem', { name: 'Teams' }).click()
    await heading(page, 'Teams')
    await page.getByRole('link', { name: 'Montage' }).click()
    await heading(page, 'Montage')
    await member(page, 'Tomasz Nowak').waitFor()
    t.equal(await page.locator('main button').count(), 0, 'no controls to change it')
    t.equal(await page.getByText(other.login.username).count(), 0, 'no login names')

    await other.page.goto(`${app.url}/teams/${team}`)
    await other.page.getByRole('heading', { name: 'Nur für Leitungen' }).waitFor()

    const admin = await app.newPerson({ isAdmin: true })
    await admin.page.goto(`${app.url}/verwaltung/benutzer/${await idOf(lead)}`)
    await admin.page.getByRole('link', { name: 'Montage' }).click()
    await heading(admin.page, 'Montage')
  })

  await t.test('an administrator releases a team from SCIM and removes a member that SCIM has left', async (t) => {
    const { token } = await post<{ token: string }>(app, '/api/auth/tokens', { name: 'Entra', scopes: ['scim'] })
    const person = await idOf(await app.newPerson({ name: 'Jonas Weber' }))
    const created = await fetch(`${app.url}/scim/v2/Groups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: JSON.stringify({ displayName: 'Außendienst', members: [{ value: String(person) }] }),
    })
    const { id } = (await created.json()) as { id: string }
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/teams/${id}`)
    await page.getByText('Vom Anbieter über SCIM verwaltet').waitFor()
    await page.getByText('Das endet, sobald die Person dort nicht mehr in der Gruppe ist.').waitFor()
    t.equal(await button(page, 'Jonas Weber entfernen').count(), 0)
    await button(page, 'Von SCIM lösen …').click()
    t.strictSame(await findBarriers(page), [])
    await dialog(page).getByRole('button', { name: 'Lösen', exact: true }).click()
    await page.getByText('Das Team „Außendienst“ ist von SCIM gelöst.').waitFor()
    await page.getByText('Vom Anbieter über SCIM verwaltet').waitFor({ state: 'detached' })
    t.equal(await button(page, 'Von SCIM lösen …').count(), 0)
    await button(page, 'Jonas Weber entfernen').click()
    await page.getByText('Noch niemand gehört zu diesem Team.').waitFor()
    t.strictSame(complaints, [])
  })
})
