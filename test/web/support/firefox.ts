import { firefox, type Page } from 'playwright-core'

/** Debian's Firefox, installed by `.ci/run` */
export const FIREFOX = '/usr/bin/firefox-esr'

/** Timeout of a step in milliseconds, on a slow or busy machine */
export const PATIENCE_MS = 120_000

/** Opens a page in Debian's Firefox through WebDriver BiDi, because Playwright's protocol needs a patched Firefox. */
export async function openFirefox(t: { teardown(end: () => unknown): void }): Promise<Page> {
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath: FIREFOX })
  t.teardown(() => browser.close())
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  return page
}
