import { existsSync } from 'node:fs'
import t from 'tap'
import { CHROMIUM, DESK, findBarriers, isTooWide, PHONE } from '../support/app.js'
import { visitSignInStates } from '../support/sign-in-states.js'

/**
 * Views of each state. The dark view has the same window size as the first view, so only its contrast must be checked.
 */
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: DESK, barriers: 'all' },
  { name: 'dark', colorScheme: 'dark', viewport: DESK, barriers: 'contrast' },
  { name: 'phone', colorScheme: 'light', viewport: PHONE, barriers: 'all' },
  { name: '320 px', colorScheme: 'dark', viewport: { width: 320, height: 640 }, barriers: 'all' },
] as const

t.test(
  'login, account and administration are accessible and fit the width with all sign-in methods',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    await visitSignInStates(t, async (page, state) => {
      for (const { name, colorScheme, viewport, barriers } of LOOKS) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize(viewport)
        t.strictSame(await findBarriers(page, barriers), [], `${state}, ${name}: barriers`)
        t.notOk(await isTooWide(page), `${state}, ${name}: fits the window`)
      }
    })
  },
)
