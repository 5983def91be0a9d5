// Photographs every page in three looks into docs/screens/: `npm run screens`. A person with a past looks at the shipped
// content, on a store of its own.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../support/service.js'
import { DESK, openApp, PHONE, studyForWeeks } from './app.js'
import { PAGES } from './pages.js'

const FOLDER = path.join(ROOT, 'docs/screens')
const LOOKS = [
  { look: 'hell', colorScheme: 'light', viewport: DESK },
  { look: 'dunkel', colorScheme: 'dark', viewport: DESK },
  { look: 'telefon', colorScheme: 'light', viewport: PHONE },
] as const

const TEAM = ['Jürgen Größer', 'Aylin Demir', 'Tomasz Nowak', 'Lena Weiß', 'Noah Berger', 'Sofia Rossi']
const usernameOf = (name: string) => name.split(' ')[0]?.toLowerCase() ?? ''

const ends: (() => unknown)[] = []
try {
  const app = await openApp({ teardown: (end) => ends.unshift(end) })
  await app.asAdmin('POST', '/api/accounts/bulk', {
    users: TEAM.map((name) => ({ username: usernameOf(name), display_name: name })),
  })
  mkdirSync(FOLDER, { recursive: true })
  for (const { look, ...options } of LOOKS) {
    const person = await app.newPerson({ ...options, isAdmin: true, reducedMotion: 'reduce' })
    await studyForWeeks(person, app.url)
    // Where the content lies on the machine that takes the pictures is nobody's business.
    await person.page.route('**/api/content/state', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), content_dir: '/srv/training/content' } })
    })
    for (const { path: address, name, ready = 'h1' } of PAGES) {
      await person.page.goto(`${app.url}/${address}`, { waitUntil: 'networkidle' })
      await person.page.locator(ready).first().waitFor()
      await person.page.screenshot({ path: path.join(FOLDER, `${name}-${look}.png`) })
    }
  }
} finally {
  for (const end of ends) await end()
}
