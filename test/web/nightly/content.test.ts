import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { deckFile, writeContentFolder } from '../../support/content.js'
import { makePackage } from '../../support/make-package.js'
import { gifOf } from '../../support/pictures.js'
import { CHROMIUM, findBarriers, isTooWide, KEPT_PICTURES, openApp, PHONE, until } from '../support/app.js'
import { untilReady } from '../support/keys.js'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.locator('dialog[open]')
const picture = (page: Page) => page.locator('.picture:visible > img').first()
const isThere = `[...document.querySelectorAll('.picture > img')].some((image) =>
  image.checkVisibility() && image.complete && image.naturalWidth > 0)`

const csv = (text: string, name = 'netz.csv') => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

const HOSTILE = {
  name: '"><img src=x onerror=alert(1)>.gif',
  alt: '"&gt;&lt;script&gt;alert(1)&lt;/script&gt;',
}

t.test('uploading and exporting content', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const folder = await writeContentFolder(t, { 'decks/ordner.md': deckFile('Aus dem Ordner', [{ id: 'eins' }]) })
  const app = await openApp(t, { config: { contentDir: folder } })
  const admin = await app.newPerson({ isAdmin: true })
  const { page } = admin
  const choose = (file: { name: string; mimeType: string; buffer: Buffer }) =>
    page.locator('input[type=file]').setInputFiles(file)
  const look = () => button(page, 'Ansehen, was geschieht').click()

  await t.test('corrects a table with a fault, previews, imports and updates it', async (t) => {
    await page.goto(`${app.url}/inhalte`)
    await page.getByText('Noch keine eigene Quelle').waitFor()
    await page.getByRole('link', { name: 'Hochladen', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Hochladen' }).waitFor()

    await choose(csv('Frage;Antwort;Level;Deck;Id\nWas ist TCP?;"Ein Protokoll;grundlagen;Netz;tcp\n'))
    await look()
    await page.getByText(/Fehler in der Datei, deshalb/).waitFor()
    await page.getByText(/netz\.csv:2/).waitFor()
    t.match(
      await (await app.asAdmin('GET', '/api/content/sources')).json(),
      { sources: { length: 0 } },
      'nothing is imported',
    )

    await choose(
      csv(
        'Frage;Antwort;Level;Deck;Id\nWas ist TCP?;Ein Protokoll;grundlagen;Netz;tcp\nWas ist UDP?;Keins;grundlagen;Netz;udp\n',
      ),
    )
    await look()
    await page.getByText('Die Datei ist in Ordnung. Noch ist nichts geändert.').waitFor()
    await page.getByText('Was ist UDP?').waitFor()
    t.strictSame(await findBarriers(page), [])
    await button(page, 'Jetzt übernehmen').click()
    await page.getByText('„netz“ ist übernommen').waitFor()
    await page.getByRole('link', { name: 'Netz', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Netz' }).waitFor()

    await page.goto(`${app.url}/inhalte/hochladen`)
    await choose(csv('Frage;Antwort;Level;Deck;Id\nWas ist TCP?;Ein sicheres Protokoll;grundlagen;Netz;tcp\n'))
    await page.getByText('Mehr bestimmen').click()
    await page.getByLabel('Fehlendes archivieren').check()
    await look()
    await page.getByText('Eine Quelle „netz“ gibt es schon.').waitFor()
    t.equal(await button(page, 'Jetzt übernehmen').count(), 0, 'it asks for a confirmation first')
    await button(page, 'Diese aktualisieren').click()
    await page.getByText('1 Karte würde archiviert').waitFor()
    await page.locator('del', { hasText: 'Ein Protokoll' }).waitFor()
    await button(page, 'Jetzt übernehmen').click()
    await dialog(page).getByText('Sie stehen nicht mehr in der Datei.').waitFor()
    await button(page, 'Übernehmen und archivieren').click()
    await page.getByText('„netz“ ist übernommen').waitFor()

    await page.goto(`${app.url}/inhalte`)
    await page.getByText('1 Deck, 1 Karte').first().waitFor()
    await page.getByText('von Erika Muster').first().waitFor()
    await page.goto(`${app.url}/verwaltung/protokoll`)
    await page.getByText('Datei in die Quelle „netz“ importiert').first().waitFor()
  })

  await t.test('treats pasted text as a table and reports a failed upload', async (t) => {
    await page.goto(`${app.url}/inhalte/hochladen`)
    await page.getByLabel('Oder eine Tabelle einfügen').fill('Frage\tAntwort\nWas ist DNS?\tEin Telefonbuch\n')
    await page.route('**/api/content/imports*', (route) => route.abort())
    await look()
    await page.getByText('Der Dienst ist gerade nicht erreichbar').waitFor()
    await page.unroute('**/api/content/imports*')
    await look()
    await button(page, 'Jetzt übernehmen').click()
    await page.getByText('„Eingefügte Tabelle“ ist übernommen').waitFor()

    await button(page, 'Noch eine Datei').click()
    await choose({ name: 'kein.apkg', mimeType: 'application/zip', buffer: Buffer.from('PK\x03\x04kaputt', 'latin1') })
    await look()
    t.match(await page.getByRole('alert').filter({ hasText: /\S/ }).first().textContent(), /Paket|Archiv|Datei/)
  })

  await t.test('imports pictures of a package and shows hostile names as text', async (t) => {
    const bytes = await makePackage(
      {
        'Anki::Bilder': [
          { guid: 'bild-1', front: 'Was siehst du?', back: '<img src="netz.gif" alt="Ein Punkt">' },
          { guid: 'bild-2', front: `<img src='${HOSTILE.name}' alt='${HOSTILE.alt}'>`, back: 'nichts' },
          { guid: 'bild-3', front: '<img src="fehlt.gif" alt="fehlt">', back: 'auch nichts' },
        ],
      },
      { 'netz.gif': gifOf('netz'), [HOSTILE.name]: gifOf('böse') },
    )
    await page.goto(`${app.url}/inhalte/hochladen`)
    await choose({ name: 'bilder.apkg', mimeType: 'application/zip', buffer: bytes })
    await look()
    await page.getByText('neue Bilder').waitFor()
    t.notOk(await isTooWide(page))
    await button(page, 'Jetzt übernehmen').click()
    await page.getByText('„bilder“ ist übernommen').waitFor()
    t.strictSame(
      admin.complaints.filter((text) => !text.includes('ERR_FAILED')),
      [],
    )
  })

  await t.test('shows the picture to a learner, enlarged and offline', async (t) => {
    const { page, complaints } = await app.newPerson({ viewport: PHONE, serviceWorkers: 'allow' })
    const { decks } = (await (await app.asAdmin('GET', '/api/decks')).json()) as {
      decks: { slug: string; name: string }[]
    }
    const slug = decks.find(({ name }) => name === 'Anki::Bilder')?.slug
    await page.goto(`${app.url}/lernen/${slug}`)
    await page.getByText('Was siehst du?').waitFor()
    await untilReady(page)
    await button(page, 'Antwort zeigen').click()
    await until(page, isThere)
    t.match(await picture(page).getAttribute('src'), /^api\/content\/media\/[0-9a-f]{64}\.gif$/)
    t.equal(await picture(page).getAttribute('alt'), 'Ein Punkt')
    t.equal(await picture(page).getAttribute('loading'), 'lazy')
    t.strictSame(await findBarriers(page), [])

    const opener = page.locator('button.picture:visible').first()
    await opener.focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('img', { name: 'Ein Punkt' }).waitFor()
    t.strictSame(await findBarriers(page), [])
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    t.ok(await opener.evaluate((element) => element === element.ownerDocument.activeElement), 'the focus is back')
    await page.getByText('Was siehst du?').waitFor()

    // The hostile card is displayed as text or picture, and no script in it runs.
    await untilReady(page)
    await page.getByRole('button', { name: /^Gut/ }).click()
    await page.locator('.question .picture:visible').waitFor()
    t.match(await picture(page).getAttribute('alt'), /script>alert\(1\)/)
    t.equal(await page.locator('.markdown script, .markdown [onerror]').count(), 0)

    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await until(page, `${KEPT_PICTURES}.then((count) => count === 2)`)
    await page.reload()
    await page.locator('.question .picture:visible').waitFor()
    await page.context().setOffline(true)
    await page.reload()
    await page.locator('.question .picture:visible').waitFor()
    await until(page, isThere)
    await page.context().setOffline(false)
    t.strictSame(
      complaints.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED')),
      [],
    )

    const [answer] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.goto(`${app.url}/decks/${slug}`)
        await button(page, 'Exportieren').click()
        await page.getByRole('menuitem', { name: 'Tabelle (.csv)' }).click()
      })(),
    ])
    t.match(answer.suggestedFilename(), /\.csv$/)

    // Logging out deletes the cached pictures.
    await page.getByRole('button', { name: 'Menü von Erika Muster' }).click()
    await page.getByRole('menuitem', { name: 'Abmelden' }).click()
    await page.getByLabel('Passwort', { exact: true }).waitFor()
    await until(page, `${KEPT_PICTURES}.then((count) => count === 0)`)
  })

  await t.test('deletes a source after its name was typed', async (t) => {
    await page.goto(`${app.url}/inhalte`)
    await button(page, 'Mehr zu bilder').click()
    await page.getByRole('menuitem', { name: 'Endgültig löschen …' }).click()
    await dialog(page).getByRole('textbox').fill('bild')
    await button(page, 'Endgültig löschen').click()
    await dialog(page).getByText('Das ist nicht der Name').waitFor()
    await dialog(page).getByRole('textbox').fill('bilder')
    await button(page, 'Endgültig löschen').click()
    await page.getByText('„bilder“ ist gelöscht.').waitFor()
    await button(page, 'Mehr zu bilder').waitFor({ state: 'detached' })
    await button(page, 'Mehr zu netz').click()
    await page.getByRole('menuitem', { name: 'Archivieren …' }).click()
    await dialog(page).getByRole('button', { name: 'Archivieren' }).click()
    await page.getByText('„netz“ ist archiviert.').waitFor()
    const { sources } = (await (await app.asAdmin('GET', '/api/content/sources')).json()) as {
      sources: { name: string }[]
    }
    t.notOk(sources.some(({ name }) => name === 'bilder'))
  })
})
