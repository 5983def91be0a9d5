import type { Page } from 'playwright-core'
import { PATIENCE_MS } from './firefox.js'

/** Exceeds the time after a change in which a session ignores input */
export const GUARD_MS = 230

/**
 * State that only a key changes: page, dialog, side (`question`, `answer` or `end`) and card. Not the labels of buttons,
 * which late responses change too.
 */
const VIEW = `[
  location.pathname,
  document.querySelectorAll('dialog[open]').length,
  document.querySelector('.session')?.className,
  document.querySelector('article:not([hidden]) .question')?.textContent,
].join()`

/**
 * Presses keys one by one and waits until each has changed something.
 * @throws if a key changes nothing
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

/** @throws if the condition is not met in time */
export async function until(isTrue: () => Promise<boolean>, name: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not in time: ${name}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
