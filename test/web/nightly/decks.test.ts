import { existsSync } from 'node:fs'
import t from 'tap'
import { changeFiles, writeContentFolder } from '../../support/content.js'
import { CHROMIUM, isAt, openApp } from '../support/app.js'
import { numberedDeck } from '../support/numbered-deck.js'

t.test('decks and cards', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const folder = await writeContentFolder(t, {
    'decks/alpha.md': numberedDeck('Deck alpha', 1, 12, 'Die ersten zwölf'),
    'decks/beta.md': numberedDeck('Deck beta', 21, 30),
  })
  const app = await openApp(t, { config: { contentDir: folder } })
  const { page, complaints } = await app.newPerson()
  const ask = async (path: string) => (await page.request.get(`${app.url}${path}`)).json()
  const rows = page.locator('summary', { hasText: 'Frage' })
  const toast = page.locator('[role=status]', { hasText: 'Karte' })

  await t.test('finds a deck and deactivates it', async (t) => {
    await page.goto(app.url)
    await page.getByRole('link', { name: 'Decks', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Deck beta' }).waitFor()
    await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'PUT' && response.ok()),
      page.getByRole('switch', { name: 'Mitlernen Deck beta' }).press('Space'),
    ])
    const { decks } = await ask('/api/review/decks')
    t.strictSame(
      decks.map((deck: { slug: string; active: boolean }) => [deck.slug, deck.active]),
      [
        ['alpha', true],
        ['beta', false],
      ],
    )
    const names = [
      ['Text für Anki (.txt)', /^svc_training_anki_.*\.txt$/],
      ['Anki (.apkg)', /^svc_training_anki_.*\.apkg$/],
    ] as const
    for (const [format, name] of names) {
      await page.getByRole('button', { name: 'Alle Karten exportieren' }).click()
      const choice = page.getByRole('menuitem', { name: format })
      const [download] = await Promise.all([page.waitForEvent('download'), choice.click()])
      t.match(download.suggestedFilename(), name)
    }
  })

  await t.test('keeps search and filter in the address across a reload', async (t) => {
    await page.getByRole('link', { name: 'Deck alpha', exact: true }).click()
    await page.getByRole('heading', { name: 'Deck alpha', exact: true }).waitFor()
    await page.getByText('Die ersten zwölf').waitFor()
    await rows.nth(11).waitFor()
    await page.getByRole('searchbox').fill('befehl-1')
    await page.waitForURL(/q=befehl-1/)
    await page.getByText('4 Karten', { exact: true }).waitFor()
    await page.getByRole('radio', { name: 'Neu' }).press('Space')
    await page.waitForURL(/zustand=neu/)
    await page.reload()
    await page.getByText('4 Karten', { exact: true }).waitFor()
    t.equal(await page.getByRole('searchbox').inputValue(), 'befehl-1')
    t.ok(await page.getByRole('radio', { name: 'Neu' }).isChecked())
    await page.getByRole('searchbox').fill('gibt es nicht')
    await page.getByRole('heading', { name: 'Keine Karte gefunden' }).waitFor()
    await page.getByRole('button', { name: 'Alle Karten zeigen' }).click()
    await rows.nth(11).waitFor()
    await isAt(t, page, '', { read: ({ search }) => search })
  })

  await t.test('renders an answer only when it is opened', async (t) => {
    t.equal(await page.getByText('Antwort 2', { exact: true }).count(), 0)
    await rows.nth(1).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Antwort 2', { exact: true }).waitFor()
  })

  await t.test('suspends a card and undoes that', async (t) => {
    const isSuspended = async () => (await ask('/api/review/cards?deck=alpha&state=suspended')).cards.length === 1
    await page.getByRole('button', { name: 'Aussetzen' }).click()
    await rows.nth(1).getByText('ausgesetzt').waitFor()
    t.ok(await isSuspended())
    await toast.getByRole('button', { name: 'Zurücknehmen' }).click()
    await rows.nth(1).getByText('neu', { exact: true }).waitFor()
    t.notOk(await isSuspended())
  })

  await t.test('shows history and forecast of a card', async (t) => {
    const { cards } = await ask('/api/review/cards?deck=alpha')
    const { card_id } = cards[1]
    await page.request.post(`${app.url}/api/review`, { data: { card_id, rating: 'easy' } })
    await page.getByRole('link', { name: 'Verlauf und Vorschau' }).click()
    await page.waitForURL(new RegExp(`/karten/${card_id}$`))
    await page.reload()
    await page.getByRole('heading', { name: 'Wenn du sie jetzt bewertest' }).waitFor()
    t.match(await page.locator('dl').first().textContent(), /Nochmal\s*heute\s*Schwer.*Gut.*Leicht/)
    await page.locator('li', { hasText: 'Leicht' }).waitFor()
    t.equal(await page.getByText('Antwort 2', { exact: true }).count(), 0, 'its answer is collapsed')

    await page.getByRole('button', { name: 'Zurücksetzen' }).click()
    const dialog = page.getByRole('dialog', { name: 'Karte zurücksetzen?' })
    await dialog.getByText('lässt sich nicht zurücknehmen').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    t.equal((await ask(`/api/review/cards/${card_id}`)).card.state, 'learned')
    await page.getByRole('button', { name: 'Zurücksetzen' }).click()
    await dialog.getByRole('button', { name: 'Zurücksetzen' }).click()
    await page.getByText('Diese Karte hast du noch nicht gelernt.').waitFor()
    await page.locator('li', { hasText: 'Zurückgesetzt' }).waitFor()
    t.equal((await ask(`/api/review/cards/${card_id}`)).card.state, 'new')
  })

  await t.test('says that a card is archived', async (t) => {
    await changeFiles(folder, { 'decks/alpha.md': numberedDeck('Deck alpha', 3, 12) })
    t.equal((await app.asAdmin('POST', '/api/admin/import')).status, 200)
    await page.reload()
    await page.getByText('Diese Karte ist archiviert').waitFor()
    t.equal(await page.getByRole('button', { name: 'Aussetzen' }).count(), 0)
  })

  await t.test('shows links at unknown addresses', async (t) => {
    app.expectMissing(/\/api\//)
    for (const [path, heading] of [
      ['decks/gibt-es-nicht', 'Dieses Deck gibt es nicht'],
      ['karten/999999', 'Diese Karte gibt es nicht'],
      ['karten/abc', 'Diese Karte gibt es nicht'],
    ]) {
      await page.goto(`${app.url}/${path}`)
      await page.getByRole('heading', { name: heading as string }).waitFor()
    }
    t.strictSame(complaints, [])
  })
})
