// Builds what has changed: each step runs when its inputs are not those of its last run. Their contents decide, not
// their times, which a checkout or a copy sets as it likes. `npm start` needs no compiler when nothing has changed.
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const { resolve } = createRequire(import.meta.url)
/** What is made below an input, and none of it. */
const MADE = new Set(['node_modules', 'dist'])
const WEB_CONFIG = 'web/vite.config.ts'

const STEPS = {
  program: {
    inputs: ['src', 'plugins', 'routes', 'db', 'test', 'web/src', 'tsconfig.json', 'package-lock.json'],
    // The tests take in what of the app needs no browser.
    // The compiler writes it whenever it has written anything else, whoever started it.
    output: 'dist/.tsbuildinfo',
    run: () => runNode(resolve('typescript/bin/tsc')),
  },
  web: {
    inputs: ['web', 'package-lock.json'],
    output: 'dist/app/index.html',
    run: () => {
      if (!existsSync(WEB_CONFIG)) return
      // Copies of files that are no more would be served.
      rmSync('dist/app', { recursive: true, force: true })
      const vite = path.join(path.dirname(resolve('vite/package.json')), 'bin/vite.js')
      runNode(vite, 'build', '--config', WEB_CONFIG, '--logLevel', 'warn')
      runNode('scripts/compress-web.mjs', 'dist/app')
    },
  },
}

const RECORD = 'dist/.built.json'
process.chdir(path.join(import.meta.dirname, '..'))
const record = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {}

for (const [name, { inputs, output, run }] of Object.entries(STEPS)) {
  if (record[name] !== undefined && record[name] === describe(inputs, output)) continue
  run()
  record[name] = describe(inputs, output)
  mkdirSync(path.dirname(RECORD), { recursive: true })
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`)
}

/** One line for the contents of the inputs and the output as it lies there; undefined when there is no output. */
function describe(inputs, output) {
  if (!existsSync(output)) return undefined
  const files = inputs.filter((input) => existsSync(input)).flatMap(listFiles)
  const contents = files.map((file) => `${file} ${hash('sha256', readFileSync(file))}`)
  return hash('sha256', [...contents, statSync(output).mtimeMs].join('\n'))
}

function listFiles(input) {
  if (!statSync(input).isDirectory()) return [input]
  return readdirSync(input, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.split(path.sep).some((part) => MADE.has(part)))
    .sort()
}

/** Runs a Node program; ends this one when it fails. */
function runNode(...program) {
  const { status } = spawnSync(process.execPath, program, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
