import { existsSync } from 'node:fs'
import t from 'tap'
import { freePort } from '../../support/postgres.js'
import { createStoreVariables, startProcess } from '../../support/process.js'
import { CHROMIUM, openProgram } from '../support/app.js'
import { press } from '../support/keys.js'
import { until } from '../support/patience.js'
import { post, writeSome } from '../support/written.js'

t.test('a restart of the service', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const variables = { ...(await createStoreVariables(t)), PORT: String(await freePort()) }
  const app = await openProgram(t, variables)
  let { service } = app
  const start = async () => {
    service = await startProcess(t, variables)
  }
  const { cards } = await writeSome(app)
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })
  const { page } = await app.newPerson({ isAdmin: true })

  await t.test('keeps what was typed into a form', async (t) => {
    await page.goto(`${app.url}/konto`)
    await page.getByLabel('Anzeigename').fill('Vor dem Neustart')
    await service.stop()
    await button('Speichern').click()
    await page.getByRole('alert').filter({ hasText: 'Der Dienst ist gerade nicht erreichbar.' }).waitFor()
    await start()
    await button('Speichern').click()
    await page.getByText('Der Name ist gespeichert.').waitFor()
    t.equal(await page.getByLabel('Anzeigename').inputValue(), 'Vor dem Neustart')
  })

  await t.test('keeps the text of a card, and saves it afterwards', async (t) => {
    const answer = page.getByRole('form').getByLabel('Antwort', { exact: true })
    await page.goto(`${app.url}/inhalte/karten/${cards[0]}`)
    await answer.fill('Vor dem Neustart')
    await service.stop()
    await button('Speichern').click()
    await page.getByText('Der Dienst ist gerade nicht erreichbar').waitFor()
    await page.getByText('Dein Text liegt auf diesem Gerät.').waitFor()
    await start()
    await button('Speichern').click()
    await page.getByText(/^Gespeichert um/).waitFor()
    const stored = await post(app, `/api/content/cards/${cards[0]}`, undefined, 'GET')
    t.match(stored, { card: { answer: 'Vor dem Neustart', version: 2 } })
  })

  await t.test('loses no rating, even if the service is killed', async (t) => {
    await page.goto(`${app.url}/lernen/git`)
    await button(/Antwort zeigen/).waitFor()
    await press(page, ' ', '3', ' ', '4')
    await service.stop('SIGKILL')
    await press(page, ' ', '1', ' ', '2')
    // The first two ratings may still wait in the outbox as well, so two, three or four ratings wait.
    await page.getByText(/[234] warten/).waitFor()
    await start()
    const rated = async () => {
      const { entries } = (await (await page.request.get(`${app.url}/api/review/history`)).json()) as {
        entries: { rating: string }[]
      }
      return entries.map(({ rating }) => rating).reverse()
    }
    await until(async () => (await rated()).length >= 4, 'all ratings')
    t.strictSame(await rated(), ['medium', 'easy', 'again', 'hard'])
  })
})
