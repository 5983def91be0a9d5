import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { SCRATCH } from '../../support/scratch.js'
import { CHROMIUM, isAt, isTooWide, openApp, PHONE, until } from '../support/app.js'

const PHONE_OPTIONS = { viewport: PHONE, hasTouch: true }

/**
 * Returns a sheet of about 1 MB with 300 sections, a table of 40 columns, a very long word and right-to-left text.
 */
function largeSheet(): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |\n`
  const columns = Array.from({ length: 40 }, (_, at) => `Spalte ${at}`)
  const sections = Array.from({ length: 300 }, (_, at) => {
    const text = 'Ein Satz, der **wichtig** ist und `code` enthält. '.repeat(65)
    return `## Abschnitt ${at}\n\n${text}\n\n\`\`\`bash\ngit switch -c zweig-${at}\n\`\`\`\n\n`
  })
  return [
    '---\nslug: gross\ntitle: Großer Zettel\ncategory: Probe\n---\n# Großer Zettel\n\n',
    '[Zum Inhalt](#inhalt) und [nach draußen](https://example.com)\n\n## Inhalt\n\n## Inhalt\n\n',
    `${'Donaudampfschifffahrtsgesellschaft'.repeat(30)}\n\nמימין לשמאל\n\n`,
    `${row(columns)}${row(columns.map(() => '---'))}${row(columns)}\n\n`,
    ...sections,
  ].join('')
}

