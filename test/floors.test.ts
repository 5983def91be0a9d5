import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import t from 'tap'
import ts from 'typescript'

type Floor = [name: string, files: RegExp]

/** From the ground up; a file may import from its own floor and from those below. */
const FLOORS: Floor[] = [
  ['domain', /^src\/domain\//],
  ['database', /^db\//],
  ['services', /^src\/services\//],
  ['http', /^src\/http\//],
  ['plugins', /^plugins\//],
  ['routes', /^routes\//],
  ['roof', /^src\/(commands\/)?[^/]+\.ts$/],
]

const SERVICE = ['src', 'db', 'plugins', 'routes']

/** Those of the app, as web/README.md has them. */
const APP_FLOORS: Floor[] = [
  ['ground', /^web\/src\/(words|platform|worker)\//],
  ['storage', /^web\/src\/storage\//],
  ['api and session', /^web\/src\/(api|session)\//],
  ['outbox', /^web\/src\/outbox\//],
  ['parts', /^web\/src\/parts\//],
  ['what is large', /^web\/src\/(account|search|charts|markdown)\//],
  ['shell', /^web\/src\/shell\//],
  ['pages', /^web\/src\/pages\//],
  ['roof', /^web\/src\/[^/]+\.(ts|svelte)$/],
]

interface Import {
  from: string
  to: string
}

/** Waits until it is asked for, so that it may close a circle. */
const LAZY = /\bimport\(/g

function floorOf(floors: Floor[], file: string): number {
  return floors.findIndex(([, files]) => files.test(file))
}

/** The imports of the project's own files in these folders, type imports as well. */
async function readImports(folders: readonly string[], isLazyToo = true): Promise<Import[]> {
  const found: Import[] = []
  for await (const { file, text } of readSources(folders)) {
    found.push(...importsIn(file, isLazyToo ? text : text.replaceAll(LAZY, 'later(')))
  }
  return found
}

async function* readSources(folders: readonly string[]): AsyncGenerator<{ file: string; text: string }> {
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true })) {
      if (!/\.(ts|svelte)$/.test(entry) || entry.endsWith('.d.ts')) continue
      const file = posix.join(folder, entry)
      yield { file, text: await readFile(file, 'utf8') }
    }
  }
}

function importsIn(from: string, text: string): Import[] {
  const script = from.endsWith('.svelte') ? scriptsOf(text) : text
  const { importedFiles } = ts.preProcessFile(script, true, true)
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.') && !fileName.endsWith('.css'))
    .map(({ fileName }) => ({ from, to: posix.join(posix.dirname(from), fileName).replace(/\.js$/, '.ts') }))
    .filter(({ to }) => !to.startsWith('dist/'))
}

const scriptsOf = (component: string) =>
  Array.from(component.matchAll(/<script[^>]*>(.*?)<\/script>/gs), ([, script]) => script).join('\n')

const runsUpwards = (floors: Floor[]) => (step: Import) =>
  floorOf(floors, step.to) === -1 || floorOf(floors, step.to) > floorOf(floors, step.from)

/** A circle of imports as the files on it, or undefined. */
function findCircle(imports: Import[]): string[] | undefined {
  const targets = new Map<string, string[]>()
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const to of targets.get(file) ?? []) {
      const circle = visit(to, [...path, file])
      if (circle !== undefined) return circle
    }
    done.add(file)
    return undefined
  }
  for (const file of targets.keys()) {
    const circle = visit(file, [])
    if (circle !== undefined) return circle
  }
  return undefined
}

for (const [house, floors, folders] of [
  ['the service', FLOORS, SERVICE],
  ['the app', APP_FLOORS, ['web/src']],
] as const) {
  t.test(`imports of ${house} run downwards only`, async (t) => {
    const imports = await readImports(folders)
    const files = new Set(imports.map(({ from }) => from))
    for (const [index, [name]] of floors.entries()) {
      t.ok(
        [...files].some((file) => floorOf(floors, file) === index),
        `the floor ${name} has files`,
      )
    }
    t.same(
      [...files].filter((file) => floorOf(floors, file) === -1),
      [],
      'every file is on a floor',
    )
    t.same(imports.filter(runsUpwards(floors)), [])
    t.equal(findCircle(await readImports(folders, false)), undefined)
  })
}

/** Large, and needed by few requests, by some starts only, or in another thread. */
const LOADED_ON_FIRST_USE = [
  '@electric-sql/pglite',
  '@simplewebauthn/server',
  '@zxcvbn-ts/language-common',
  'htmlparser2',
  'jose',
  'node-sqlite3-wasm',
  'openid-client',
  'pino-pretty',
  'prom-client',
  'yauzl',
]

/** The packages that a file loads at once, itself and by what it imports; compiled, since types are nothing to load. */
async function packagesLoadedBy(file: string, seen = new Set<string>()): Promise<Set<string>> {
  const packages = new Set<string>()
  if (seen.has(file)) return packages
  seen.add(file)
  const text = (await readFile(file, 'utf8'))
    .replaceAll(LAZY, 'later(')
    .replaceAll('createRequire(import.meta.url)(', 'require(')
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    if (fileName.startsWith('.')) {
      const imported = posix.join(posix.dirname(file), fileName)
      for (const name of await packagesLoadedBy(imported, seen)) packages.add(name)
    } else {
      packages.add(nameOfPackage(fileName))
    }
  }
  return packages
}

/** `@scope/name/part` belongs to `@scope/name`. */
const nameOfPackage = (imported: string) =>
  imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/')

t.test('a start loads no large package that few requests need', async (t) => {
  const loaded = new Set([
    ...(await packagesLoadedBy('dist/src/cli.js')),
    ...(await packagesLoadedBy('dist/src/server.js')),
  ])
  t.same(
    LOADED_ON_FIRST_USE.filter((name) => loaded.has(name)),
    [],
  )
  t.ok(['fastify', 'kysely', 'pg'].every((name) => loaded.has(name)))
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8')) as { dependencies: object }
  t.same(
    LOADED_ON_FIRST_USE.filter((name) => !Object.hasOwn(dependencies, name)),
    [],
    'none of another name',
  )
  for (const [file, name] of [
    ['src/services/sign-in/provider', 'jose'],
    ['src/services/content/incoming/open-collection', 'node-sqlite3-wasm'],
    ['db/embedded/synced-node-fs', '@electric-sql/pglite'],
  ] as const) {
    t.ok((await packagesLoadedBy(`dist/${file}.js`)).has(name), `${name} would be found`)
  }
})

t.test('what is looked for would be found', async (t) => {
  const [upwards, downwards, aside, dynamic] = importsIn(
    'db/client.ts',
    `import type { Config } from '../src/config.js'
     import { RATINGS } from '../src/domain/review/review.js'
     import { startService } from '../test/support/service.js'
     const { buildApp } = await import('../src/app.js')`,
  ) as [Import, Import, Import, Import]
  t.same([upwards, downwards, aside, dynamic].map(runsUpwards(FLOORS)), [true, false, true, true])
  const inComponent = importsIn(
    'web/src/parts/card.svelte',
    `<script lang="ts">
       import { account } from '../account/account.svelte.js'
     </script>
     <p>import './nothing.js'</p>`,
  )
  t.same(inComponent, [{ from: 'web/src/parts/card.svelte', to: 'web/src/account/account.svelte.ts' }])
  t.same(inComponent.map(runsUpwards(APP_FLOORS)), [true])
  t.same(
    findCircle([
      { from: 'a.ts', to: 'b.ts' },
      { from: 'b.ts', to: 'c.ts' },
      { from: 'c.ts', to: 'b.ts' },
    ]),
    ['b.ts', 'c.ts', 'b.ts'],
  )
})
