import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { deckFile, writeContentFolder } from '../../support/content.js'
import { CHROMIUM, logInAs, openApp, until } from '../support/app.js'
import { createGate } from '../support/gate.js'
import { untilReady } from '../support/keys.js'
import { numberedDeck } from '../support/numbered-deck.js'
import { until as untilTrue } from '../support/patience.js'
import { routeOnce } from '../support/route.js'

/** Expression that is true once the service has stored the result */
const IS_STORED = 'localStorage[Object.keys(localStorage).find((key) => /quiz/.test(key))].includes("stored")'

/** Expression that is true while no result waits to be sent */
const NONE_WAITS = '!Object.keys(localStorage).some((key) => key.startsWith("training.results."))'

const AUTHORED = deckFile('Deck gamma', [
  { id: 'gilt', question: 'Was gilt?', answer: 'Dies.\n\n- [ ] Das nicht\n- [ ] Jenes nicht\n- [ ] Nichts davon' },
])

/** Returns the number in the text of the current question. The right answer contains the same number. */
async function numberAsked(page: Page): Promise<string> {
  const text = await page.locator('section .question').textContent()
  return /Frage (\d+)/.exec(text ?? '')?.[1] ?? ''
}

async function answerByKey(page: Page, isRight: boolean): Promise<void> {
  const number = await numberAsked(page)
  const options = await page.locator('.options button').allTextContents()
  const right = options.findIndex((text) => text.trim().endsWith(`Antwort ${number}`))
  await untilReady(page)
  await page.keyboard.press(String((isRight ? right : (right + 1) % options.length) + 1))
  await page.getByText(isRight ? 'Richtig' : 'Leider falsch', { exact: true }).waitFor()
}

