import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import t from 'tap'
import { insertToken } from '../../db/queries/accounts/tokens.js'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { CHROMIUM, DESK, findBarriers, isAt, openApp, PHONE } from './support/app.js'
import { createGate } from './support/gate.js'

const deck = (slug: string, cards: number) =>
  deckFile(
    `Deck ${slug}`,
    Array.from({ length: cards }, (_, at) => ({ id: `${slug}-${at}` })),
    { slug },
  )

const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')

t.test('administration', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const content = await writeContentFolder(t, { 'decks/alt.md': deck('alt', 14), 'decks/neu.md': deck('neu', 3) })
  const app = await openApp(t, { config: { contentDir: content } })
  const change = (files: Record<string, string | null>) => changeFiles(content, files)

  const logIn = (username: string, password: string) =>
    fetch(`${app.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })

  async function addServiceToken(username: string, name: string): Promise<void> {
    const [user] = await listUsers(username)
    const user_id = user?.id ?? 0
    const token_hash = randomBytes(32)
    const { id } = await insertToken(app.db, { user_id, name, token_hash, lifetimeDays: null, scopes: ['read'] })
    await app.asAdmin('PATCH', `/api/accounts/${user_id}/tokens/${id}`, { is_service: true })
  }

  async function listUsers(q: string) {
    return ((await (await app.asAdmin('GET', `/api/accounts?q=${q}`)).json()) as { users: { id: number }[] }).users
  }

  // This administrator works on all pages that need no other one.
  const { page, complaints } = await app.newPerson({ isAdmin: true })

  await t.test('moves the focus to the next step when one of „Einrichten“ is left out', async (t) => {
    await page.goto(`${app.url}/`)
    const steps = page.getByRole('button', { name: /weglassen$/ })
    await steps.first().waitFor()
    const focused = () =>
      page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id")
    while ((await steps.count()) > 0) {
      const names = await steps.evaluateAll((buttons) => buttons.map((one) => one.getAttribute('aria-label')))
      const [left, next = names.at(-2) ?? 'inhalt'] = names.length % 2 === 0 ? names : names.slice(-1)
      await button(page, left as string).press('Enter')
      await button(page, left as string).waitFor({ state: 'detached' })
      await page.waitForFunction('document.activeElement !== document.body')
      t.equal(await focused(), next)
    }
  })

  await t.test('changes people by a list, and disables those who are missing after a confirmation', async (t) => {
    const users = ['liste-a', 'liste-b', 'liste-c'].map((username) => ({ username, personnel_number: username }))
    t.equal((await app.asAdmin('POST', '/api/accounts/bulk', { users })).status, 200)
    await addServiceToken('liste-b', 'Nachtlauf')
    await addServiceToken('liste-c', 'Zeiterfassung')
    await page.goto(`${app.url}/verwaltung/benutzer/import`)
    await page.getByLabel('Bestehende ändern').check()
    const list = page.getByLabel('Oder hier einfügen')
    await list.fill('Personalnummer;Vorname;Nachname;E-Mail\nliste-a;Änne;Groß;aenne@example.org\nliste-x;;;\n')
    await button(page, 'Liste prüfen').click()
    await page.getByText('1 Fehler in der Liste; es ist nichts geändert').waitFor()
    await page.getByLabel('Zeile 3', { exact: true }).fill('liste-b;;;')
    await button(page, 'Erneut prüfen').click()
    await page.getByRole('cell', { name: 'Änne Groß' }).waitFor()
    await button(page, '2 Änderungen speichern').waitFor()
    await page.getByText('Wer fehlt').click()
    await page.getByRole('listitem').filter({ hasText: 'liste-c' }).waitFor()
    const missing = page.getByRole('switch', { name: /deaktivieren, die in der Liste fehl/ })
    const [, number = ''] =
      /(\d+) Person/.exec((await page.locator('label', { hasText: 'deaktivieren' }).textContent()) ?? '') ?? []
    const ending = page.getByRole('status').filter({ hasText: 'Diese Dienst-Token enden mit ihrem Konto' })
    t.equal(await ending.count(), 0, 'nobody is disabled yet')
    await missing.check()
    t.strictSame(await ending.getByRole('listitem').allTextContents(), ['„Zeiterfassung“ von liste-c'])
    t.strictSame(await findBarriers(page), [])
    const save = button(page, `${Number(number) + 2} Änderungen speichern`)
    t.equal(await save.isDisabled(), true)
    await page.getByLabel('Wie viele werden deaktiviert').fill(number)
    await save.click()
    await page.getByText(`${Number(number) + 2} Änderungen gespeichert.`).waitFor()
    const { users: found } = (await (await app.asAdmin('GET', '/api/accounts?q=liste-')).json()) as { users: object[] }
    t.match(found, [
      { display_name: 'Änne Groß', email: 'aenne@example.org', disabled_on: null },
      { disabled_on: null },
      { disabled_on: String },
    ])
    t.strictSame(await ending.getByRole('listitem').allTextContents(), ['„Zeiterfassung“ von liste-c'])

    await list.fill('Benutzername;Deaktiviert ab\nliste-b;2999-12-31\n')
    await ending.waitFor({ state: 'detached' })
    await button(page, 'Liste prüfen').click()
    const saveDay = button(page, '1 Änderung speichern')
    await saveDay.waitFor()
    t.strictSame(await ending.getByRole('listitem').allTextContents(), ['„Nachtlauf“ von liste-b'])
    await saveDay.click()
    await saveDay.waitFor({ state: 'detached' })
    t.strictSame(await ending.getByRole('listitem').allTextContents(), ['„Nachtlauf“ von liste-b'], 'on that day')
    t.equal(await page.getByText('gelten nicht mehr').count(), 0)
  })

  await t.test('creates a token of SCIM without an end, and shows what it is for', async (t) => {
    const { page, complaints, login } = await app.newPerson({ isAdmin: true, name: 'Anbindung' })
    await page.goto(`${app.url}/konto`)
    const form = page.getByRole('dialog', { name: 'Neuer Token' })
    const [purpose, lifetime] = [form.getByLabel('Zweck'), form.getByLabel('Gültig')]
    const chosen = async () => (await lifetime.locator('option:checked').textContent())?.trim()
    await button(page, 'Neuer Token').click()
    await purpose.selectOption('scim')
    t.equal(await chosen(), 'Unbegrenzt')
    await purpose.selectOption({ label: 'Eigene Programme' })
    t.equal(await chosen(), 'Ein Jahr')
    await purpose.selectOption('scim')
    t.strictSame(await findBarriers(page), [])
    await form.getByLabel('Name').fill('Entra')
    await button(page, 'Anlegen').click()
    await page.getByLabel('Token „Entra“').waitFor()
    await button(page, 'Fertig').click()
    await button(page, 'Neuer Token').click()
    t.equal(await chosen(), 'Ein Jahr', 'the next token')
    await form.getByLabel('Name').fill('Import')
    await button(page, 'Anlegen').click()
    await button(page, 'Fertig').click()

    const [user] = await listUsers(login.username)
    const { tokens } = (await (await app.asAdmin('GET', `/api/accounts/${user?.id}/tokens`)).json()) as {
      tokens: { name: string; expires_at: string | null; scopes: string[] }[]
    }
    t.match(tokens, [
      { name: 'Entra', expires_at: null, scopes: ['scim'] },
      { name: 'Import', expires_at: String },
    ])
    const names = page.locator('p', { has: page.getByText(/^(Entra|Import)$/) })
    for (const address of ['konto', `verwaltung/benutzer/${user?.id}`]) {
      await page.goto(`${app.url}/${address}`)
      await page.getByRole('button', { name: 'Token Entra widerrufen' }).waitFor()
      t.strictSame(
        (await names.allTextContents()).map((text) => text.trim().split(/\s+/)),
        [['Entra', 'SCIM'], ['Import']],
        address,
      )
    }
    await button(page, 'Konto deaktivieren …').click()
    await dialog(page).getByText('Auch Dienst-Token enden').getByText('„Entra“').waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('creates an account, changes it, sets a password and deletes it', async (t) => {
    await page.goto(`${app.url}/verwaltung/benutzer`)
    await button(page, 'Benutzer anlegen').click()
    await dialog(page).getByLabel('Benutzername').fill(app.admin.username)
    await button(page, 'Anlegen').click()
    await dialog(page).getByText('Benutzername existiert bereits').waitFor()
    await dialog(page).getByLabel('Benutzername').fill('erika')
    await dialog(page).getByLabel('Anzeigename').fill('Frieda Muster')
    await dialog(page).getByLabel('Prüfer', { exact: true }).check()
    await dialog(page).getByLabel('Prüfer bis').fill('2999-12-31')
    await button(page, 'Anlegen').click()
    const secret = dialog(page).getByLabel('Passwort von erika')
    const first = await secret.inputValue()
    const response = await logIn('erika', first)
    t.match(await response.json(), { must_change_password: true }, 'with the password that was shown once')
    await button(page, 'Fertig').click()

    await page.getByRole('searchbox', { name: 'Benutzer suchen' }).fill('frieda m')
    await page.waitForURL(/q=frieda/)
    await page.reload()
    await page.getByText('1 Treffer').first().waitFor()
    await page.getByRole('link', { name: 'Frieda Muster' }).click()
    await page.getByRole('heading', { level: 1, name: 'Frieda Muster' }).waitFor()
    t.equal(await page.getByLabel('Prüfer bis').inputValue(), '2999-12-31')
    await page.getByLabel('Anzeigename').fill('Frieda Beispiel')
    await page.getByLabel('Muss das Passwort ändern').uncheck()
    await button(page, 'Speichern').click()
    await page.getByRole('heading', { level: 1, name: 'Frieda Beispiel' }).waitFor()
    t.match(await (await logIn('erika', first)).json(), { must_change_password: false })
    await page.reload()
    await button(page, 'Überall abmelden').click()
    await page.getByText('Nirgends angemeldet').waitFor()

    await button(page, 'Neues Passwort').click()
    await button(page, 'Neues Passwort setzen').click()
    const second = await dialog(page).getByLabel('Passwort von erika').inputValue()
    t.match(second, /^(\w{4}-){3}\w{4}$/)
    await button(page, 'Fertig').click()
    t.equal((await logIn('erika', first)).status, 401)
    t.match(await (await logIn('erika', second)).json(), { must_change_password: true })

    await button(page, 'Konto deaktivieren …').click()
    await button(page, 'Deaktivieren').click()
    await page.getByText('Deaktiviert seit').waitFor()
    await page.getByText('deaktiviert', { exact: true }).waitFor()
    t.equal((await logIn('erika', second)).status, 401)
    await button(page, 'Tag ändern …').click()
    await dialog(page).getByLabel('Ab wann').fill('2999-12-31')
    await button(page, 'Deaktivieren').click()
    await page.getByText('Wird deaktiviert ab').waitFor()
    t.equal((await logIn('erika', second)).status, 200)
    await button(page, 'Doch nicht deaktivieren').click()
    await button(page, 'Konto deaktivieren …').waitFor()

    await button(page, 'Konto löschen …').click()
    await dialog(page).getByRole('textbox').fill('erik')
    await button(page, 'Endgültig löschen').click()
    await dialog(page).getByText('Das ist nicht der Benutzername').waitFor()
    await dialog(page).getByRole('textbox').fill('erika')
    await button(page, 'Endgültig löschen').click()
    await page.getByText('Das Konto „erika“ ist gelöscht').waitFor()
    await isAt(t, page, '/verwaltung/benutzer', { read: ({ pathname }) => pathname })
    t.equal((await logIn('erika', second)).status, 401)
    t.strictSame(complaints, [])
  })

  await t.test('keeps the buttons of an account in place while its lists load', async (t) => {
    for (const viewport of [PHONE, DESK]) {
      await page.setViewportSize(viewport)
      const lists = ['methods', 'sessions', 'tokens'].map((name) => ({
        address: `**/api/**/${name}`,
        gate: createGate(),
      }))
      for (const { address, gate } of lists) {
        await page.route(address, async (route) => {
          await gate.opened
          await route.continue()
        })
      }
      await page.goto(`${app.url}/verwaltung/benutzer/1`)
      const button = (name: string) => page.getByRole('button', { name, exact: true })
      const names = ['Konto deaktivieren …', 'Konto löschen …']
      const places = () => Promise.all(names.map((name) => button(name).boundingBox()))
      const last = lists.pop()
      for (const { address, gate } of lists) {
        const answered = page.waitForResponse(address)
        gate.open()
        await (await answered).finished()
        await page.evaluate(TWO_FRAMES)
        t.equal(await button('Konto löschen …').count(), 0, `${address}, ${viewport.width}: not before the last list`)
      }
      last?.gate.open()
      for (const name of names) await button(name).waitFor()
      const before = await places()
      await page.getByText('Keine.', { exact: true }).waitFor()
      await page.evaluate(TWO_FRAMES)
      t.strictSame(await places(), before, `${viewport.width}`)
      await page.unrouteAll()
    }
    await page.setViewportSize(DESK)
  })

  await t.test("shows the service's message about the own account", async (t) => {
    const { page, login, complaints } = await app.newPerson({ isAdmin: true, name: 'Selbst' })
    const { users } = (await (await app.asAdmin('GET', `/api/accounts?q=${login.username}`)).json()) as {
      users: { id: number }[]
    }
    await page.goto(`${app.url}/verwaltung/benutzer/${users[0]?.id}`)
    await button(page, 'Konto löschen …').click()
    await dialog(page).getByRole('textbox').fill(login.username)
    await button(page, 'Endgültig löschen').click()
    await dialog(page).getByText('Eigenen Account kann man nicht loeschen').waitFor()
    app.expectMissing(/accounts\/99999/)
    await page.goto(`${app.url}/verwaltung/benutzer/99999`)
    await page.getByText('Dieses Konto gibt es nicht').waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('redirects from the former addresses of moved pages', async (t) => {
    for (const [before, after] of [
      ['verwaltung/inhalte', 'inhalte/ordner'],
      ['verwaltung/inhalte/hochladen?quelle=3', 'inhalte/hochladen?quelle=3'],
      ['verwaltung/meldungen', 'inhalte/meldungen'],
    ]) {
      await page.goto(`${app.url}/${before}`)
      await isAt(t, page, `${app.url}/${after}`)
    }
  })

  await t.test('is closed to learners', async (t) => {
    const { page } = await app.newPerson()
    await page.goto(`${app.url}/verwaltung/benutzer`)
    await page.getByText('Diese Seite gehört zur Verwaltung').waitFor()
    t.pass()
  })

  await t.test('creates many accounts from a list after a preview', async (t) => {
    await page.goto(`${app.url}/verwaltung/benutzer/import`)
    const template = page.waitForEvent('download')
    await button(page, 'Vorlage herunterladen').click()
    t.match(
      await readFile(await (await template).path(), 'utf8'),
      /^\ufeffBenutzername;Anzeigename;Personalnummer;E-Mail;Teams;/,
    )

    const list = page.getByLabel('Oder hier einfügen')
    await list.fill('Benutzername;Name\nviele-1;Jürgen Größer\nviele-1;Noch einer\n')
    await button(page, 'Liste prüfen').click()
    await page.getByText('Der Benutzername steht schon in Zeile 2').waitFor()
    t.match(await (await app.asAdmin('GET', '/api/accounts?q=viele')).json(), { total: 0 }, 'no user is created')

    await list.fill('')
    await page.locator('input[type=file]').setInputFiles({
      name: 'liste.csv',
      mimeType: 'text/csv',
      // Uses the encoding of CSV files that Excel saves on Windows.
      buffer: Buffer.from(
        'Benutzername;Name;Passwort\r\nviele-1;Jürgen Größer;\r\nviele-2;Aylin;vier-zufaellige\r\n',
        'latin1',
      ),
    })
    await button(page, 'Liste prüfen').click()
    await page.getByRole('cell', { name: 'Jürgen Größer' }).waitFor()
    await button(page, '2 Konten anlegen').click()
    await page.getByText('aus der Liste').waitFor()
    const kept = page.waitForEvent('download')
    await button(page, 'Als CSV herunterladen').click()
    const [, line = ''] = (await readFile(await (await kept).path(), 'utf8')).split('\r\n')
    const [username = '', , password = ''] = line.split(';')
    t.match(await (await logIn(username, password)).json(), { must_change_password: true })
    t.strictSame(complaints, [])
  })

  await t.test('checks the content, shows its faults and asks before archiving much', async (t) => {
    await page.goto(`${app.url}/inhalte/ordner`)
    await page.getByText('beim Start des Dienstes').waitFor()

    await change({ 'decks/neu.md': '---\nslug: neu\nname: Deck neu\n---\n## Eine Frage ohne Antwort?\n' })
    await button(page, 'Dateien prüfen').click()
    await page
      .getByText(/^decks\/neu\.md:\d+/)
      .first()
      .waitFor()

    await change({ 'decks/neu.md': deck('neu', 12) })
    await button(page, 'Noch einmal prüfen').click()
    await button(page, 'Jetzt einlesen').click()
    await page.getByText('Die Inhalte sind eingelesen.').waitFor()
    await page.getByText('von Erika Muster').waitFor()
    await page.getByText('2 Decks, 26 Karten').waitFor()

    await change({ 'decks/alt.md': null })
    await button(page, 'Noch einmal prüfen').click()
    await page.getByText('Es würden 14 von 26 Karten archiviert').first().waitFor()
    await button(page, 'Trotzdem einlesen …').click()
    await dialog(page).getByRole('button', { name: 'Trotzdem einlesen' }).click()
    await page.getByText('Die Inhalte sind eingelesen.').waitFor()
    await page.getByRole('cell', { name: 'Deck alt' }).waitFor()

    // If the folder changes after the check, only the import detects that it needs a confirmation. The page then asks
    // for the confirmation as well.
    await change({ 'decks/alt.md': deck('alt', 15) })
    await button(page, 'Noch einmal prüfen').click()
    await button(page, 'Jetzt einlesen').waitFor()
    await change({ 'decks/alt.md': null })
    await change({ 'decks/neu.md': deck('anders', 12) })
    await button(page, 'Jetzt einlesen').click()
    await dialog(page).waitFor()
    await dialog(page).getByRole('button', { name: 'Nichts ändern' }).click()
    await page.getByText('abgelehnt', { exact: true }).waitFor()
    await page.getByText('Der Import würde').waitFor()
    t.equal(await page.getByText('force=true').count(), 0, 'the hint for scripts is hidden')
    await page.goto(`${app.url}/verwaltung`)
    await page.getByText('Die Inhalte ließen sich zuletzt nicht einlesen').waitFor()
    t.strictSame(complaints, [])

    await change({ 'decks/neu.md': deck('neu', 12), 'decks/alt.md': deck('alt', 14) })
    await page.goto(`${app.url}/inhalte/ordner`)
    await button(page, 'Dateien prüfen').click()
    const gate = createGate()
    await page.route('**/api/admin/import*', async (route) => {
      await gate.opened
      await route.continue()
    })
    await button(page, 'Jetzt einlesen').click()
    await page.getByText('Die Inhalte werden eingelesen.').waitFor()
    await page.getByRole('navigation', { name: 'Inhalte' }).getByRole('link', { name: 'Meldungen' }).click()
    await page.getByRole('heading', { level: 1, name: 'Meldungen' }).waitFor()
    gate.open()
    await page.getByText('Die Inhalte sind eingelesen.').waitFor()
    await button(page, 'Ansehen').click()
    await page.getByText('Was sich geändert hat').waitFor()

    // Simulates a timeout of a proxy: the request fails, but the service imports, and the page waits for the outcome.
    await change({ 'decks/neu.md': deck('neu', 13) })
    await page.unroute('**/api/admin/import*')
    await page.route('**/api/admin/import*', (route) => route.abort())
    await button(page, 'Noch einmal prüfen').click()
    await button(page, 'Jetzt einlesen').click()
    await page.getByText('Das Einlesen läuft im Dienst.').waitFor()
    t.equal((await app.asAdmin('POST', '/api/admin/import')).status, 200)
    await page.getByText('Die Inhalte sind eingelesen.').waitFor()
    t.match(complaints.splice(0), [/ERR_FAILED/], 'the failed request')
  })

  await t.test('settles a report and undoes that', async (t) => {
    const learner = await app.newPerson()
    const queue = await (await learner.page.request.get(`${app.url}/api/review/queue?limit=1`)).json()
    const { card_id } = queue.cards[0]
    const data = { text: 'Da fehlt ein Wort' }
    await learner.page.request.post(`${app.url}/api/review/cards/${card_id}/reports`, { data })

    await page.goto(`${app.url}/inhalte/meldungen`)
    await page.getByText('Da fehlt ein Wort').waitFor()
    t.equal(await page.locator(`a[href="karten/${card_id}"]`).count(), 1)
    t.match(await page.locator('code').textContent(), /^decks\/\w+\.md:\d+$/)
    await button(page, 'Erledigt').click()
    await page.getByText('Keine offenen Meldungen').waitFor()
    await button(page, 'Zurücknehmen').click()
    await page.getByText('Da fehlt ein Wort').waitFor()
    await button(page, 'Erledigt').click()
    await page.getByText('Keine offenen Meldungen').waitFor()
    await page.getByRole('radio', { name: 'Erledigt' }).check()
    await button(page, 'Wieder öffnen').waitFor()
    await page.reload()
    await button(page, 'Wieder öffnen').waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('shows the audit trail and keeps its filter in the address', async (t) => {
    await page.goto(`${app.url}/verwaltung/protokoll`)
    const list = page.getByText('2 Benutzer angelegt', { exact: true })
    await list.click()
    await page.getByText('Benutzer „viele-1“ angelegt').waitFor()
    await page.getByLabel('Was').selectOption({ label: 'Benutzer gelöscht' })
    await list.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Benutzer „erika“ gelöscht').waitFor()
    t.equal(await page.locator('tbody tr').count(), 1)
    await page.getByLabel('Wer').fill('niemand')
    await page.getByText('Nichts gefunden').waitFor()
    await button(page, 'Alles zeigen').click()
    await list.waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('shows which personal data are stored, and the relevant settings', async (t) => {
    await page.goto(`${app.url}/verwaltung`)
    await page.getByRole('navigation', { name: 'Verwaltung' }).getByRole('link', { name: 'Datenschutz' }).click()
    await page.getByText('90 Tage nach der Auswertung gelöscht').waitFor()
    await page.getByRole('heading', { name: 'Wer was sieht' }).waitFor()
    await page.getByRole('cell', { name: 'users: last_seen_on' }).waitFor()
    t.strictSame(complaints, [])
  })

  await t.test('shows its navigation in one line on a small phone with the focus visible', async (t) => {
    await page.setViewportSize({ width: 320, height: 700 })
    await page.goto(`${app.url}/verwaltung/datenschutz`)
    const parts = page.getByRole('navigation', { name: 'Verwaltung' }).getByRole('link')
    await parts.last().waitFor()
    const places = () =>
      page.evaluate<{ top: number; isSeen: boolean; isHere: boolean }[]>(`
        [...document.querySelectorAll('nav[aria-label=Verwaltung] a')].map((link) => {
          const { top, left, right } = link.getBoundingClientRect()
          return { top, isSeen: left >= 0 && right <= innerWidth, isHere: link === document.activeElement }
        })`)
    const found = await places()
    t.equal(found.length, 9)
    t.equal(new Set(found.map(({ top }) => top)).size, 1, 'one line')
    t.equal(found.at(-1)?.isSeen, true, 'the link of the current page is visible')
    await parts.first().focus()
    for (let at = 0; at < found.length; at++) {
      t.match((await places())[at], { isSeen: true, isHere: true })
      await page.keyboard.press('Tab')
    }
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  })
})
