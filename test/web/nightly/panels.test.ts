import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { deckFile } from '../../support/content.js'
import { zipOf } from '../../support/upload-packages.js'
import { CHROMIUM, findBarriers, openApp, type Person } from '../support/app.js'
import { post, writeSome } from '../support/written.js'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')

interface Card {
  id: number
  question: string
  answer: string
  version: number
  deck: { slug: string }
}

t.test('panels that resolve conflicting texts', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const { source, cards } = await writeSome(app)
  const person = await app.newPerson({ isAdmin: true })
  const { page } = person
  const cardOf = async (id: number) =>
    (await post<{ card: Card }>(app, `/api/content/cards/${id}`, undefined, 'GET')).card

  await t.test('an upload lists edited cards, and uses the text chosen for each', async (t) => {
    const file = (answers: Record<string, string>) =>
      `Id;Frage;Antwort\n${Object.entries(answers)
        .map(([id, answer]) => `${id};Was ist ${id}?;${answer}\n`)
        .join('')}`
    const first = await upload(person, 'name=Protokolle.csv', file({ arp: 'Alt', dns: 'Alt', ntp: 'Alt' }))
    const listed = await post<{ cards: Card[] }>(app, '/api/content/cards?deck=protokolle', undefined, 'GET')
    const idOf = (name: string) => listed.cards.find(({ question }) => question.includes(name))?.id ?? 0
    for (const name of ['arp', 'dns']) {
      await post(app, `/api/content/cards/${idOf(name)}`, { version: 1, answer: `Hier ${name}` }, 'PATCH')
    }
    await page.goto(`${app.url}/inhalte/hochladen?quelle=${first.source.id}`)
    await page.locator('input[type=file]').setInputFiles({
      name: 'Protokolle.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(file({ arp: 'Datei arp', dns: 'Datei dns', ntp: 'Datei ntp' })),
    })
    await button(page, 'Ansehen, was geschieht').click()
    await page.getByText('2 Inhalte wurden im Browser geändert').waitFor()
    t.strictSame(await findBarriers(page), [])
    const choice = page.getByRole('listitem').filter({ hasText: 'Datei dns' }).getByRole('switch')
    t.equal(await choice.isChecked(), false, 'the edited text is kept by default')
    await choice.check()
    await page.getByRole('button', { name: 'Jetzt übernehmen' }).click()
    await page.getByText('ist übernommen').waitFor()
    t.match(await cardOf(idOf('arp')), { answer: 'Hier arp', version: 2 })
    t.match(await cardOf(idOf('dns')), { answer: 'Datei dns', version: 3 })
    t.match(await cardOf(idOf('ntp')), { answer: 'Datei ntp', version: 2 })
  })

  await t.test('an upload lists an edited test, and uses the text chosen for all', async (t) => {
    const ports = deckFile('Ports', [{ id: 'ssh', answer: '22\n\n- [x] 22\n- [ ] 23\n- [ ] 24' }])
    const archive = (name: string) =>
      zipOf({ 'decks/ports.md': ports, 'tests/ports.md': `---\nname: ${name}\nsections:\n  - { deck: ports }\n---\n` })
    const first = await upload(person, 'name=Ports.zip', await archive('Ports'))
    const { slug } = (
      await post<{ tests: { slug: string }[] }>(app, `/api/content/tests?source=${first.source.id}`, undefined, 'GET')
    ).tests[0] as { slug: string }
    const body = { version: 1, name: 'Ports hier', sections: [{ deck: 'ports' }] }
    await post(app, `/api/content/tests/${slug}`, body, 'PUT')
    await page.goto(`${app.url}/inhalte/hochladen?quelle=${first.source.id}`)
    await page.locator('input[type=file]').setInputFiles({
      name: 'Ports.zip',
      mimeType: 'application/zip',
      buffer: await archive('Ports der Datei'),
    })
    await button(page, 'Ansehen, was geschieht').click()
    await page.getByText('1 Inhalt wurde im Browser geändert').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Test „' }).getByText('Ports der Datei').waitFor()
    t.strictSame(await findBarriers(page), [])
    const theirs = page.getByRole('radio', { name: 'Der aus der Datei' })
    const checked = page.waitForResponse((response) => response.url().includes('keep=theirs'))
    await theirs.check()
    await checked
    await page.getByRole('button', { name: 'Jetzt übernehmen', disabled: false }).click()
    await page.getByText('ist übernommen').waitFor()
    t.match(await post(app, `/api/content/tests/${slug}`, undefined, 'GET'), { test: { name: 'Ports der Datei' } })
  })

  await t.test('an administrator takes a deck of the folder into a source', async (t) => {
    await page.goto(`${app.url}/inhalte/decks/git`)
    await button(page, 'Im Browser pflegen …').click()
    await dialog(page).getByText('Die Datei im Ordner wird nicht mehr gelesen').waitFor()
    t.strictSame(await findBarriers(page), [])
    await dialog(page).getByLabel('Quelle').selectOption({ label: 'Netzwerk' })
    await button(page, 'Im Browser pflegen').click()
    await page.getByText('wird jetzt hier gepflegt').waitFor()
    await page.getByRole('link', { name: 'Neue Karte' }).first().waitFor()
    const { decks } = await post<{ decks: { slug: string; source: { id: number } | null }[] }>(
      ...([app, '/api/content/decks', undefined, 'GET'] as const),
    )
    t.match(
      decks.find(({ slug }) => slug === 'git'),
      { source: { id: source } },
    )
  })

  await t.test('an earlier version is compared and restored as the newest one', async (t) => {
    const id = cards[0] ?? 0
    const { answer } = await cardOf(id)
    await post(app, `/api/content/cards/${id}`, { version: 1, answer: 'Schlechter' }, 'PATCH')
    await page.goto(`${app.url}/inhalte/karten/${id}`)
    const restore = button(page, 'Fassung 1 wiederherstellen')
    await restore.waitFor()
    await page.getByRole('heading', { name: 'Fassungen' }).waitFor()
    t.match(await page.locator('ins').last().textContent(), /Schlechter/)
    t.strictSame(await findBarriers(page), [])
    await restore.click()
    await page.getByText('Fassung 1 gilt wieder.').waitFor()
    t.match(await cardOf(id), { answer, version: 3 })
    t.equal(await page.getByRole('form').getByLabel('Antwort', { exact: true }).inputValue(), answer)
  })

  await t.test('an archived source is restored with its cards', async (t) => {
    await page.goto(`${app.url}/inhalte/quellen/${source}`)
    await page.getByRole('heading', { level: 1, name: 'Netzwerk' }).waitFor()
    t.equal((await app.asAdmin('DELETE', `/api/content/sources/${source}`)).status, 200)
    await page.goto(`${app.url}/inhalte`)
    await page.getByRole('button', { name: 'Mehr zu Netzwerk' }).click()
    await page.getByRole('menuitem', { name: 'Wiederherstellen' }).click()
    await page.getByText('ist wieder da').waitFor()
    const { status } = await app.asAdmin('GET', `/api/decks/netzwerk`)
    t.equal(status, 200)
  })
  t.strictSame(person.complaints, [])
})

async function upload(
  { page }: Person,
  parameters: string,
  file: string | Buffer,
): Promise<{ source: { id: number } }> {
  const address = new URL(`/api/content/imports?${parameters}`, page.url()).href
  const headers = { 'content-type': 'application/octet-stream' }
  const response = await page.request.post(address, { data: Buffer.from(file), headers })
  if (!response.ok()) throw new Error(await response.text())
  return await response.json()
}
