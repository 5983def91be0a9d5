// Checks the budgets of the built web app: JavaScript and CSS, compressed by brotli. Prints each size that is above its
// budget, and exits with status 1 if there is one; with --print, prints all sizes.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

const [folder, option] = process.argv.slice(2)
const ASSETS = path.join(folder, 'assets')
/** Files outside the assets folder: the script that runs before the first paint, and the service worker */
const THEME = '../theme.js'
const WORKER = '../sw.js'
const IMPORTED = /(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g

/** Parts that are loaded on demand and counted apart from those of learners, by the beginnings of their file names */
const PARTS = {
  // Pages of authors; some pages of assignments and the administration share them.
  authors:
    /^(?:inhalte|deck|karte|sheet-page|option-fields|writing|card-table|card-order|versions|conflict-dialog|suggestion|edited|fragen|edit-card|authors|author-tests|write-tests|test-preview|drafts|editor)-/,
  // Pages of tests, and the files that the outbox loads while unsent answers may exist. The preview for authors also
  // loads the question forms.
  tests: /^(?:tests|test-parts|attempt|answers|answer-sync)-/,
  tasks: /^(?:aufgaben|task-parts|today|confirm-sheet)-/,
  teams: /^teams-/,
  assigning: /^(?:vergeben|assign|assign-write)-/,
  administration: /^verwaltung-/,
  mails: /^mails-/,
  privacy: /^datenschutz-/,
  // Pages without a login, the auditors' page, and sections of the page „Konto“ that are loaded on demand.
  proof: /^(?:public|nachweise|proof-cards|accesses|mail-card)-/,
}

const files = readdirSync(ASSETS).filter((file) => /\.(?:js|css)$/.test(file))
const start = page('heute')
const firstCard = page('lernen')
const learners = files.filter((file) => !Object.values(PARTS).some((part) => part.test(file)))
const styles = learners.filter((file) => file.endsWith('.css'))

/** What is measured, its files, and its budget in kB */
const BUDGETS = [
  ['the start page: JavaScript', start, 55],
  ['the first card: JavaScript', firstCard, 80],
  ['learners: all JavaScript and CSS', [THEME, WORKER, ...learners], 230],
  ['learners: CSS', styles, 14],
  ['the card editor', [chunk('editor'), chunk('writing')], 14],
  ['taking a test', partOf('tests'), 25],
  ['tasks', partOf('tasks'), 10],
  ['tasks on the start page', withImports(chunk('today')).filter((file) => !start.includes(file)), 3],
  ['assignments', partOf('assigning'), 24],
  ['administration', partOf('administration'), 17],
]

let isAbove = false
for (const [name, counted, budget] of BUDGETS) {
  const size = sizeOf(counted)
  if (size > budget) isAbove = true
  if (size > budget || option === '--print')
    console.log(`${name}: ${size} kB of ${budget} kB (${counted.length} files)`)
}
// These checks fail if the names of files change, so that nothing would be counted.
must(start.length > 2 && firstCard.some((file) => file.startsWith('markdown-')), 'imports are followed')
must(!start.some((file) => PARTS.tests.test(file) || PARTS.tasks.test(file)), 'the start page loads no tests and tasks')
must(withImports(chunk('deck')).includes(chunk('editor')), 'the page of a deck loads the editor')
must(!withImports(chunk('deck')).includes(chunk('diff')), 'the comparison of texts is loaded on demand')
must(styles.length > 0 && BUDGETS.every(([, counted]) => counted.length > 0), 'each budget has files')
if (isAbove) {
  console.log(
    'The web app is above its budget: split a chunk, or decide on another budget (docs/decisions/0036-chunks.md).',
  )
  process.exitCode = 1
}

function must(holds, what) {
  if (!holds) throw new Error(`scripts/check-sizes.mjs is out of date: ${what}`)
}

function sizeOf(counted) {
  const bytes = counted.reduce((sum, file) => sum + statSync(path.join(ASSETS, `${file}.br`)).size, 0)
  return Math.round(bytes / 100) / 10
}

function partOf(name) {
  return files.filter((file) => PARTS[name].test(file))
}

function page(name) {
  return [THEME, ...withImports(chunk('start'), chunk(name))]
}

function withImports(...entries) {
  const all = new Set(entries)
  for (const file of all) {
    for (const [, imported] of readFileSync(path.join(ASSETS, file), 'utf8').matchAll(IMPORTED)) all.add(imported)
  }
  return [...all]
}

/** Returns the file name of the chunk with this name. */
function chunk(name) {
  const found = files.filter((file) => file.endsWith('.js') && file.replace(/-[\w-]{8}\.js$/, '') === name)
  must(found.length === 1, `the chunk ${name} is ${found.join(', ') || 'missing'}`)
  return found[0]
}
