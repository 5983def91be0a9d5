import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { CHROMIUM, DESK, findBarriers, isTooWide, openApp, PHONE, studySome } from './support/app.js'
import { PAGES } from './support/pages.js'
import { writeAll } from './support/written.js'

interface Look {
  name: string
  viewport: { width: number; height: number }
  colorScheme?: 'light' | 'dark'
  textSize?: 'larger'
  /** Accessibility faults to check; none if undefined */
  barriers?: 'all' | 'contrast'
}

const DESK_LOOK: Look = { name: 'desk', viewport: DESK, barriers: 'all' }
/** Views that differ only in media queries and text size, so that a page is loaded once for all of them */
const LOOKS: Look[] = [
  DESK_LOOK,
  { name: 'dark', viewport: DESK, colorScheme: 'dark', barriers: 'contrast' },
  { name: 'phone', viewport: PHONE, barriers: 'all' },
  { name: '320 px', viewport: { width: 320, height: 640 } },
  { name: 'a window of 1280 px at 200 %', viewport: { width: 640, height: 450 } },
  { name: 'larger text', viewport: { width: 1024, height: 768 }, textSize: 'larger' },
  { name: 'phone, larger text', viewport: PHONE, textSize: 'larger' },
]

async function apply(page: Page, { viewport, colorScheme = 'light', textSize }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(viewport)
  await page.evaluate(`(async () => {
    document.documentElement.dataset.textSize = '${textSize ?? ''}'
    // Charts follow the width in the next frame.
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
  })()`)
}

t.test('every page', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  await writeAll(app)
  const person = await app.newPerson({ isAdmin: true, reducedMotion: 'reduce' })
  const { page, complaints } = person
  await studySome(person, app.url)
  for (const { path, ready = 'h1' } of PAGES) {
    await t.test(`„${path}“ is accessible and fits the window in every view`, async (t) => {
      await apply(page, DESK_LOOK)
      await page.goto(`${app.url}/${path}`)
      await page.locator(ready).first().waitFor()
      t.equal(await page.locator('h1').count(), 1, 'one heading')
      t.match(await page.title(), / · Training$/)
      for (const look of LOOKS) {
        await apply(page, look)
        t.notOk(await isTooWide(page), `${look.name}: fits`)
        if (look.barriers) t.strictSame(await findBarriers(page, look.barriers), [], `${look.name}: no barriers`)
      }
      t.strictSame(complaints.splice(0), [], 'the console is empty')
    })
  }
})
