import type { Locator, Page } from 'playwright-core'
import { until } from './patience.js'

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

/** Expression that is true unless a session or a quiz ignores input, as it does for a short time after each change */
const READY = `document.querySelector('.session:not([data-ready]), .run:not([data-ready])') === null`

/** Waits until the session or quiz of the page accepts keys, clicks and taps. */
export function untilReady(page: Page): Promise<void> {
  return until(() => page.evaluate<boolean>(READY), 'a session that accepts input')
}

/**
 * Presses keys one after another. Waits before each key until the page accepts it, and after each key until the state
 * has changed.
 * @throws Error if a key changes nothing
 */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await untilReady(page)
    const before = await page.evaluate(VIEW)
    await page.keyboard.press(key)
    await until(async () => (await page.evaluate(VIEW)) !== before, `an effect of the key „${key}“`)
  }
  await untilReady(page)
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
