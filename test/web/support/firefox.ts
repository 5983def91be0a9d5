import { firefox, type Page } from 'playwright-core'
import { PATIENCE_MS } from './patience.js'

/** Debian's Firefox, installed by `.ci/run` */
export const FIREFOX = '/usr/bin/firefox-esr'

/** Opens a page in Debian's Firefox through WebDriver BiDi, because Playwright's protocol needs a patched Firefox. */
export async function openFirefox(t: { teardown(end: () => unknown): void }): Promise<Page> {
  const firefoxUserPrefs = { 'intl.accept_languages': 'de' }
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath: FIREFOX, firefoxUserPrefs })
  t.teardown(() => browser.close())
  const context = await browser.newContext()
  context.setDefaultTimeout(PATIENCE_MS)
  return context.newPage()
}