t.test('cheat sheets', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const content = await mkdtemp(path.join(SCRATCH, 'svc-training-sheets-'))
  t.teardown(() => rm(content, { recursive: true, force: true }))
  await mkdir(path.join(content, 'cheatsheets'))
  await mkdir(path.join(content, 'decks'))
  const small = (slug: string, title: string, text: string) =>
    writeFile(
      path.join(content, `cheatsheets/${slug}.md`),
      `---\nslug: ${slug}\ntitle: ${title}\ncategory: Git\n---\n# ${title}\n\n${text}`,
    )
  const sections = ['Ablauf', 'Stash', 'Übersicht'].map((name) => `## ${name}\n\n${'Text.\n\n'.repeat(40)}`)
  await small('git-alltag', 'Git im Alltag', sections.join(''))
  await small('ports', 'Ports und Übersicht', '```bash\nss -tlnp\n```\n\n[Stash](../git/git-alltag.md#stash)\n')
  await writeFile(path.join(content, 'cheatsheets/gross.md'), largeSheet())
  const app = await openApp(t, { config: { contentDir: content } })

  await t.test('filters while typing and keeps the filter in the address', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(`${app.url}/spickzettel`)
    await page.getByLabel('Nach Titel filtern').fill('ubersicht')
    await page.getByRole('link', { name: 'Git im Alltag' }).waitFor({ state: 'detached' })
    await isAt(t, page, /\?q=ubersicht$/)
    await page.reload()
    await page.getByRole('link', { name: 'Ports und Übersicht' }).waitFor()
    t.equal(await page.getByLabel('Nach Titel filtern').inputValue(), 'ubersicht')
    t.equal(await page.getByRole('link', { name: 'Git im Alltag' }).count(), 0)
    await page.getByLabel('Nach Titel filtern').press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ports und Übersicht' }).waitFor()
    await isAt(t, page, /\/spickzettel\/ports$/)
    await page.goBack()
    await page.getByLabel('Kategorie').selectOption('Probe')
    await page.getByLabel('Nach Titel filtern').fill('gibt es nicht')
    await page.getByText('Kein Titel passt').waitFor()
    t.equal(await page.getByRole('link', { name: 'Überall suchen' }).getAttribute('href'), 'suche?q=gibt%20es%20nicht')
    t.strictSame(complaints, [])
  })

  await t.test('has a table of contents with full addresses and opens at a heading', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(`${app.url}/spickzettel/git-alltag`)
    await page.getByRole('navigation', { name: 'Inhalt' }).getByRole('link', { name: 'Stash' }).click()
    await isAt(t, page, `${app.url}/spickzettel/git-alltag#abschnitt-stash`)
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Stash', 'the focus moves to the heading')
    await page.goto(`${app.url}/hilfe`)
    await page.goto(`${app.url}/spickzettel/git-alltag#${encodeURIComponent('abschnitt-übersicht')}`)
    await until(page, 'scrollY > 1000')
    t.equal(await page.locator('h1').count(), 1, 'the title of the text is not announced twice')
    t.strictSame(complaints, [])
  })

  await t.test('links sheets by their file names', async () => {
    const { page } = await app.newPerson()
    await page.goto(`${app.url}/spickzettel/ports`)
    await page.getByRole('link', { name: 'Stash' }).click()
    await page.waitForURL(`${app.url}/spickzettel/git-alltag#abschnitt-stash`)
    await page.getByRole('heading', { name: 'Git im Alltag' }).waitFor()
    await until(page, 'document.activeElement.id === "abschnitt-stash"')
  })

  await t.test('folds the table of contents on a phone', async (t) => {
    const { page } = await app.newPerson(PHONE_OPTIONS)
    await page.goto(`${app.url}/spickzettel/git-alltag`)
    const link = page.getByRole('navigation').getByRole('link', { name: 'Übersicht' })
    await page.locator('summary', { hasText: 'Inhalt' }).waitFor()
    t.notOk(await link.isVisible())
    await page.locator('summary', { hasText: 'Inhalt' }).click()
    await link.click()
    await until(page, 'scrollY > 1000')
    t.notOk(await isTooWide(page))
  })

  await t.test('copies a block', async (t) => {
    const { page } = await app.newPerson({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${app.url}/spickzettel/ports`)
    await page.getByRole('button', { name: 'Kopieren' }).click()
    await page.getByRole('button', { name: 'Kopiert' }).waitFor()
    t.equal(await page.evaluate('navigator.clipboard.readText()'), 'ss -tlnp')
  })

  await t.test('stays usable with a huge sheet', async (t) => {
    const { page, complaints } = await app.newPerson(PHONE_OPTIONS)
    await page.goto(`${app.url}/spickzettel/gross`)
    await page.getByRole('heading', { name: 'Abschnitt 0', exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Abschnitt 299' }).waitFor({ state: 'attached' })
    t.equal(await page.locator('article h2').count(), 302)
    t.notOk(await isTooWide(page), 'tables and long words scroll or break by themselves')
    const ids = (await page.evaluate('[...document.querySelectorAll("[id]")].map(({ id }) => id)')) as string[]
    t.equal(new Set(ids).size, ids.length, 'each name is used once')
    await page.getByRole('link', { name: 'Zum Inhalt' }).last().click()
    await isAt(t, page, `${app.url}/spickzettel/gross#abschnitt-inhalt`)
    t.strictSame(complaints, [])
  })

  await t.test('prints the whole sheet in black on white, without the page around it', async (t) => {
    const { page } = await app.newPerson({ colorScheme: 'dark' })
    await page.goto(app.url)
    await page.evaluate('localStorage.setItem("training.look", JSON.stringify({ theme: "dark" }))')
    await page.goto(`${app.url}/spickzettel/git-alltag`)
    await page.getByRole('heading', { name: 'Stash' }).waitFor()
    await page.emulateMedia({ media: 'print' })
    const look = await page.evaluate(`({
      background: getComputedStyle(document.documentElement).backgroundColor,
      scheme: getComputedStyle(document.documentElement).colorScheme,
      seen: ['body header nav', 'nav', '.actions', '.back'].filter((at) => document.querySelector(at)?.checkVisibility()),
    })`)
    t.strictSame(look, { background: 'rgb(255, 255, 255)', scheme: 'light', seen: [] })
    const pdf = await page.pdf({ format: 'A4' })
    t.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  })

  await t.test('reports that a sheet was deleted', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(`${app.url}/spickzettel/git-uralt`)
    await page.getByText('Diesen Spickzettel gibt es nicht mehr').waitFor()
    t.equal(await page.getByRole('link', { name: 'Danach suchen' }).getAttribute('href'), 'suche?q=git%20uralt')
    t.strictSame(complaints, [])
  })
})
