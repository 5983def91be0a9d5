import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import {
  CHROMIUM,
  DESK,
  endSessionBefore,
  findBarriers,
  isTooWide,
  openApp,
  PHONE,
  studyForWeeks,
  until,
} from './support/app.js'
import { createGate } from './support/gate.js'
import { press, untilReady } from './support/keys.js'
import { routeOnce } from './support/route.js'

const START = 'main a[href="lernen"]'
const SMALL = { width: 320, height: 640 }
const TOUCH = { viewport: PHONE, hasTouch: true, isMobile: true }

const answerButton = (page: Page) => page.getByRole('button', { name: /Antwort zeigen/ })
const focusedText = (page: Page) => page.evaluate('document.activeElement.textContent.trim()') as Promise<string>
/**
 * Runs a function in the page and returns its result: `ask` with the first element that matches the selector, `askAll`
 * with all matching elements.
 */
const ask = (page: Page, selector: string, script: string) =>
  page.evaluate(`(${script})(document.querySelector(${JSON.stringify(selector)}))`)
const askAll = (page: Page, selector: string, script: string) =>
  page.evaluate(`(${script})([...document.querySelectorAll(${JSON.stringify(selector)})])`)
const toast = (page: Page) => page.locator('[role=status] .toast')

async function openSession(page: Page, url: string, path = 'lernen/git'): Promise<void> {
  await page.goto(`${url}/${path}`)
  await answerButton(page).waitFor()
}

