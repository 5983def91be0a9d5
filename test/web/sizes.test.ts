import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'

const APP = path.join(import.meta.dirname, '../../app')
const ASSETS = path.join(APP, 'assets')
/** Files outside the assets folder: the script that runs before the first paint, and the service worker */
const THEME = '../theme.js'
const WORKER = '../sw.js'
const files = readdirSync(ASSETS)
const sizeOf = (file: string) => statSync(path.join(ASSETS, `${file}.br`)).size
const kilobytes = (sizes: number[]) => Math.round(sizes.reduce((sum, size) => sum + size, 0) / 100) / 10

const IMPORTED = /(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g

/**
 * Returns the file name of the chunk with this name.
 * @throws Error unless exactly one file matches
 */
function chunk(name: string): string {
  const found = files.filter((file) => file.endsWith('.js') && file.replace(/-[\w-]{8}\.js$/, '') === name)
  if (found.length !== 1) throw new Error(`${name}: ${found.join(', ') || 'no such chunk'}`)
  return found[0] as string
}

function withImports(...entries: string[]): string[] {
  const all = new Set(entries)
  for (const file of all) {
    for (const [, imported] of readFileSync(path.join(ASSETS, file), 'utf8').matchAll(IMPORTED))
      all.add(imported as string)
  }
  return [...all]
}

const entry = chunk('start')
const page = (name: string) => [THEME, ...withImports(entry, chunk(name))]

t.test('the start page needs at most 48 kB of JavaScript', async (t) => {
  const needed = page('heute')
  const size = kilobytes(needed.map(sizeOf))
  t.comment(`${size} kB: ${needed.join(', ')}`)
  t.ok(needed.length > 2, 'imports were followed')
  t.ok(size <= 48, `${size} kB`)
})

t.test('the first card needs at most 80 kB of JavaScript', async (t) => {
  const needed = page('lernen')
  const size = kilobytes(needed.map(sizeOf))
  t.comment(`${size} kB: ${needed.join(', ')}`)
  t.ok(
    needed.some((file) => file.startsWith('markdown-')),
    'the text of a card is counted',
  )
  t.ok(size <= 80, `${size} kB`)
})

/** Files that mainly pages of authors load, on demand; some pages of assignments and the administration share them */
const AUTHORS =
  /^(?:inhalte|deck|karte|sheet-page|option-fields|writing|card-table|card-order|versions|conflict-dialog|suggestion|edited|fragen|edit-card|authors|author-tests|write-tests|test-preview|drafts|editor)-/

t.test('the card editor needs at most 14 kB in addition to the loaded files', async (t) => {
  const needed = [chunk('editor'), chunk('writing')]
  const size = kilobytes(needed.map(sizeOf))
  t.comment(`${size} kB: ${needed.join(', ')}`)
  t.ok(size <= 14, `${size} kB`)
  const opened = withImports(chunk('deck')).filter((file) => !page('inhalte').includes(file))
  t.comment(`opening a deck: ${kilobytes(opened.map(sizeOf))} kB: ${opened.join(', ')}`)
  t.ok(opened.includes(chunk('editor')), 'the chunk is the one that the page loads')
  t.notOk(opened.includes(chunk('diff')), 'the comparison of texts is loaded on demand')
  const authors = files.filter((file) => AUTHORS.test(file) && /\.(?:js|css)$/.test(file))
  t.comment(`all parts of authors: ${kilobytes(authors.map(sizeOf))} kB`)
})

/**
 * Files that mainly the pages of tests load, on demand. The preview for authors also loads the question forms. The
 * outbox loads the files for answers while unsent answers may exist.
 */
const TESTS = /^(?:tests|test-parts|attempt|answers|answer-sync)-/

t.test('taking a test needs at most 25 kB in addition to a session', async (t) => {
  const session = page('lernen')
  const parts = files.filter((file) => TESTS.test(file) && /\.(?:js|css)$/.test(file))
  const size = kilobytes(parts.map(sizeOf))
  t.comment(`${size} kB: ${parts.join(', ')}`)
  t.ok(size <= 25, `${size} kB`)
  t.ok(
    withImports(chunk('attempt')).some((file) => session.includes(file)),
    'imports were followed',
  )
  t.notOk(
    page('heute').some((file) => TESTS.test(file)),
    'the start page loads none of them',
  )
})

/** Files for tasks, loaded on demand */
const TASKS = /^(?:aufgaben|task-parts|today|confirm-sheet)-/

t.test('the pages of tasks need at most 10 kB, those on the start page at most 3 kB', async (t) => {
  const parts = files.filter((file) => TASKS.test(file) && /\.(?:js|css)$/.test(file))
  const size = kilobytes(parts.map(sizeOf))
  t.comment(`${size} kB: ${parts.join(', ')}`)
  t.ok(size <= 10, `${size} kB`)
  const today = withImports(chunk('today')).filter((file) => !page('heute').includes(file))
  t.comment(`on the start page: ${kilobytes(today.map(sizeOf))} kB: ${today.join(', ')}`)
  t.ok(kilobytes(today.map(sizeOf)) <= 3)
  t.notOk(
    page('heute').some((file) => TASKS.test(file)),
    'only users with tasks load them',
  )
})

/** Pages of administrators and team leads, loaded on demand */
const TEAMS = /^teams-/

/** Pages for creating and supervising assignments, loaded on demand */
const ASSIGNING = /^(?:vergeben|assign|assign-write)-/

/** A document that only administrators open */
const PRIVACY = /^datenschutz-/

/** Pages without a login, the auditors' page, and sections of the page „Konto“ that are loaded on demand */
const PROOF = /^(?:public|nachweise|proof-cards|accesses|mail-card)-/

/** Outbox of mails, which only administrators open */
const MAILS = /^mails-/

/** Files of the administration pages, which only administrators open */
const ADMINISTRATION = /^verwaltung-/

t.test('all JavaScript and CSS of learners is at most 198 kB, CSS 14 kB; administrators load 17 kB more', async (t) => {
  const counted = files.filter(
    (file) =>
      !AUTHORS.test(file) &&
      ![TESTS, TASKS, TEAMS, ASSIGNING, PRIVACY, PROOF, ADMINISTRATION, MAILS].some((part) => part.test(file)),
  )
  const styles = counted.filter((file) => file.endsWith('.css'))
  const scripts = [THEME, WORKER, ...counted.filter((file) => file.endsWith('.js'))]
  const css = kilobytes(styles.map(sizeOf))
  const all = kilobytes([...styles, ...scripts].map(sizeOf))
  const assigning = kilobytes(files.filter((file) => ASSIGNING.test(file) && /\.(?:js|css)$/.test(file)).map(sizeOf))
  const administration = kilobytes(files.filter((file) => /^verwaltung-.*\.(?:js|css)$/.test(file)).map(sizeOf))
  t.comment(`${all} kB, CSS ${css} kB; administration ${administration} kB; assignments ${assigning} kB`)
  t.ok(styles.length > 0)
  t.ok(css <= 14, `${css} kB of CSS`)
  t.ok(all <= 198, `${all} kB`)
  t.ok(assigning > 0 && assigning <= 24, `assignments ${assigning} kB`)
  t.ok(administration > 0 && administration <= 17, `administration ${administration} kB`)
})
