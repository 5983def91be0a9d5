import type { Locator, Page } from 'playwright-core'
import { PATIENCE_MS } from './firefox.js'

/** Pause before a key, in milliseconds; longer than the time for which a session ignores input after a change */
export const GUARD_MS = 230

/**
 * Expression for the state that only keys change: page, dialog, side (`question`, `answer` or `end`) and card. It
 * excludes the labels of buttons, which late responses change as well.
 */
const VIEW = `[
  location.pathname,
  document.querySelectorAll('dialog[open]').length,
  document.querySelector('.session')?.className,
  document.querySelector('article:not([hidden]) .question')?.textContent,
].join()`

/**
 * Presses keys one after another. Waits after each key until the state has changed.
 * @throws Error if a key changes nothing
 */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await page.waitForTimeout(GUARD_MS)
    const before = await page.evaluate(VIEW)
    await page.keyboard.press(key)
    await until(async () => (await page.evaluate(VIEW)) !== before, `an effect of the key „${key}“`)
  }
  await page.waitForTimeout(GUARD_MS)
}

/**
 * Presses Tab until the first element with this accessible name has the focus. Returns the element. Callers should use
 * the element's `press`, because a page that loads may move the focus before the next key.
 * @throws Error if `maxTabs` presses are not enough
 */
export async function tabTo(
  page: Page,
  role: 'button' | 'link' | 'checkbox' | 'radio',
  name: string,
  maxTabs: number,
): Promise<Locator> {
  const target = page.getByRole(role, { name, exact: true }).first()
  await target.waitFor()
  for (let tabs = 0; tabs < maxTabs; tabs++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return target
    await page.keyboard.press('Tab')
  }
  throw new Error(`The keyboard does not reach „${name}“`)
}

/**
 * Waits until the condition is true.
 * @throws Error if it does not become true within `PATIENCE_MS`
 */
export async function until(isTrue: () => Promise<boolean>, name: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not in time: ${name}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
