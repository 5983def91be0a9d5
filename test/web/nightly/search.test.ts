import { existsSync } from 'node:fs'
import type { Request } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, findBarriers, isAt, OWN, openApp, until } from '../support/app.js'
import { createGate } from '../support/gate.js'

t.test('search, keys, statistics and log', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)

  await t.test('the search dialog works by keyboard alone', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(app.url)
    await page.locator('h1').waitFor()
    await page.keyboard.press('/')
    const field = page.getByRole('combobox')
    await field.waitFor()
    await until(page, 'document.activeElement.getAttribute("role") === "combobox"')
    await page.keyboard.type('stash')
    const options = page.getByRole('option')
    await options.first().waitFor()
    // The app shows the number of hits only if the hits match the complete search text.
    await page
      .getByRole('dialog')
      .getByText(/^[\d.]+ Treffer$/)
      .waitFor()
    t.ok((await options.locator('mark').count()) > 0, 'hits are marked')
    t.equal(await options.first().getAttribute('aria-selected'), 'true')
    t.strictSame(await findBarriers(page), [])
    await page.keyboard.press('ArrowDown')
    const second = options.nth(1)
    t.equal(await second.getAttribute('aria-selected'), 'true')
    t.equal(await field.getAttribute('aria-activedescendant'), await second.getAttribute('id'))
    const href = (await second.getAttribute('href')) as string
    const [opened] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Control+Enter')])
    t.equal(opened.url(), `${app.url}/${href}`, 'in a new tab')
    await opened.close()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${app.url}/${href}`)
    await field.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await field.waitFor()
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    t.strictSame(complaints, [])
  })

  await t.test('keeps text typed before the dialog has loaded', async () => {
    const { page } = await app.newPerson()
    const gate = createGate()
    await page.context().route('**/assets/dialogs-*', async (route) => {
      await gate.opened
      await route.continue()
    })
    await page.goto(app.url)
    await page.locator('h1').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('stashh')
    await page.keyboard.press('Backspace')
    gate.open()
    await page.getByRole('combobox').waitFor()
    await until(page, 'document.activeElement.value === "stash"')
    await page.keyboard.type('es')
    await until(page, 'document.activeElement.value === "stashes"')
  })

  await t.test('never replaces newer hits with older ones', async (t) => {
    const { page } = await app.newPerson()
    const gate = createGate()
    await page.route(/api\/search\?q=docker/, async (route) => {
      await gate.opened
      await route.continue().catch(() => {})
    })
    await page.goto(`${app.url}/suche`)
    const isOlder = (request: Request) => /q=docker/.test(request.url())
    const older = Promise.any([
      page.waitForEvent('requestfinished', isOlder),
      page.waitForEvent('requestfailed', isOlder),
    ])
    await Promise.all([page.waitForRequest(/q=docker/), page.getByRole('combobox').fill('docker')])
    await page.getByRole('combobox').fill('stash')
    const first = page.getByRole('option').first()
    await first.getByText(/stash/i).first().waitFor()
    gate.open()
    await older
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    t.match(await first.textContent(), /stash/i)
    await isAt(t, page, `${app.url}/suche?q=stash`)
  })

  await t.test('announces no hits, corrections and errors', async () => {
    const { page } = await app.newPerson()
    await page.goto(`${app.url}/suche?q=xyzzyxyzzy`)
    await page.getByText('Zu „xyzzyxyzzy“ gibt es nichts.').waitFor()
    await page.getByRole('combobox').fill('containre')
    await page.getByText('Ähnlich geschrieben ist').waitFor()
    await page.route(/api\/search/, (route) =>
      route.fulfill({
        status: 404,
        headers: { 'x-error-code': 'x' },
        json: { error: 'Not Found', message: 'Heute nicht' },
      }),
    )
    await page.getByRole('combobox').fill('git')
    await page.getByText('Heute nicht').waitFor()
    await page.unroute(/api\/search/)
    await page.getByRole('button', { name: 'Noch einmal versuchen' }).click()
    await page.getByRole('option').first().waitFor()
  })

  await t.test('announces content that is not indexed yet and adds it below the selected hit', async (t) => {
    const { page } = await app.newPerson()
    const ask = async () => (await page.request.get(`${app.url}/api/search?q=rebase&limit=50`)).json()
    let answer = (await ask()) as { complete: boolean; results: object[] }
    while (!answer.complete) answer = (await ask()) as typeof answer
    t.ok(answer.results.length > 3)
    const rest = createGate()
    const answers = [
      { ...answer, results: [], complete: false },
      { ...answer, results: answer.results.slice(1, 3), complete: false },
      answer,
    ]
    await page.route(/api\/search/, async (route) => {
      if (answers.length === 1) await rest.opened
      const json = answers.length > 1 ? answers.shift() : answers[0]
      await route.fulfill({ headers: OWN, json })
    })
    await page.goto(`${app.url}/suche?q=rebase`)
    const note = page.locator('p:not([role])', { hasText: 'Neue Inhalte werden gerade für die Suche vorbereitet.' })
    await note.waitFor()
    t.equal(await page.getByText('gibt es nichts').count(), 0)
    const chosen = page.locator('[role=option][aria-selected=true]')
    await chosen.waitFor()
    await page.getByRole('combobox').press('ArrowDown')
    const href = await page.getByRole('option').nth(1).getAttribute('href')
    t.equal(await chosen.getAttribute('href'), href)
    rest.open()
    await note.waitFor({ state: 'detached' })
    t.equal(await page.getByRole('option').count(), answer.results.length)
    t.equal(await chosen.getAttribute('href'), href)
  })

  await t.test('navigates by keys, except in fields or when they are off', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(app.url)
    await page.locator('h1').waitFor()
    for (const [key, path] of [
      ['s', 'spickzettel'],
      ['t', 'statistik'],
      ['h', ''],
    ] as const) {
      // Presses both keys without a pause, because the second key must follow the first one quickly.
      await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)])
      await page.waitForURL(`${app.url}/${path}`)
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Tasten' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('x')
    await page.keyboard.press('s')
    await page.goto(`${app.url}/spickzettel`)
    await page.getByLabel('Nach Titel filtern').pressSequentially('g/?')
    await isAt(t, page, 'g/?', { read: (url) => url.searchParams.get('q') })
    t.equal(await page.getByRole('dialog').count(), 0)
    await page.evaluate('localStorage.setItem("training.look", JSON.stringify({ singleKeys: false }))')
    await page.goto(`${app.url}/hilfe`)
    await page.locator('h1').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    t.equal(page.url(), `${app.url}/hilfe`)
    t.strictSame(complaints, [])
  })

  await t.test('reads statistics by arrow keys and as tables, and undoes the last review of today', async (t) => {
    const { page, complaints } = await app.newPerson()
    await page.goto(`${app.url}/statistik`)
    await page.getByText('Noch nichts gelernt').waitFor()
    const queue = (await (await page.request.get(`${app.url}/api/review/queue?limit=3`)).json()) as {
      cards: { card_id: number }[]
    }
    for (const { card_id } of queue.cards) {
      await page.request.post(`${app.url}/api/review`, { data: { card_id, rating: 'medium', duration_ms: 8_000 } })
    }
    await page.reload()
    const year = page.getByRole('slider', { name: /jedem Tag/ })
    await year.waitFor()
    t.match(await year.getAttribute('aria-valuetext'), /: 3 Bewertungen$/)
    await year.press('ArrowUp')
    t.match(await year.getAttribute('aria-valuetext'), /: nichts gelernt$/)
    t.match(await page.getByRole('img', { name: /jedem Tag/ }).getAttribute('aria-label'), /an 1 von 365 Tagen gelernt/)
    const charts = page.locator('figure')
    await charts.nth(3).waitFor()
    t.equal(await charts.count(), 4, 'there is no retention before a card was reviewed again')
    for (const chart of await charts.all()) {
      await chart.locator('summary').click()
      await chart.getByRole('table').getByRole('row').nth(1).waitFor()
    }
    t.strictSame(await findBarriers(page), [])

    await page.getByRole('link', { name: 'Verlauf' }).click()
    await page.getByRole('heading', { name: 'Heute' }).waitFor()
    const rows = page.locator('ol.entries > li')
    t.equal(await rows.count(), 3)
    t.equal(await page.getByRole('button', { name: 'Zurücknehmen' }).count(), 1)
    await page.getByRole('button', { name: 'Zurücknehmen' }).click()
    await rows.nth(3).waitFor()
    t.match(await rows.first().textContent(), 'Zurückgenommen')
    t.match(await rows.nth(1).textContent(), 'zurückgenommen', 'the review itself is struck out')
    t.equal(await rows.count(), 4)
    t.equal(await page.getByRole('button', { name: 'Zurücknehmen' }).count(), 1, 'now the previous review')
    t.strictSame(complaints, [])
  })
})