t.test('a learner at work', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const setNew = (page: Page, new_per_day: number) =>
    page.request.put(`${app.url}/api/review/settings`, { data: { new_per_day } })

  await t.test('the start button has the focus, which a key shows, and Space, Space and 3 rate a card', async (t) => {
    const { page } = await app.newPerson()
    for (const [name, prepare] of [
      ['on the first visit', async () => {}],
      ['later', () => studyForWeeks({ page }, app.url)],
    ] as const) {
      await prepare()
      await page.goto(app.url)
      const start = page.getByRole('link', { name: /^(Jetzt|Erste Karten) lernen$/ })
      await start.waitFor()
      t.match(await focusedText(page), /^(Jetzt|Erste Karten) lernen$/, `the start button has the focus ${name}`)
      t.equal(await ask(page, START, '(link) => getComputedStyle(link).outlineStyle'), 'none', 'no ring before a key')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Shift+Tab')
      t.equal(await ask(page, START, '(link) => link === document.activeElement'), true)
      t.equal(await ask(page, START, '(link) => getComputedStyle(link).outlineStyle'), 'solid', 'a ring after a key')
      await page.keyboard.press(' ')
      await page.waitForURL(`${app.url}/lernen`)
      await answerButton(page).waitFor()
      await press(page, ' ')
      await page.getByRole('button', { name: /^Gut/ }).waitFor()
      const rated = page.waitForRequest((request) => request.method() === 'POST' && /api\/review/.test(request.url()))
      await press(page, '3')
      t.match((await rated).postDataJSON(), { rating: 'medium' })
    }
    await page.getByRole('link', { name: 'Lernen beenden' }).click()
    await page.getByRole('link', { name: 'Jetzt lernen' }).waitFor()
    t.match(await focusedText(page), /^Hallo/, 'a page change still moves the focus to the heading')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${app.url}/lernen`)
  })

  await t.test('a login begins in the first empty field', async (t) => {
    const { page, login } = await app.newPerson()
    const idOfFocus = () => page.evaluate('document.activeElement.autocomplete')
    await page.goto(`${app.url}/decks`)
    const deck = page.getByRole('heading', { level: 2 }).getByRole('link').first()
    await deck.waitFor()
    await endSessionBefore(page, '**/api/decks/*')
    await deck.click()
    const dialog = page.getByRole('dialog', { name: 'Bitte noch einmal anmelden' })
    await dialog.getByLabel('Passwort', { exact: true }).waitFor()
    t.equal(await dialog.getByLabel('Benutzername').inputValue(), login.username)
    t.equal(await idOfFocus(), 'current-password', 'the name is already filled in')
    const { page: fresh } = await app.newBrowser()
    await fresh.goto(`${app.url}/anmelden`)
    await fresh.getByLabel('Benutzername').waitFor()
    t.match(await fresh.evaluate('document.activeElement.autocomplete'), /^username/)
  })

  await t.test('announces that a suspension was undone', async (t) => {
    const { page } = await app.newPerson()
    await openSession(page, app.url)
    await press(page, 'a')
    await toast(page)
      .getByText(/^Ausgesetzt/)
      .waitFor()
    await press(page, 'u')
    await toast(page).getByText('Zurückgenommen').waitFor()
    t.strictSame(await toast(page).locator('p').allTextContents(), ['Zurückgenommen'])
  })

  await t.test('ten more cards after the daily limit', async (t) => {
    const { page } = await app.newPerson()
    await setNew(page, 1)
    await openSession(page, app.url, 'lernen')
    await press(page, ' ')
    await press(page, '4')
    await page.getByRole('heading', { name: 'Geschafft' }).waitFor()
    await page.getByRole('button', { name: '10 weitere neue' }).waitFor()
    await page.goto(app.url)
    await page.getByText('Für heute ist alles geschafft').waitFor()
    t.strictSame(await findBarriers(page), [])
    await page.getByRole('button', { name: '10 weitere neue' }).click()
    await answerButton(page).waitFor()
    t.equal((await page.locator('.progress p').textContent())?.trim(), 'noch 10')
    await press(page, ' ')
    await press(page, '4')
    await page.reload()
    await answerButton(page).waitFor()
    t.equal((await page.locator('.progress p').textContent())?.trim(), 'noch 9')
  })

  await t.test('„Heute“ counts a rating that is stored while its numbers are on their way', async () => {
    const { page } = await app.newPerson()
    await setNew(page, 1)
    const rating = createGate()
    const numbers = createGate()
    await page.route('**/api/review', async (route) => {
      await rating.opened
      await route.continue()
    })
    const asked = createGate()
    await routeOnce(page, '**/api/review/queue?limit=1', async (route) => {
      const response = await route.fetch()
      asked.open()
      await numbers.opened
      await route.fulfill({ response })
    })
    await openSession(page, app.url, 'lernen')
    await press(page, ' ', '4')
    const statistics = () => page.waitForResponse('**/api/review/stats?*')
    const fetched = statistics()
    await page.getByRole('link', { name: 'Fertig' }).click()
    await Promise.all([asked.opened, fetched])
    // The page fetches its numbers again when the rating is stored, except those that are still on their way.
    const refetched = statistics()
    rating.open()
    await refetched
    numbers.open()
    await page.getByText('Für heute ist alles geschafft').waitFor()
  })

  await t.test('the end counts the session of the day, not of the page', async (t) => {
    const { page } = await app.newPerson()
    await setNew(page, 3)
    await openSession(page, app.url)
    await press(page, ' ', '4', ' ', '3')
    const other = await page.context().newPage()
    await page.close()
    await openSession(other, app.url)
    await press(other, ' ', '4')
    await other.getByRole('heading', { name: 'Geschafft' }).waitFor()
    const counted = async () => ((await other.locator('.end dl').textContent()) ?? '').replace(/\s+/g, ' ')
    t.match(await counted(), /Karten ?3/)
    await press(other, 'u', '1', ' ', '3')
    await other.getByRole('heading', { name: 'Geschafft' }).waitFor()
    t.match(await counted(), /Karten ?3.*gewusst ?67/)
  })

  await t.test('the day on which something is due is named', async (t) => {
    const { page } = await app.newPerson()
    await setNew(page, 1)
    await openSession(page, app.url)
    await press(page, ' ')
    await press(page, '4')
    await page.getByRole('heading', { name: 'Geschafft' }).waitFor()
    const text = page.getByText(/Als Nächstes wird .+ 1 Karte fällig\./)
    await text.waitFor()
    t.match(await text.textContent(), /Als Nächstes wird in \d+ (Tagen|Wochen) \(.+\) 1 Karte fällig/)
    await page.goto(app.url)
    await text.waitFor()
  })

  await t.test('names of deck and level are isolated', async (t) => {
    const { page } = await app.newPerson()
    await page.route('**/api/review/queue?*', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { cards: object[] }
      const cards = body.cards.map((card) => ({ ...card, level: 'גדה', deck: { slug: 'git', name: 'אבג' } }))
      await route.fulfill({ response, json: { ...body, cards } })
    })
    await openSession(page, app.url)
    const left = (text: string) =>
      ask(
        page,
        'article:not([hidden]) .deck',
        `(line) => {
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const at = walker.currentNode.data.indexOf('${text}')
        if (at < 0) continue
        const range = document.createRange()
        range.setStart(walker.currentNode, at)
        range.setEnd(walker.currentNode, at + ${text.length})
        return range.getBoundingClientRect().left
      }
    }`,
      ) as Promise<number>
    t.ok((await left('אבג')) < (await left('גדה')), 'the deck stands before the level')
  })

  await t.test('the key ? lists the keys on every page, and hints are shown only with a keyboard', async (t) => {
    const { page } = await app.newPerson()
    const dialog = page.getByRole('dialog', { name: 'Tasten' })
    for (const path of ['decks', 'lernen/git']) {
      await page.goto(`${app.url}/${path}`)
      await page.locator('h1').waitFor()
      if (path !== 'decks') await answerButton(page).waitFor()
      await press(page, '?')
      await dialog.getByText('Karte aussetzen').waitFor()
      t.strictSame(await findBarriers(page), [])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
    }
    await page.getByRole('button', { name: 'Mehr zu dieser Karte' }).click()
    t.equal(await page.getByRole('menuitem', { name: 'Aussetzen' }).locator('kbd').isVisible(), true)
    const { page: phone } = await app.newPerson(TOUCH)
    await openSession(phone, app.url)
    await phone.getByRole('button', { name: 'Mehr zu dieser Karte' }).tap()
    await phone.getByRole('menuitem', { name: 'Morgen' }).waitFor()
    const items = await askAll(phone, '[role=menuitem]', '(items) => items.map((item) => item.innerText.trim())')
    t.strictSame(items, [
      'Morgen',
      'Aussetzen',
      'Notiz',
      'Vorlesen',
      'Antwort tippen',
      'Info zur Karte',
      'Fehler melden',
    ])
  })

  await t.test('an undone review is readable in the history', async (t) => {
    const { page } = await app.newPerson()
    const queue = await page.request.get(`${app.url}/api/review/queue?limit=4`)
    for (const [at, { card_id }] of ((await queue.json()) as { cards: { card_id: number }[] }).cards.entries()) {
      const data = { card_id, rating: ['again', 'hard', 'medium', 'easy'][at] }
      const { review_id } = (await (await page.request.post(`${app.url}/api/review`, { data })).json()) as {
        review_id: number
      }
      await page.request.delete(`${app.url}/api/review/${review_id}`)
    }
    await page.goto(`${app.url}/verlauf`)
    await page.locator('a.undone').first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      t.strictSame(await findBarriers(page), [], colorScheme)
      const faint = `[...document.querySelectorAll('.undone')].map((one) => getComputedStyle(one).opacity)`
      t.ok(((await page.evaluate(faint)) as string[]).every((opacity) => opacity === '1'))
    }
  })

  await t.test('nothing covers the answer and the ratings', async (t) => {
    const { page } = await app.newPerson(TOUCH)
    for (const viewport of [PHONE, SMALL, DESK]) {
      await page.setViewportSize(viewport)
      await openSession(page, app.url)
      await press(page, 'a')
      await toast(page).waitFor()
      await answerButton(page).tap()
      await page.getByRole('button', { name: /^Gut/ }).waitFor()
      const box = await toast(page).boundingBox()
      const card = await page.locator('article:not([hidden])').boundingBox()
      t.ok(box !== null && card !== null && box.y + box.height <= card.y, `${box?.y} ${box?.height} / ${card?.y}`)
      for (const name of ['Lernen beenden', 'Letzten Schritt zurücknehmen']) {
        const button = await page.getByLabel(name).boundingBox()
        const isFree =
          box !== null && button !== null && (button.x + button.width <= box.x || box.x + box.width <= button.x)
        t.ok(isFree, `${name} stays in reach`)
      }
    }
  })

  await t.test('at 320 px the texts of the ratings keep a distance from the borders', async (t) => {
    const { page } = await app.newPerson({ ...TOUCH, viewport: SMALL })
    await openSession(page, app.url)
    await untilReady(page)
    await answerButton(page).tap()
    await page.getByRole('button', { name: /^Gut/ }).waitFor()
    const gaps = await askAll(
      page,
      '.ratings button',
      `(buttons) => buttons.map((button) => {
      const label = document.createRange()
      label.selectNodeContents(button.querySelector('.label').firstChild)
      const text = label.getBoundingClientRect(), box = button.getBoundingClientRect()
      return Math.round(Math.min(text.left - box.left, box.right - text.right))
    })`,
    )
    t.comment(`gaps: ${gaps}`)
    t.ok(
      (gaps as number[]).every((gap) => gap >= 5),
      String(gaps),
    )
    t.notOk(await isTooWide(page))
  })

  await t.test('a quiz on a phone uses the whole window', async (t) => {
    const { page } = await app.newPerson(TOUCH)
    await page.goto(`${app.url}/quiz/git`)
    await page.getByRole('button', { name: 'Quiz beginnen' }).click()
    const options = page.locator('.options button')
    await options.first().waitFor()
    const bars = page.getByRole('navigation').filter({ visible: true })
    t.equal(await bars.count(), 0, 'there is no navigation bar')
    t.strictSame(await findBarriers(page), [])
    await page.reload()
    await options.first().waitFor()
    t.equal(await bars.count(), 0, 'there is none after a reload either')
    await options.last().scrollIntoViewIfNeeded()
    const isFree = await ask(
      page,
      '.options li:last-child button',
      `(option) => {
      const { left, bottom } = option.getBoundingClientRect()
      return option.contains(document.elementFromPoint(left + 20, bottom - 6))
    }`,
    )
    t.ok(isFree, 'the last option can be tapped up to its edge')
    await page.getByRole('button', { name: 'Abbrechen' }).click()
    await bars.first().waitFor()
  })

  await t.test('code and tables show that they can be scrolled, and the copy button covers no code', async (t) => {
    const { page } = await app.newPerson(TOUCH)
    await page.route('**/api/cheatsheets/*', async (route) => {
      const response = await route.fetch()
      const code = `git log ${'--one-long-option '.repeat(8)}`
      const cells = (text: string) => `|${` ${text} |`.repeat(9)}`
      const content_md = `# Breit\n\n\`\`\`sh\n${code}\n\`\`\`\n\n${cells('Spalte')}\n${cells('---')}\n${cells('Wert')}\n`
      await route.fulfill({ response, json: { ...((await response.json()) as object), content_md } })
    })
    const { cheatsheets } = (await (await page.request.get(`${app.url}/api/cheatsheets`)).json()) as {
      cheatsheets: { slug: string }[]
    }
    await page.goto(`${app.url}/spickzettel/${cheatsheets[0]?.slug}`)
    await page.locator('.markdown .table').first().waitFor()
    for (const selector of ['.markdown pre', '.markdown .table']) {
      const { image, attachment } = (await ask(
        page,
        selector,
        `(box) => {
        const style = getComputedStyle(box)
        return { image: style.backgroundImage, attachment: style.backgroundAttachment }
      }`,
      )) as { image: string; attachment: string }
      t.match(image, /gradient/, selector)
      t.match(attachment, /local/, selector)
    }
    const copy = await page.locator('.copy').first().boundingBox()
    const code = await page.locator('.markdown pre').first().boundingBox()
    const isBeside =
      copy !== null && code !== null && (copy.y >= code.y + code.height || copy.y + copy.height <= code.y)
    t.ok(isBeside, 'no line of code lies below the button')
  })

  await t.test('the year fits a phone, and forced colours show the days without learning', async (t) => {
    const { page } = await app.newPerson({ ...TOUCH, forcedColors: 'active' })
    await studyForWeeks({ page }, app.url)
    for (const viewport of [PHONE, SMALL]) {
      await page.setViewportSize(viewport)
      await page.goto(`${app.url}/`)
      await page.locator('.week .dot').first().waitFor()
      const border = await ask(page, '.week .dot', '(day) => getComputedStyle(day).borderStyle')
      t.equal(border, 'solid', 'a line around each day of the week')
      await page.goto(`${app.url}/statistik`)
      const place = page.locator('figure .place').first()
      await place.locator('rect').first().waitFor()
      const [inner, outer] = (await ask(
        page,
        'figure .place',
        '(place) => [place.scrollWidth, place.clientWidth]',
      )) as number[]
      t.ok((inner as number) <= (outer as number), `${inner} of ${outer} px`)
      const empty = (await ask(
        page,
        'figure .place rect.level-0',
        `(day) => {
        const { width } = day.getBoundingClientRect(), { fill, stroke } = getComputedStyle(day)
        return { width, fill, stroke }
      }`,
      )) as { width: number; fill: string; stroke: string }
      t.comment(JSON.stringify(empty))
      t.ok(empty.width >= 3, `${empty.width} px`)
      t.match(empty.stroke, /rgb/, 'with a line around it')
      t.notOk(await isTooWide(page))
    }
  })

  await t.test('words break at sensible places', async (t) => {
    const { page } = await app.newPerson({ ...TOUCH, viewport: SMALL })
    await studyForWeeks({ page }, app.url)
    await page.request.put(`${app.url}/api/review/decks/git`, { data: { active: false } })
    await page.goto(app.url)
    await page.getByRole('heading', { name: 'Deine Decks' }).waitFor()
    t.match(await page.locator('main header a[href="decks"]').textContent(), /^Alle \d+ Decks$/)
    for (const viewport of [PHONE, SMALL]) {
      await page.setViewportSize(viewport)
      await page.goto(`${app.url}/decks/netzwerke`)
      await page
        .getByText('ausgesetzt', { exact: true })
        .or(page.getByText('Ausgesetzt', { exact: true }))
        .first()
        .waitFor()
      const tops = (await askAll(
        page,
        '.tools .segments label',
        '(labels) => labels.map((label) => Math.round(label.getBoundingClientRect().top))',
      )) as number[]
      const lines = [...new Set(tops)].map((top) => tops.filter((one) => one === top).length)
      t.ok(lines.length === 1 || !lines.includes(1), `${viewport.width} px: ${lines} words in a line`)
    }
  })

  await t.test('a deck is printed with all questions and answers, in black on white', async (t) => {
    const { page, complaints } = await app.newPerson({ colorScheme: 'dark' })
    await page.goto(`${app.url}/decks/sql`)
    await page.evaluate(
      `window.print = () => document.body.setAttribute('data-printed', document.querySelectorAll('.cards .card').length)`,
    )
    await page.getByRole('button', { name: 'Drucken' }).click()
    await page.locator('[data-printed]').waitFor()
    const { cards } = (await (await page.request.get(`${app.url}/api/review/cards?deck=sql&limit=200`)).json()) as {
      cards: { answer: string }[]
    }
    t.ok(cards.length > 30, 'more than one page of the list')
    t.equal(await page.locator('body').getAttribute('data-printed'), String(cards.length))
    await page.emulateMedia({ media: 'print' })
    const look = await page.evaluate(`({
      background: getComputedStyle(document.documentElement).backgroundColor,
      seen: ['.tools', '.rows', '.overview', '.cards'].filter((at) => document.querySelector(at)?.checkVisibility()),
      missing: [...document.querySelectorAll('.cards img')].filter(({ naturalWidth }) => naturalWidth === 0).length,
    })`)
    t.strictSame(look, { background: 'rgb(255, 255, 255)', seen: ['.cards'], missing: 0 })
    t.match(await page.locator('.cards').textContent(), /falten/)
    t.strictSame(complaints, [])
  })

  await t.test('pictures are dimmed in the dark', async (t) => {
    const { page } = await app.newPerson({ colorScheme: 'dark' })
    await page.goto(`${app.url}/decks/sql`)
    const { cards } = (await (await page.request.get(`${app.url}/api/review/cards?deck=sql`)).json()) as {
      cards: { card_id: number; answer: string; question: string }[]
    }
    const card = cards.find(({ answer, question }) => /!\[/.test(answer + question))
    await page.goto(`${app.url}/karten/${card?.card_id}`)
    await page.getByText('Antwort', { exact: true }).click()
    const picture = page.locator('.picture img').first()
    await picture.waitFor()
    await until(
      page,
      `(({ complete, naturalWidth }) => complete && naturalWidth > 0)(document.querySelector('.picture img'))`,
    )
    const shot = await page.locator('.picture').first().screenshot()
    const { page: blank } = await app.newBrowser()
    const brightest = (await blank.evaluate(`(async () => {
      const image = new Image()
      image.src = 'data:image/png;base64,${shot.toString('base64')}'
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.width; canvas.height = image.height
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      let bright = 0
      for (let at = 0; at < data.length; at += 4) if ((data[at] + data[at + 1] + data[at + 2]) / 3 > 225) bright++
      return bright / (data.length / 4)
    })()`)) as number
    t.comment(`${Math.round(brightest * 100)} % of the picture are nearly white`)
    t.ok(brightest < 0.02)
  })

  await t.test('a first password', async (t) => {
    const users = [{ username: 'neu', display_name: 'Nina Neu', password: 'vier-zufaellige-woerter' }]
    const made = await app.asAdmin('POST', '/api/accounts/bulk', { users })
    t.equal(made.status, 200)
    const { page } = await app.newBrowser()
    await page.goto(`${app.url}/anmelden`)
    await page.getByLabel('Benutzername').fill('neu')
    await page.getByLabel('Passwort', { exact: true }).fill('vier-zufaellige-woerter')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByRole('heading', { name: 'Neues Passwort' }).waitFor()
    t.equal(await page.getByLabel('Bisheriges Passwort').count(), 0, 'the password just typed is not required again')
    t.equal(await page.evaluate('document.activeElement.autocomplete'), 'new-password')
    t.strictSame(await findBarriers(page), [])
    await page.reload()
    await page.getByLabel('Bisheriges Passwort').waitFor()
    await page.context().clearCookies()
    await page.goto(`${app.url}/anmelden`)
    await page.getByLabel('Benutzername').fill('neu')
    await page.getByLabel('Passwort', { exact: true }).fill('vier-zufaellige-woerter')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.getByLabel('Neues Passwort').fill('mein ganz eigenes Passwort')
    await page.getByRole('button', { name: 'Passwort ändern' }).click()
    await page.getByRole('heading', { name: /^Hallo/ }).waitFor()
  })
})
