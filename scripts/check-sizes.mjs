// Checks the budgets of the built web app: JavaScript and CSS, compressed by brotli. Prints the sizes, and exits with
// status 1 if one is above its budget.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Folders of the app, one for each language */
const folders = process.argv.slice(2)
/** Files outside the assets folder: the script that runs before the first paint, and the service worker */
const THEME = '../theme.js'
const WORKER = '../sw.js'
const IMPORTED = /(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+\.js)["']/g

/** Files that only authors, leads and administrators load; see `web/vite.config.ts` */
const STAFF = /^staff-/

let isAbove = false
for (const folder of folders) {
  const assets = path.join(folder, 'assets')
  const files = readdirSync(assets).filter((file) => /\.(?:js|css)$/.test(file))
  const start = [THEME, ...withImports(assets, chunk(files, 'start'), chunk(files, 'heute'))]
  // With all imports: a learners' chunk that imports one of staff would make learners load it.
  const learners = withImports(assets, ...files.filter((file) => !STAFF.test(file) && !isStyleOfStaff(files, file)))

  /** What is measured, its files, and its budget in kB */
  const budgets = [
    ['the start page: JavaScript', start, 55],
    ['learners: all JavaScript and CSS', [THEME, WORKER, ...learners], 231],
  ]
  for (const [name, counted, budget] of budgets) {
    const size = sizeOf(assets, counted)
    if (size > budget) isAbove = true
    console.log(`${folder}, ${name}: ${size} kB of ${budget} kB (${counted.length} files)`)
  }
  // These checks fail if the names of files change, so that too little would be counted.
  must(start.length > 2, 'the imports of the start page are followed')
  must(learners.length < files.length, 'the names of files tell what learners do not load')
}
if (isAbove) {
  console.log(
    'The web app is above its budget: split a chunk, or decide on another budget (docs/decisions/0036-chunks.md).',
  )
  process.exitCode = 1
}

function must(holds, what) {
  if (!holds) throw new Error(`scripts/check-sizes.mjs is out of date: ${what}`)
}

function sizeOf(assets, counted) {
  const bytes = counted.reduce((sum, file) => sum + statSync(path.join(assets, `${file}.br`)).size, 0)
  return Math.round(bytes / 100) / 10
}

/** Returns whether a style sheet belongs to a chunk that learners do not load. */
function isStyleOfStaff(files, file) {
  return file.endsWith('.css') && files.some((other) => other.startsWith(`staff-${withoutHash(file)}-`))
}

function withImports(assets, ...entries) {
  const all = new Set(entries)
  for (const file of all) {
    for (const [, imported] of readFileSync(path.join(assets, file), 'utf8').matchAll(IMPORTED)) all.add(imported)
  }
  return [...all]
}

/** Returns the file name of the chunk with this name. */
function chunk(files, name) {
  const found = files.filter((file) => file.endsWith('.js') && withoutHash(file) === name)
  must(found.length === 1, `the chunk ${name} is ${found.join(', ') || 'missing'}`)
  return found[0]
}

function withoutHash(file) {
  return file.replace(/-[\w-]{8}\.\w+$/, '')
}
