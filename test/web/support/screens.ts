// Takes the screenshots in docs/screens/, and in English in docs/screens/en/: `npm run screens`. Learners' and
// administrators' pages show the shipped content and a user with two weeks of reviews. Authors' pages show content that
// this script creates.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../support/constants.js'
import { DESK, openProgram, PHONE, studyForWeeks } from './app.js'
import { PAGES } from './pages.js'
import { writeSome, writeTest } from './written.js'

const FOLDER = path.join(ROOT, 'docs/screens')
const LOOKS = [
  {
    look: 'hell',
    shown: ['heute', 'spickzettel-seite', 'verwaltung', 'verwaltung-benutzer'],
    colorScheme: 'light',
    viewport: DESK,
  },
  { look: 'dunkel', shown: ['lernen'], colorScheme: 'dark', viewport: DESK },
  { look: 'telefon', shown: ['lernen'], colorScheme: 'light', viewport: PHONE },
] as const

/** Languages of the app, with the texts that this script looks for */
const LANGUAGES = [
  { locale: 'de-DE', folder: FOLDER, show: 'Antwort zeigen', good: 'Gut' },
  { locale: 'en-GB', folder: path.join(FOLDER, 'en'), show: 'Show answer', good: 'Good' },
] as const

const TEAM = ['Jürgen Größer', 'Aylin Demir', 'Tomasz Nowak', 'Lena Weiß', 'Noah Berger', 'Sofia Rossi']
const usernameOf = (name: string) => name.split(' ')[0]?.toLowerCase() ?? ''

const ends: (() => unknown)[] = []
try {
  const app = await openProgram({ teardown: (end) => ends.unshift(end), beforeEach() {}, afterEach() {} })
  await app.asAdmin('POST', '/api/accounts/bulk', {
    users: TEAM.map((name) => ({ username: usernameOf(name), display_name: name })),
  })
  for (const { look, shown, folder, show, good, ...options } of LANGUAGES.flatMap((language) =>
    LOOKS.map((look) => ({ ...language, ...look })),
  )) {
    mkdirSync(folder, { recursive: true })
    const person = await app.newPerson({ ...options, isAdmin: true, reducedMotion: 'reduce' })
    await studyForWeeks(person, app.url)
    // Hides the actual path of the content folder.
    await person.page.route('**/api/content/state', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), content_dir: '/srv/training/content' } })
    })
    for (const { path: address, name, ready = 'h1' } of PAGES.filter((page) =>
      shown.some((one) => one === page.name),
    )) {
      await person.page.goto(`${app.url}/${address}`, { waitUntil: 'networkidle' })
      // The texts of `ready` are German.
      await person.page
        .locator(folder === FOLDER || !ready.startsWith('text=') ? ready : 'h1')
        .first()
        .waitFor()
      if (name === 'lernen') {
        await person.page.getByRole('button', { name: show }).click()
        await person.page.getByRole('button', { name: good }).waitFor()
      }
      await person.page.screenshot({ path: path.join(folder, `${name}-${look}.png`) })
    }
  }
  // The content for these screenshots is created last, because the learners' screenshots show only the shipped content.
  const { cards } = await writeSome(app, 'Netzwerk', 8)
  await writeTest(app)
  const { page } = await app.newPerson({ colorScheme: 'light', viewport: DESK, isAdmin: true, reducedMotion: 'reduce' })
  for (const { address, name, ready } of [
    { address: 'inhalte', name: 'inhalte', ready: 'main table td' },
    { address: `inhalte/decks/netzwerk?karte=${cards[2]}`, name: 'inhalte-karte', ready: 'form textarea' },
    { address: 'inhalte/decks/netzwerk?ansicht=tabelle', name: 'inhalte-tabelle', ready: 'main td' },
    { address: 'inhalte/tests/osi', name: 'inhalte-test', ready: 'main fieldset' },
  ]) {
    await page.goto(`${app.url}/${address}`, { waitUntil: 'networkidle' })
    await page.locator(ready).first().waitFor()
    await page.screenshot({ path: path.join(FOLDER, `${name}-hell.png`) })
  }
} finally {
  for (const end of ends) await end()
}
