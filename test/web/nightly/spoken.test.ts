import { existsSync } from 'node:fs'
import t from 'tap'
import { CHROMIUM, openApp } from '../support/app.js'
import { press } from '../support/keys.js'

const top = (left: number, isFirst: boolean) => `
  - heading "Lernen" [level=1]
  - link "Lernen beenden":
    - /url: .
  - paragraph: noch ${left}
  - meter "Fortschritt"
  - button "Letzten Schritt zurücknehmen"${isFirst ? ' [disabled]' : ''}
  - button "Mehr zu dieser Karte"`

const question = (left: number, isFirst: boolean, text: string) => `- main:${top(left, isFirst)}
  - group "Karte":
    - article:
      - paragraph: Git · grundlagen
      - region "Frage":
        - paragraph: ${text}
  - group "Bewertung":
    - button "Antwort zeigen Leertaste"`

const answer = (left: number, text: string) => `- main:${top(left, true)}
  - group "Karte":
    - article:
      - paragraph: Git · grundlagen
      - region "Frage":
        - paragraph: ${text}
      - region "Antwort":
        - paragraph: Der Index.
  - group "Bewertung":
    - button "Nochmal 1 heute":
      - text: Nochmal 1
      - time: heute
    - button "Schwer 2 übermorgen":
      - text: Schwer 2
      - time: übermorgen
    - button "Gut 3 in 3 Tagen":
      - text: Gut 3
      - time: in 3 Tagen
    - button "Leicht 4 in 6 Tagen":
      - text: Leicht 4
      - time: in 6 Tagen`

t.test('a session as a screen reader reads it', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  const { page } = await app.newPerson()
  // Replaces the texts with short fixed texts, because the test checks the order and not the content.
  await page.route('**/api/review/queue*', async (route) => {
    const response = await route.fetch()
    const queue = (await response.json()) as {
      cards: { question: string; answer: string; deck: object; level: string }[]
    }
    for (const [at, card] of queue.cards.entries()) {
      Object.assign(card, { question: `Frage ${at + 1}?`, answer: 'Der Index.', level: 'grundlagen' })
      Object.assign(card.deck, { name: 'Git' })
    }
    await route.fulfill({ response, json: queue })
  })
  await page.goto(`${app.url}/lernen`)
  await page.getByRole('button', { name: 'Antwort zeigen' }).waitFor()
  t.equal(await page.locator('main').ariaSnapshot(), question(20, true, 'Frage 1?'))

  await press(page, 'Space')
  await page.getByRole('button', { name: 'Gut' }).waitFor()
  const dates = /(übermorgen|in \d+ Tagen|morgen)/g
  const spoken = await page.locator('main').ariaSnapshot()
  t.equal(spoken.replaceAll(dates, 'bald'), answer(20, 'Frage 1?').replaceAll(dates, 'bald'))

  await press(page, '3')
  await page.getByRole('button', { name: 'Antwort zeigen' }).waitFor()
  t.equal(await page.locator('main').ariaSnapshot(), question(19, false, 'Frage 2?'))
  // The focus stays on the card. If it moved to a rating button, the next Space would press that button.
  t.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Karte')
})
