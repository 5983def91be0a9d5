import { existsSync } from 'node:fs'
import t from 'tap'
import { CHROMIUM, findBarriers, isTooWide, openApp, PHONE } from '../support/app.js'
import { post } from '../support/written.js'

interface Occurrences {
  occurrences: { id: number; proof_code: string | null }[]
}

t.test('a proof', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const { cheatsheets } = (await (await app.asAdmin('GET', '/api/cheatsheets')).json()) as {
    cheatsheets: { slug: string; title: string }[]
  }
  const [sheet] = cheatsheets
  await post(app, '/api/assignments', {
    title: 'IT-Sicherheit',
    parts: [{ kind: 'sheet', slug: sheet?.slug }],
    audience: { everybody: true },
    starts: '2026-01-01',
    due: '2099-12-31',
    recurrence: null,
    mandatory: true,
    retention_years: 2,
  })
  const mine = async () => (await (await app.asAdmin('GET', '/api/assignments/mine')).json()) as Occurrences
  const [open] = (await mine()).occurrences
  await post(app, `/api/assignments/occurrences/${open?.id}/confirm`, { part: 0 })
  const code = (await mine()).occurrences[0]?.proof_code ?? ''

  await t.test('is verified without a login, with a typed code', async (t) => {
    app.expectMissing(/proofs\/verify\/falsch/)
    const { page, complaints } = await app.newBrowser({ viewport: PHONE })
    await page.goto(`${app.url}/nachweis`)
    const field = page.getByLabel('Code auf dem Nachweis')
    await field.fill('falsch')
    await page.getByRole('button', { name: 'Prüfen' }).click()
    await page.getByText('Diesen Nachweis gibt es nicht.').waitFor()
    await field.fill(code.toLowerCase().replaceAll(/.{4}/g, '$& '))
    await page.getByRole('button', { name: 'Prüfen' }).click()
    await page.getByText('Diesen Nachweis gibt es. Vergleiche ihn mit dem Blatt.').waitFor()
    await page.getByRole('heading', { name: 'IT-Sicherheit' }).waitFor()
    await page.getByText(sheet?.title ?? '').waitFor()
    await page.getByText(/gelesen und bestätigt am \d\d\.\d\d\.\d{4}, Fassung 1/).waitFor()
    t.strictSame(await findBarriers(page), [])
    t.notOk(await isTooWide(page))
    t.strictSame(complaints, [])
  })

  await t.test('is corrected and revoked by an administrator, who also exports all', async (t) => {
    app.expectMissing(/proofs\/verify\/falsch/)
    const { page, complaints } = await app.newPerson({ isAdmin: true })
    await page.goto(`${app.url}/verwaltung/nachweise`)
    await page.getByRole('button', { name: 'Herunterladen' }).click()
    await page.getByText('Wofür wird die Tabelle gebraucht?').waitFor()
    await page.keyboard.type('Audit 2027')
    const download = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    t.match((await download).suggestedFilename(), /^nachweise_.*\.csv$/)
    const field = page.getByLabel('Code oder Adresse')
    await field.fill('falsch')
    await page.keyboard.press('Enter')
    await page.getByText('Diesen Nachweis gibt es nicht.').waitFor()
    await field.fill(`${app.url}/nachweis/${code}`)
    await page.keyboard.press('Enter')
    await page.getByText('Dieser Nachweis gilt.').waitFor()
    await page.getByRole('button', { name: 'Name berichtigen …' }).click()
    await page.getByRole('button', { name: 'Ersetzen' }).click()
    await page.getByRole('dialog').getByText(/Name/).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Widerrufen …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Widerrufen', exact: true }).click()
    await dialog.getByText('Warum gilt er nicht mehr?').waitFor()
    await page.keyboard.type('Versehen')
    t.strictSame(await findBarriers(page), [])
    await page.keyboard.press('Enter')
    await page.getByText(/Dieser Nachweis wurde am \d\d\.\d\d\.\d{4} widerrufen\./).waitFor()
    t.strictSame(await findBarriers(page), [])
    t.strictSame(
      complaints.filter((complaint) => !/40[49]/.test(complaint)),
      [],
    )
  })

  await t.test('says that it was revoked', async (t) => {
    const { page } = await app.newBrowser()
    await page.goto(`${app.url}/nachweis/${code}`)
    await page.getByText(/Dieser Nachweis wurde am \d\d\.\d\d\.\d{4} widerrufen\./).waitFor()
    t.match(await page.title(), 'Nachweis prüfen')
  })
})
