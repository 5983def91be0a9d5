import type { Page } from 'playwright-core'
import type { App } from './app.js'
import { until } from './patience.js'
import { post } from './written.js'

/** A deck with one question of each form */
export const QUESTIONS = `---
name: Datenschutz
---
## Wann muss eine Datenpanne gemeldet werden?
<!-- id: panne; level: pflicht -->

### Antwort
Innerhalb von **72 Stunden** an die Aufsichtsbehörde (Art. 33 DSGVO).

- [x] Innerhalb von 72 Stunden
- [ ] Innerhalb von 24 Stunden
  > 24 Stunden gilt für die Frühwarnung nach NIS-2.
- [ ] Innerhalb von 7 Tagen

## Welche Rechte haben Betroffene?
<!-- id: rechte; level: pflicht -->

### Antwort
Auskunft und Löschung (Art. 15 und 17 DSGVO).

- [x] Auskunft
- [x] Löschung
- [ ] Rabatt
- [ ] Werbung auf Wunsch

## Wie heißt die oberste Behörde des Bundes, kurz?
<!-- id: behoerde; level: pflicht; form: text -->

### Antwort
BfDI

## Wie groß darf ein Anhang sein?
<!-- id: anhang; level: pflicht; form: number; unit: MB -->

### Antwort
1500

## In welcher Reihenfolge gehst du bei einer Datenpanne vor?
<!-- id: ablauf; level: pflicht; form: order -->

### Antwort
1. Vorfall melden
2. Ursache abstellen
3. Betroffene informieren

## Ergänze die Frist.
<!-- id: frist; level: pflicht; form: gaps -->

### Antwort
Nach {{72|zweiundsiebzig}} Stunden ist die {{Aufsichtsbehörde|Behörde}} informiert.
`

/** Definition of a test without shuffling, so that the order of its questions is known */
const DEFINITION = {
  description: 'Für alle mit Zugang zu **personenbezogenen** Daten',
  introduction: 'Nimm dir Zeit und lies jede Frage bis zum Ende.',
  shuffle: false,
  sections: [{ deck: 'datenschutz' }],
}

/**
 * Publishes tests of the deck „Datenschutz“ as an administrator.
 * @param definitions by slug of the test; each replaces fields of the default definition
 */
export async function publishTests(app: App, definitions: Record<string, Record<string, unknown>>): Promise<void> {
  const { source } = await post<{ source: { id: number } }>(app, '/api/content/sources', { name: 'Prüfungen' })
  for (const [slug, definition] of Object.entries(definitions)) {
    const test = { source_id: source.id, name: slug, ...DEFINITION, ...definition }
    await post(app, `/api/content/tests/${slug}`, test, 'PUT')
    await post(app, `/api/content/tests/${slug}/publish`, {})
  }
}

export interface StoredQuestion {
  slot: number
  form: string
  options?: { id: string; text: string }[]
  seq: number
  answer: { option_ids?: string[]; text?: string; item_ids?: string[]; gaps?: Record<string, string> } | null
}

export async function readAttempt(
  { request }: Page,
  app: App,
  id: number,
): Promise<{ state: string; deadline: string | null; seconds_left: number | null; questions: StoredQuestion[] }> {
  const response = await request.get(`${app.url}/api/tests/attempts/${id}`)
  if (!response.ok()) throw new Error(`${response.status()} ${await response.text()}`)
  return (await response.json()).attempt
}

export function untilAttempt(
  page: Page,
  app: App,
  id: number,
  isWanted: (attempt: Awaited<ReturnType<typeof readAttempt>>) => boolean,
): Promise<void> {
  return until(async () => isWanted(await readAttempt(page, app, id)), `attempt ${id} as wanted: ${isWanted}`)
}

export async function beginTest(page: Page, app: App, slug: string): Promise<number> {
  await page.goto(`${app.url}/tests/${slug}`)
  await page.getByRole('button', { name: /beginnen$/ }).click()
  await page.getByText('Wann muss eine Datenpanne gemeldet werden?').waitFor()
  await page.waitForURL(/versuche\/\d+/)
  return Number(/versuche\/(\d+)/.exec(page.url())?.[1])
}

const ACTIVE = `(() => {
  const { activeElement: element } = document
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
  return label.replaceAll(/\\s+/g, ' ').trim()
})()`

