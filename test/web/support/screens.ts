// Photographs every page in three looks into docs/screens/: `npm run screens`. A person with a past looks at the shipped
// content, on a store of its own.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../support/service.js'
import { DESK, openApp, PHONE, studySome } from './app.js'
import { PAGES } from './pages.js'

const FOLDER = path.join(ROOT, 'docs/screens')
const LOOKS = [
  { look: 'hell', colorScheme: 'light', viewport: DESK },
  { look: 'dunkel', colorScheme: 'dark', viewport: DESK },
  { look: 'telefon', colorScheme: 'light', viewport: PHONE },
] as const

const ends: (() => unknown)[] = []
try {
  const app = await openApp({ teardown: (end) => ends.unshift(end) })
  mkdirSync(FOLDER, { recursive: true })
  for (const { look, ...options } of LOOKS) {
    const person = await app.newPerson({ ...options, isAdmin: true, reducedMotion: 'reduce' })
    await studySome(person, app.url, 12)
    for (const { path: address, name, ready = 'h1' } of PAGES) {
      await person.page.goto(`${app.url}/${address}`, { waitUntil: 'networkidle' })
      await person.page.locator(ready).first().waitFor()
      await person.page.screenshot({ path: path.join(FOLDER, `${name}-${look}.png`) })
    }
  }
} finally {
  for (const end of ends) await end()
}
