import { existsSync } from 'node:fs'
import t from 'tap'
import { CHROMIUM, DESK, findBarriers, isTooWide, openApp, PHONE, studySome } from './support/app.js'
import { PAGES } from './support/pages.js'
import { writeAssignment, writeSome, writeTasks, writeTeam, writeTest } from './support/written.js'

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: DESK },
  { name: 'dark', colorScheme: 'dark', viewport: DESK },
  { name: 'phone', colorScheme: 'light', viewport: PHONE },
  { name: '320 px', colorScheme: 'light', viewport: { width: 320, height: 640 } },
  { name: 'forced colours', colorScheme: 'dark', forcedColors: 'active', viewport: DESK },
] as const

t.test('every page', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const app = await openApp(t)
  await writeSome(app)
  await writeTest(app)
  await writeTeam(app)
  await writeTasks(app)
  await writeAssignment(app)
  for (const { name, ...look } of LOOKS) {
    await t.test(
      `has no accessibility violation, console error or horizontal scrolling in the theme „${name}“`,
      async (t) => {
        const person = await app.newPerson({ ...look, isAdmin: true, reducedMotion: 'reduce' })
        const { page, complaints } = person
        await studySome(person, app.url)
        for (const { path, ready = 'h1' } of PAGES) {
          await page.goto(`${app.url}/${path}`)
          await page.locator(ready).first().waitFor()
          // Forced colours are chosen by the system, so their contrast is not checked.
          const isOurs = (barrier: string) => name !== 'forced colours' || !barrier.startsWith('color-contrast')
          t.strictSame((await findBarriers(page)).filter(isOurs), [], `${path}: barriers`)
          t.notOk(await isTooWide(page), `${path}: fits the window`)
          t.equal(await page.locator('h1').count(), 1, `${path}: one heading`)
          t.match(await page.title(), / · Training$/, `${path}: title`)
        }
        t.strictSame(complaints, [])
      },
    )
  }

  await t.test('fits the width at 200 % zoom and with the largest text size', async (t) => {
    for (const { viewport, textSize } of [
      // A window of 1280 pixels at 200 %
      { viewport: { width: 640, height: 450 }, textSize: 'normal' },
      { viewport: { width: 1024, height: 768 }, textSize: 'larger' },
      { viewport: PHONE, textSize: 'larger' },
    ]) {
      const person = await app.newPerson({ viewport, isAdmin: true, reducedMotion: 'reduce' })
      await studySome(person, app.url)
      await person.page.evaluate(`localStorage.setItem('training.look', '{"textSize":"${textSize}"}')`)
      for (const { path, ready = 'h1' } of PAGES) {
        await person.page.goto(`${app.url}/${path}`)
        await person.page.locator(ready).first().waitFor()
        t.notOk(await isTooWide(person.page), `${path}: ${viewport.width} ${textSize}`)
      }
    }
  })
})
