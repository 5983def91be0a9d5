import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { listExportedFunctions } from './functions.js'

// Prints the exported functions in a drawn order: of each room, and of all rooms. The order is that of a hash of the
// seed, the file and the name, so that added and removed functions do not change the order of the others. Of web/src only the files that tests on Node.js
// import are drawn.

const ROOT = path.join(import.meta.dirname, '../..')
const FOLDERS = ['src', 'db', 'routes', 'plugins', 'web/src']

/** Rooms with the paths that belong to them; the first match counts, and the last room takes what is left. */
const ROOMS: [string, RegExp][] = [
  ['web', /^web\//],
  ['review', /\/(review|quiz)\b/],
  ['tests', /\/(tests|questions)\/|routes\/content\/test|overdue-attempts/],
  ['assignments', /\/assignments\//],
  ['certificates', /\/certificates\//],
  ['mail', /\/mail\b/],
  ['calendar', /\/(calendar|time)\//],
  ['search', /\/search\b|search-index|\/editing\/similar/],
  ['rights', /\/teams\b|plugins\/(rights|auth|tokens|cross-site)|\/(rights|editors|visibility|adopt|roles|scopes)\.ts/],
  ['accounts', /\/(accounts|auth|sign-in)\/|plugins\/(session|sign-in)|commands\/users/],
  ['backup', /^db\/(backup|migrat|embedded|client|make-folder|sync-path)|commands\/(backup|store)|housekeeping/],
  [
    'exports',
    /\/exports?\b|export-|anki\/(write|text-export)|format\/write-|write-moodle|^routes\/decks|services\/print/,
  ],
  ['content', /\/content\/|\/(aiken|anki|exchange|gift|markup|moodle|pictures|table|text)\/|cheatsheets/],
  ['http', /./],
]

const { values } = parseArgs({ options: { seed: { type: 'string', default: '39' } } })

const functions = FOLDERS.flatMap(listSources).flatMap((file) =>
  listExportedFunctions(file, readFileSync(path.join(ROOT, file), 'utf8')).map(({ name }) => ({
    file,
    name,
    room: ROOMS.find(([, paths]) => paths.test(file))?.[0],
    order: createHash('sha256').update(`${values.seed} ${file} ${name}`).digest('hex'),
  })),
)
functions.sort((one, other) => (one.order < other.order ? -1 : 1))
process.stdout.write(`${functions.length} functions, seed ${values.seed}\n`)
for (const [room] of ROOMS) {
  print(
    room,
    functions.filter((drawn) => drawn.room === room),
  )
}
print('all rooms', functions)

function print(title: string, drawn: typeof functions): void {
  process.stdout.write(`\n${title} (${drawn.length})\n`)
  for (const [at, { file, name }] of drawn.entries()) process.stdout.write(`${at + 1}. ${file} ${name}\n`)
}

function listSources(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
    .filter((file) => /(?<!\.d|\.svelte)\.ts$/.test(file))
    .filter((file) => folder !== 'web/src' || existsSync(path.join(ROOT, 'dist', file.replace(/ts$/, 'js'))))
}