async function tabTo(page: Page, label: RegExp): Promise<void> {
  const passed: string[] = []
  for (let left = 80; left > 0; left--) {
    const found = String(await page.evaluate(ACTIVE))
    if (label.test(found)) return
    passed.push(found.slice(0, 40))
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${label}: ${passed.join(' | ')}`)
}

/** Takes the test of `QUESTIONS` from its page to its result with the keyboard alone. Every answer is right. */
export async function takeByKeyboard(page: Page): Promise<void> {
  const isSaved = () => page.locator('[data-state=saved]').waitFor()
  const next = async (text: string) => {
    await isSaved()
    await tabTo(page, /^Weiter$/)
    await page.keyboard.press('Enter')
    await page.getByText(text).waitFor()
  }
  await tabTo(page, /beginnen$/)
  await page.keyboard.press('Enter')
  await page.getByText('Wann muss eine Datenpanne gemeldet werden?').waitFor()
  await tabTo(page, /^Innerhalb/)
  await page.keyboard.press('Space')
  for (let left = 3; left > 0 && !String(await page.evaluate(ACTIVE)).includes('72 Stunden'); left--) {
    await page.keyboard.press('ArrowDown')
  }
  await next('Welche Rechte haben Betroffene?')
  // Follows the displayed order, because Tab leaves the page after the last control.
  for (const option of await page.locator('.options label .text').allTextContents()) {
    if (!['Auskunft', 'Löschung'].includes(option)) continue
    await tabTo(page, new RegExp(`^${option}`))
    await page.keyboard.press('Space')
  }
  await next('Wie heißt die oberste Behörde')
  await tabTo(page, /^Deine Antwort/)
  await page.keyboard.type('bfdi')
  await next('Wie groß darf ein Anhang sein?')
  await tabTo(page, /^Deine Antwort in MB/)
  await page.keyboard.type('1.500')
  await page.getByText('„1.500“ ist mehrdeutig: 1500 oder 1,500?').waitFor()
  await page.keyboard.press('Backspace')
  for (const key of ['Backspace', 'Backspace', 'Backspace', '5', '0', '0']) await page.keyboard.press(key)
  await next('In welcher Reihenfolge gehst du')
  for (const [place, text] of ['Vorfall melden', 'Ursache abstellen', 'Betroffene informieren'].entries()) {
    for (let at = await placeOf(page, text); at > place; at = await placeOf(page, text)) {
      await tabTo(page, new RegExp(`^Nach oben: ${text}`))
      await page.keyboard.press('Enter')
      await page.getByText(`${text}: jetzt Platz ${at} von 3`).waitFor({ state: 'attached' })
    }
  }
  const isGivenOrder = page.getByRole('button', { name: 'Die Reihenfolge stimmt schon so' })
  if (await isGivenOrder.isVisible()) {
    await tabTo(page, /stimmt schon so/)
    await page.keyboard.press('Enter')
  }
  await next('Ergänze die Frist.')
  await tabTo(page, /^Lücke 1 von 2/)
  await page.keyboard.type('zweiundsiebzig')
  await tabTo(page, /^Lücke 2 von 2/)
  await page.keyboard.type('behörde')
  await isSaved()
  await tabTo(page, /^Abgeben …$/)
  await page.keyboard.press('Enter')
  await page.getByText('Alle Fragen sind beantwortet.').waitFor()
  await tabTo(page, /^Abgeben$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Bestanden' }).waitFor()
}

/** Takes the test of `QUESTIONS` from its page to its result by touch alone. Every answer is right. */
export async function takeByTouch(page: Page): Promise<void> {
  const isSaved = () => page.locator('[data-state=saved]').waitFor()
  const next = async (text: string) => {
    await isSaved()
    await page.getByRole('button', { name: 'Weiter', exact: true }).tap()
    await page.getByText(text).waitFor()
  }
  await page.getByRole('button', { name: /beginnen$/ }).tap()
  await page.getByText('Wann muss eine Datenpanne gemeldet werden?').waitFor()
  await page.locator('label', { hasText: '72 Stunden' }).tap()
  await next('Welche Rechte haben Betroffene?')
  for (const option of ['Auskunft', 'Löschung']) await page.locator('label', { hasText: option }).tap()
  await next('Wie heißt die oberste Behörde')
  await page.getByLabel('Deine Antwort').tap()
  await page.keyboard.insertText('BfDI')
  await next('Wie groß darf ein Anhang sein?')
  await page.getByLabel('Deine Antwort in MB').tap()
  await page.keyboard.insertText('1500')
  await next('In welcher Reihenfolge gehst du')
  for (const [place, text] of ['Vorfall melden', 'Ursache abstellen', 'Betroffene informieren'].entries()) {
    for (let at = await placeOf(page, text); at > place; at = await placeOf(page, text)) {
      await page.getByRole('button', { name: `Nach oben: ${text}` }).tap()
      await page.getByText(`${text}: jetzt Platz ${at} von 3`).waitFor({ state: 'attached' })
    }
  }
  const isGivenOrder = page.getByRole('button', { name: 'Die Reihenfolge stimmt schon so' })
  if (await isGivenOrder.isVisible()) await isGivenOrder.tap()
  await next('Ergänze die Frist.')
  for (const [gap, text] of ['72', 'Behörde'].entries()) {
    await page.getByLabel(`Lücke ${gap + 1} von 2`).tap()
    await page.keyboard.insertText(text)
  }
  await isSaved()
  await page.getByRole('button', { name: 'Abgeben …' }).first().tap()
  await page.getByText('Alle Fragen sind beantwortet.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Abgeben', exact: true }).tap()
  await page.getByRole('heading', { name: 'Bestanden' }).waitFor()
}

async function placeOf(page: Page, text: string): Promise<number> {
  const items = await page.locator('.items li').allTextContents()
  return items.findIndex((item) => item.includes(text))
}
