import { existsSync, mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { createAddressRules } from '../../src/domain/webhooks/networks.js'
import { deckFile, writeContentFolder } from '../support/content.js'
import { type ReceivedMessage, startReceiver, verify } from '../support/receiver.js'
import { announceReports, LOOPBACK, openSender, sendDue } from '../support/webhooks.js'
import { CHROMIUM, DESK, findBarriers, isTooWide, openApp } from './support/app.js'

/** Folder for screenshots; undefined for none */
const { SCREENS } = process.env

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

t.test('an administrator connects another system', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const contentDir = await writeContentFolder(t, { 'decks/git.md': deckFile('Git', [{ id: 'stash' }]) })
  const receiver = await startReceiver(t)
  const app = await openApp(t, { config: { contentDir, webhookAllow: [LOOPBACK] } })
  const sender = openSender(t, app.db, { rules: createAddressRules([LOOPBACK]) })
  const { page, complaints } = await app.newPerson({ isAdmin: true, viewport: DESK })
  const look = async (name: string) => {
    for (const { width, height, colorScheme } of [
      { width: 320, height: 700, colorScheme: 'dark' },
      { width: 390, height: 844, colorScheme: 'light' },
      { ...DESK, colorScheme: 'dark' },
      { ...DESK, colorScheme: 'light' },
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      t.notOk(await isTooWide(page), `${name} ${width}`)
      t.strictSame(await findBarriers(page), [], `${name} ${width} ${colorScheme}`)
      if (SCREENS === undefined) continue
      mkdirSync(SCREENS, { recursive: true })
      await page.screenshot({ path: `${SCREENS}/${name}-${width}-${colorScheme}.png`, fullPage: true })
    }
  }

  await page.goto(`${app.url}/verwaltung/webhooks`)
  await page.getByText('Noch keine Webhooks').waitFor()
  await look('leer')
  await button(page, 'Neuer Webhook').click()
  await page.getByLabel('Name', { exact: true }).fill('Personalsystem')
  await page.getByLabel('Adresse').fill('https://10.0.0.1/')
  await page.getByLabel('Karte gemeldet').check()
  await page.getByLabel('Nachweis ausgestellt').check()
  await look('formular')
  await button(page, 'Anlegen').click()
  await page.getByText('WEBHOOK_ALLOW nicht nennt').waitFor()
  t.equal(await page.getByLabel('Adresse').getAttribute('aria-invalid'), 'true')
  await page.getByLabel('Adresse').fill(receiver.url)
  await button(page, 'Anlegen').click()
  const shown = page.getByLabel('Geheimnis von')
  await shown.waitFor()
  const secret = await shown.inputValue()
  await look('geheimnis')
  await button(page, 'Fertig').click()
  t.equal(await page.getByText(secret).count(), 0)

  await page.getByRole('link', { name: 'Personalsystem' }).click()
  await button(page, 'Testen').click()
  await page.getByText('Der Empfänger hat angenommen (200).').first().waitFor()
  t.match(verify(secret, receiver.received[0] as ReceivedMessage), { type: 'webhook.test' })
  t.notMatch(await page.content(), /geheim-0815/)

  receiver.onMessage = () => ({ status: 404, text: 'There is no such route.\nAsk your administrator.' })
  await announceReports(app.db, [1])
  await sendDue(sender)
  await page.reload()
  await page.getByText('Der Empfänger lehnt ab (404).').waitFor()
  await look('zustellungen')
  receiver.onMessage = () => ({ status: 410 })
  const again = page.getByRole('button', { name: /^Noch einmal senden/ })
  const toast = page.locator('[role=status] .toast')
  await again.click()
  await toast.and(page.locator('.bad')).getByText('Der Empfänger lehnt ab (410).').waitFor()
  await page.getByRole('cell').getByText('Der Empfänger lehnt ab (410).').waitFor()
  receiver.onMessage = () => undefined
  await again.click()
  await toast.and(page.locator(':not(.bad)')).getByText('Der Empfänger hat angenommen (200).').waitFor()
  await page.getByText('Der Empfänger lehnt ab (410).').waitFor({ state: 'detached' })
  t.equal(receiver.received.at(-1)?.id, receiver.received.at(-2)?.id)

  await button(page, 'Pausieren').click()
  await button(page, 'Fortsetzen').waitFor()
  await announceReports(app.db, [2])
  await page.reload()
  await page.getByRole('cell', { name: 'Wartet' }).waitFor()
  const states = await page
    .getByRole('row')
    .getByText(/^(Wartet|Zugestellt|Gescheitert)$/)
    .allTextContents()
  t.strictSame(states, ['Wartet', 'Zugestellt', 'Zugestellt'], 'newest first, the waiting one is marked')
  await look('wartet')
  await button(page, 'Ändern').click()
  await page.getByText('Eine neue bekommt auch die Ereignisse, die noch warten.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Personal & Lohn')
  await page.getByLabel('Namen mitsenden').check()
  await button(page, 'Speichern').click()
  await page.getByRole('heading', { name: 'Personal & Lohn', level: 1 }).waitFor()
  await page.goto(`${app.url}/verwaltung/webhooks`)
  await page.getByText('1 Ereignis wartet').waitFor()
  await look('liste')
  await page.getByRole('link', { name: 'Personal & Lohn' }).click()
  await button(page, 'Fortsetzen').click()
  await button(page, 'Pausieren').waitFor()

  await button(page, 'Neues Geheimnis').click()
  await button(page, 'Ersetzen').click()
  await shown.waitFor()
  const replaced = await shown.inputValue()
  await button(page, 'Fertig').click()
  await sendDue(sender)
  t.match(verify(replaced, receiver.received.at(-1) as ReceivedMessage), { data: { report: { id: 2 } } })

  receiver.onMessage = () => ({ status: 500, text: 'Internal Server Error' })
  await announceReports(app.db, [3])
  await sendDue(sender)
  await page.reload()
  await page.getByText('Nächster Versuch').waitFor()
  await look('stockt')

  await app.db.updateTable('webhooks').set({ paused_at: new Date(), pause_cause: 'restore' }).execute()
  const held = { state: 'failed', status: null, fault: 'restore', answer: null } as const
  await app.db.updateTable('webhook_events').set(held).where('state', '=', 'waiting').execute()
  await page.reload()
  await page.getByText('Eine Sicherung wurde eingespielt').waitFor()
  await page.getByRole('cell').getByText('Nicht gesendet, weil eine Sicherung eingespielt wurde.').waitFor()
  await look('sicherung')

  // The page asks for the webhook every ten seconds, until it is left after the deletion.
  app.expectMissing(/\/api\/webhooks\/\d/)
  await button(page, 'Löschen').click()
  await button(page, 'Endgültig löschen').click()
  await page.getByText('Noch keine Webhooks').waitFor()
  t.strictSame(complaints, [])
})