t.test('quiz', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const folder = await writeContentFolder(t, {
    'decks/alpha.md': numberedDeck('Deck alpha', 1, 5),
    'decks/beta.md': numberedDeck('Deck beta', 21, 40),
    'decks/gamma.md': AUTHORED,
  })
  const app = await openApp(t, { config: { contentDir: folder } })
  const { page, complaints, login } = await app.newPerson()
  const results = async () => (await (await page.request.get(`${app.url}/api/quiz/history`)).json()).results
  const begin = async () => {
    await page.getByRole('button', { name: 'Quiz beginnen' }).press('Enter')
    await page.getByText('Frage 1 von 5').waitFor()
  }
  const playToTheEnd = async (isRight: (at: number) => boolean, from = 0) => {
    for (let at = from; at < 5; at += 1) {
      await page.getByText(`Frage ${at + 1} von 5`).waitFor()
      await answerByKey(page, isRight(at))
      await page.keyboard.press('Enter')
    }
    await page.getByRole('heading', { name: 'Ergebnis' }).waitFor()
  }

  await t.test('works by keyboard alone, with a reload in the middle', async (t) => {
    await page.goto(`${app.url}/quiz/alpha`)
    await begin()
    await answerByKey(page, false)
    t.match(await page.locator('.options .wrong').textContent(), /falsch$/)
    t.match(await page.locator('.options .right').textContent(), /richtig$/)
    t.equal(await page.locator('.options button[aria-disabled=true]').count(), 4)
    t.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Weiter')
    await page.reload()
    await page.getByText('Leider falsch', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await playToTheEnd((at) => at !== 2, 1)
    t.match(await page.locator('main').textContent(), /3 von 5 richtig\s*60 % in \d+ (Sekunde|Minute)n?/)
    t.equal(await page.locator('summary', { hasText: 'falsch' }).count(), 2)
    await until(page, IS_STORED)
    t.match(await results(), [{ deck_slug: 'alpha', total_questions: 5, correct_answers: 3, score_percent: 60 }])
    await page.reload()
    await page.getByText('3 von 5').waitFor()
    t.equal((await results()).length, 1)
  })

  await t.test('offers the wrong answers of the author', async (t) => {
    const { page } = await app.newPerson()
    await page.goto(`${app.url}/quiz/gamma`)
    await page.getByRole('button', { name: 'Quiz beginnen' }).click()
    await page.getByText('Frage 1 von 1').waitFor()
    const texts = await page.locator('.options button .text').allTextContents()
    t.strictSame(texts.map((text) => text.replace(/^:\s*/, '').trim()).sort(), [
      'Das nicht',
      'Dies.',
      'Jenes nicht',
      'Nichts davon',
    ])
    await page.context().close()
  })

  await t.test('makes wrong cards due for learning and undoes that', async () => {
    // The outbox sends the ratings with a delay.
    const isDue = (count: number) =>
      untilTrue(async () => {
        const queue = await (await page.request.get(`${app.url}/api/review/queue`)).json()
        return queue.counts.due === count
      }, `${count} cards are due`)
    await page.getByRole('button', { name: '2 Karten nochmal lernen' }).click()
    await page.getByText('2 Karten kommen heute noch einmal.').waitFor()
    await isDue(2)
    await page.getByRole('button', { name: 'Zurücknehmen' }).click()
    await page.getByText('Zurückgenommen.').waitFor()
    await isDue(0)
    await page.getByRole('button', { name: '2 Karten nochmal lernen' }).click()
    await page.getByText('Die falschen Karten kommen heute noch einmal dran.').waitFor()
    await isDue(2)
  })

  await t.test('repeats the wrong questions without storing a result', async (t) => {
    await page.getByRole('button', { name: 'Die falschen noch einmal' }).click()
    for (const at of [1, 2]) {
      await page.getByText(`Frage ${at} von 2`).waitFor()
      await answerByKey(page, true)
      await page.keyboard.press('Enter')
    }
    await page.getByText('zählt nicht als Ergebnis').waitFor()
    t.equal((await results()).length, 1)
    await page.getByRole('button', { name: 'Neues Quiz' }).click()
    await page.getByRole('heading', { name: 'Dein letztes Ergebnis' }).waitFor()
    await page.getByText('Als Tabelle').click()
    await page.locator('tbody tr').first().waitFor()
    t.match(await page.locator('tbody tr').allTextContents(), [/Deck alpha\s*3 von 5\s*60/])
  })

  for (const isStored of [true, false]) {
    await t.test(`a result whose ${isStored ? 'answer' : 'request'} is lost is stored once`, async (t) => {
      const before = (await results()).length
      await page.goto(`${app.url}/quiz/alpha`)
      await begin()
      await page.route('**/api/quiz/submit', async (route) => {
        if (isStored) await route.fetch()
        await route.abort()
      })
      await playToTheEnd(() => true)
      await page.getByText('Das Ergebnis ist noch nicht gespeichert.').waitFor()
      t.equal((await results()).length, before + Number(isStored))
      await page.getByRole('button', { name: 'Neues Quiz' }).click()
      await page.getByText(/^1 Ergebnis wartet auf diesem Gerät darauf, gespeichert zu werden, seit \d/).waitFor()
      await page.unroute('**/api/quiz/submit')
      await page.goto(app.url)
      await until(page, NONE_WAITS)
      t.equal((await results()).length, before + 1)
      await page.goto(`${app.url}/quiz/alpha`)
    })
  }

  for (const isOpen of [false, true]) {
    await t.test(
      `a result that the start page of ${isOpen ? 'another' : 'a later'} tab sends is stored once`,
      async (t) => {
        const before = (await results()).length
        await begin()
        await page.route('**/api/quiz/*', (route) => route.abort())
        await playToTheEnd(() => true)
        const notice = page.getByText('Das Ergebnis ist noch nicht gespeichert.')
        await notice.waitFor()
        // Leaves the result without a visit of another page of the app.
        if (!isOpen) await page.goto('about:blank')
        const other = await page.context().newPage()
        await other.goto(app.url)
        await until(other, NONE_WAITS)
        await other.close()
        await page.unroute('**/api/quiz/*')
        if (isOpen) {
          await notice.waitFor({ state: 'detached' })
          await page.evaluate("dispatchEvent(new Event('online'))")
        } else {
          await page.goto(`${app.url}/quiz`)
          await page.getByRole('button', { name: 'Quiz beginnen' }).waitFor()
        }
        await until(page, NONE_WAITS)
        t.equal((await results()).length, before + 1)
        await page.goto(`${app.url}/quiz/alpha`)
        await page.getByRole('button', { name: 'Neues Quiz' }).click()
      },
    )
  }

  await t.test('a late response to a result does not change the next quiz, whose result is sent as well', async (t) => {
    const before = (await results()).length
    const gate = createGate()
    await begin()
    await routeOnce(page, '**/api/quiz/submit', async (route) => {
      await gate.opened
      await route.continue()
    })
    const sent = page.waitForRequest('**/api/quiz/submit')
    await playToTheEnd(() => true)
    await sent
    await page.getByRole('button', { name: 'Neues Quiz' }).click()
    await begin()
    await playToTheEnd((at) => at < 2)
    const first = page.waitForResponse('**/api/quiz/submit')
    gate.open()
    await first
    await until(page, IS_STORED)
    t.match(await page.locator('main').textContent(), '2 von 5 richtig')
    t.match((await results()).slice(0, -before), [{ correct_answers: 2 }, { correct_answers: 5 }])
  })

  await t.test('the wrong cards are taken back after the result was left', async () => {
    await page.getByRole('button', { name: '3 Karten nochmal lernen' }).click()
    await page.getByText('3 Karten kommen heute noch einmal.').waitFor()
    await page.getByRole('button', { name: 'Neues Quiz' }).click()
    await page.getByRole('button', { name: 'Quiz beginnen' }).waitFor()
    await page.getByRole('button', { name: 'Zurücknehmen' }).click()
    await page.getByText('Zurückgenommen.').waitFor()
  })

  await t.test('asks about an open quiz before another one starts, and undoes giving up', async () => {
    await begin()
    await page.getByRole('button', { name: 'Abbrechen' }).click()
    await page.getByRole('button', { name: 'Zurücknehmen' }).click()
    await page.getByText('Frage 1 von 5').waitFor()
    await page.goto(`${app.url}/quiz`)
    await page.getByText('Du bist mitten in einem Quiz: Deck alpha, Frage 1 von 5.').waitFor()
    await page.getByRole('button', { name: 'Weitermachen' }).click()
    await page.waitForURL(/quiz\/alpha$/)
    await page.getByText('Frage 1 von 5').waitFor()
  })

  await t.test('deletes its data at logout, but sends a waiting result after the next login', async (t) => {
    const before = (await results()).length
    await page.route('**/api/quiz/submit', (route) => route.abort())
    await playToTheEnd(() => true)
    await page.getByText('Das Ergebnis ist noch nicht gespeichert.').waitFor()

    const kept = () => page.evaluate('Object.keys(localStorage).filter((key) => /quiz/.test(key)).length')
    t.equal(await kept(), 1)
    await page.goto(app.url)
    await page
      .getByRole('button', { name: /Erika|Konto|Muster/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Abmelden' }).click()
    await page.getByRole('button', { name: 'Anmelden' }).waitFor()
    t.equal(await kept(), 0)
    await page.unroute('**/api/quiz/submit')
    await logInAs(page, app.url, login)
    await page.goto(`${app.url}/quiz`)
    await until(page, NONE_WAITS)
    t.equal((await results()).length, before + 1)
    t.strictSame(
      complaints.filter((complaint) => !complaint.includes('ERR_FAILED')),
      [],
    )
  })
})
