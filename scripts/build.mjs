// Builds changed parts in parallel: the program with its tests, the web app, and the empty database of the embedded
// store. A step runs if the contents of its inputs or the modification time of its output have changed since its last
// run. The modification times of the inputs do not count, because a checkout or a copy changes them. `npm start` needs
// no compiler if nothing has changed.
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { OFFERED } from './languages.mjs'

const { resolve } = createRequire(import.meta.url)
/** Folders whose files are not inputs */
const MADE = new Set(['node_modules', 'dist'])
const WEB_CONFIG = 'web/vite.config.ts'
const LANGUAGES = 'scripts/languages.mjs'
const COMPRESS_WEB = 'scripts/compress-web.mjs'
const CHECK_SIZES = 'scripts/check-sizes.mjs'
/** Documents that pages of the app show, in each language */
const SHOWN_DOCUMENTS = ['docs/fragen.md', 'docs/fragen.en.md', 'docs/datenschutz.md', 'docs/datenschutz.en.md']
const CREATE_STORE = 'scripts/create-store.mjs'

const STEPS = {
  // web/src is an input, because tests of the program import the parts of the app that need no browser.
  program: {
    inputs: ['src', 'plugins', 'routes', 'db', 'test', 'web/src', 'tsconfig.json', 'package-lock.json'],
    output: 'dist/src/cli.js',
    run: compile,
  },
  page: {
    inputs: ['web', ...SHOWN_DOCUMENTS, LANGUAGES, COMPRESS_WEB, CHECK_SIZES, 'package-lock.json'],
    output: 'dist/app/index.html',
    run: buildPage,
  },
  store: {
    inputs: [CREATE_STORE, 'package-lock.json'],
    output: 'dist/empty-store/PG_VERSION',
    run: () => runNode(CREATE_STORE, 'dist/empty-store'),
  },
}

const RECORD = 'dist/.built.json'
process.chdir(path.join(import.meta.dirname, '..'))
const record = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {}
// Hashed before the build, so that a file edited during the build is built again next time.
const inputs = Object.fromEntries(Object.entries(STEPS).map(([name, step]) => [name, hashInputs(step)]))
const outdated = Object.keys(STEPS).filter((name) => record[name] === undefined || record[name] !== describe(name))
if (outdated.length > 0) {
  const hideProgress = showProgress()
  const results = await Promise.all(outdated.map((name) => STEPS[name].run()))
  hideProgress()
  const built = outdated.filter((_, at) => results[at])
  for (const name of built) record[name] = describe(name)
  mkdirSync(path.dirname(RECORD), { recursive: true })
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
  if (built.length < outdated.length) process.exitCode = 1
}

/** Compiles without type checks, which are slow; `npm run check` checks the types. */
function compile() {
  const compiler = path.join(path.dirname(resolve('typescript-7/package.json')), 'bin/tsc')
  return runNode(compiler, '--noCheck')
}

async function buildPage() {
  if (!existsSync(WEB_CONFIG)) return true
  // Removes the folder, because the service would also serve files of earlier builds.
  rmSync('dist/app', { recursive: true, force: true })
  const vite = path.join(path.dirname(resolve('vite/package.json')), 'bin/vite.js')
  const builds = ['de', ...OFFERED].map((language) => {
    process.env.WEB_LANGUAGE = language
    return runNode(vite, 'build', '--config', WEB_CONFIG, '--logLevel', 'warn')
  })
  return (
    !(await Promise.all(builds)).includes(false) &&
    (await runNode(COMPRESS_WEB, 'dist/app')) &&
    (await runNode(CHECK_SIZES, 'dist/app', ...OFFERED.map((language) => `dist/app/${language}`)))
  )
}

/** Returns a hash of the inputs' contents and the output's modification time; undefined if there is no output. */
function describe(name) {
  const { output } = STEPS[name]
  if (!existsSync(output)) return undefined
  return hash('sha256', `${inputs[name]} ${statSync(output).mtimeMs}`)
}

function hashInputs({ inputs }) {
  const files = inputs.filter((input) => existsSync(input)).flatMap(listFiles)
  return hash('sha256', files.map((file) => `${file} ${hash('sha256', readFileSync(file))}`).join('\n'))
}

function listFiles(input) {
  if (!statSync(input).isDirectory()) return [input]
  return readdirSync(input, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.split(path.sep).some((part) => MADE.has(part)))
    .sort()
}

function runNode(...program) {
  const child = spawn(process.execPath, program, { stdio: 'inherit' })
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)))
}

function showProgress() {
  if (!process.stderr.isTTY) return () => {}
  const start = performance.now()
  const show = () => {
    const seconds = Math.round((performance.now() - start) / 1000)
    process.stderr.write(`\r\x1b[KProgramm und Seite werden gebaut … ${seconds} s`)
  }
  show()
  const timer = setInterval(show, 1000)
  return () => {
    clearInterval(timer)
    process.stderr.write('\r\x1b[K')
  }
}
