import { existsSync } from 'node:fs'
import t from 'tap'
import { CHROMIUM, DESK, findBarriers, isTooWide, PHONE } from './support/app.js'
import { visitSignInStates } from './support/sign-in-states.js'

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: DESK },
  { name: 'dark', colorScheme: 'dark', viewport: DESK },
  { name: 'phone', colorScheme: 'light', viewport: PHONE },
  { name: '320 px', colorScheme: 'dark', viewport: { width: 320, height: 640 } },
] as const

t.test(
  'login, account and administration are accessible and fit the width with all sign-in methods',
  { skip: !existsSync(CHROMIUM) && 'no Chromium' },
  async (t) => {
    await visitSignInStates(t, async (page, state) => {
      for (const { name, colorScheme, viewport } of LOOKS) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize(viewport)
        t.strictSame(await findBarriers(page), [], `${state}, ${name}: barriers`)
        t.notOk(await isTooWide(page), `${state}, ${name}: fits the window`)
      }
    })
  },
)
