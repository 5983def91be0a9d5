import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import t from 'tap'
import ts from 'typescript'

type Layer = [name: string, files: RegExp]

/** Layers from bottom to top: a file may import from its own layer and from those below. See CONTRIBUTING.md. */
const LAYERS: Layer[] = [
  ['domain', /^src\/domain\//],
  ['database', /^db\//],
  ['services', /^src\/services\//],
  ['http', /^src\/http\//],
  ['plugins', /^plugins\//],
  ['routes', /^routes\//],
  ['roof', /^src\/(commands\/)?[^/]+\.ts$/],
]

const SERVICE = ['src', 'db', 'plugins', 'routes']

/** Packages of the domain, which other files may import only through their `index.ts` */
const PACKAGE = /^src\/domain\/(?<name>aiken|anki|exchange|gift|markup|moodle|pictures|table)\//

/** Folders of the domain that packages may import; these folders import neither content nor accounts */
const BELOW_PACKAGES = /^src\/domain\/(review|text|time)\//

/** Layers of the web app from bottom to top, described in web/README.md */
const APP_LAYERS: Layer[] = [
  ['ground', /^web\/src\/(words|platform|worker)\//],
  ['storage', /^web\/src\/storage\//],
  ['api and session', /^web\/src\/(api|session)\//],
  ['outbox', /^web\/src\/outbox\//],
  ['parts', /^web\/src\/parts\//],
  ['what is large', /^web\/src\/(account|search|charts|markdown|editor)\//],
  ['shell', /^web\/src\/shell\//],
  ['pages', /^web\/src\/pages\//],
  ['roof', /^web\/src\/[^/]+\.(ts|svelte)$/],
]

interface Import {
  from: string
  to: string
}

/** A dynamic import; unlike static imports, dynamic imports may form a cycle */
const LAZY = /\bimport\(/g

function layerOf(layers: Layer[], file: string): number {
  return layers.findIndex(([, files]) => files.test(file))
}

/**
 * Returns the relative imports of the files in these folders, including type imports, and dynamic imports if
 * `isLazyToo` is set.
 */
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
    .filter(({ fileName }) => fileName.startsWith('.') && !/\.css$|\?raw$/.test(fileName))
    .map(({ fileName }) => ({ from, to: posix.join(posix.dirname(from), fileName).replace(/\.js$/, '.ts') }))
    .filter(({ to }) => !to.startsWith('dist/'))
}

const scriptsOf = (component: string) =>
  Array.from(component.matchAll(/<script[^>]*>(.*?)<\/script>/gs), ([, script]) => script).join('\n')

const runsUpwards = (layers: Layer[]) => (step: Import) =>
  layerOf(layers, step.to) === -1 || layerOf(layers, step.to) > layerOf(layers, step.from)

function entersPackage({ from, to }: Import): boolean {
  const name = PACKAGE.exec(to)?.groups?.name
  return name !== undefined && PACKAGE.exec(from)?.groups?.name !== name && to !== `src/domain/${name}/index.ts`
}

const leavesPackages = ({ from, to }: Import) => PACKAGE.test(from) && !PACKAGE.test(to) && !BELOW_PACKAGES.test(to)

function findCycle(imports: Import[]): string[] | undefined {
  const targets = new Map<string, string[]>()
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const to of targets.get(file) ?? []) {
      const cycle = visit(to, [...path, file])
      if (cycle !== undefined) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of targets.keys()) {
    const cycle = visit(file, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}

for (const [program, layers, folders] of [
  ['the service', LAYERS, SERVICE],
  ['the app', APP_LAYERS, ['web/src']],
] as const) {
  t.test(`${program} imports only from lower layers`, async (t) => {
    const imports = await readImports(folders)
    const files = new Set(imports.map(({ from }) => from))
    for (const [index, [name]] of layers.entries()) {
      t.ok(
        [...files].some((file) => layerOf(layers, file) === index),
        `the layer ${name} has files`,
      )
    }
    t.same(
      [...files].filter((file) => layerOf(layers, file) === -1),
      [],
      'every file belongs to a layer',
    )
    t.same(imports.filter(runsUpwards(layers)), [])
    t.equal(findCycle(await readImports(folders, false)), undefined)
  })
}

t.test('packages of the domain are imported through their index.ts only', async (t) => {
  const imports = await readImports(SERVICE)
  t.same(imports.filter(entersPackage), [])
  t.ok(imports.some(({ to }) => PACKAGE.test(to)))
})

t.test('packages of the domain import only each other and the folders below them', async (t) => {
  t.same((await readImports(SERVICE)).filter(leavesPackages), [])
  t.ok(leavesPackages({ from: 'src/domain/table/cells.ts', to: 'src/domain/content/types.ts' }))
  t.notOk(leavesPackages({ from: 'src/domain/table/cells.ts', to: 'src/domain/text/text.ts' }))
})

/** Large packages that only few requests, some starts or worker threads need */
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

/** Returns the packages that a compiled file loads statically, directly or through its imports. */
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

/** Returns the package of an import: `@scope/name` for `@scope/name/part`. */
const nameOfPackage = (imported: string) =>
  imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/')

t.test('a start loads no large package that few requests need', async (t) => {
  const loaded = new Set([
    ...(await packagesLoadedBy('dist/src/cli.js')),
    ...(await packagesLoadedBy('dist/src/server.js')),
    ...(await packagesLoadedBy('dist/src/app.js')),
    ...(await packagesLoadedBy('dist/src/prepare-store.js')),
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
    'every name is a dependency',
  )
  for (const [file, name] of [
    ['src/services/sign-in/provider', 'jose'],
    ['src/services/content/upload/readers/anki-database', 'node-sqlite3-wasm'],
    ['db/embedded/synced-node-fs', '@electric-sql/pglite'],
  ] as const) {
    t.ok((await packagesLoadedBy(`dist/${file}.js`)).has(name), `${name} would be found`)
  }
})

t.test('the checks detect violations', async (t) => {
  const [upwards, downwards, aside, dynamic] = importsIn(
    'db/client.ts',
    `import type { Config } from '../src/config.js'
     import { RATINGS } from '../src/domain/review/review.js'
     import { startService } from '../test/support/service.js'
     const { buildApp } = await import('../src/app.js')`,
  ) as [Import, Import, Import, Import]
  t.same([upwards, downwards, aside, dynamic].map(runsUpwards(LAYERS)), [true, false, true, true])
  t.same(
    importsIn(
      'src/domain/table/read-table.ts',
      `import { normalizeDeckName } from '../anki/deck-name.js'
       import { guidOf } from '../anki/index.js'
       import { findColumns } from './columns.js'`,
    ).map(entersPackage),
    [true, false, false],
  )
  const inComponent = importsIn(
    'web/src/parts/card.svelte',
    `<script lang="ts">
       import { account } from '../account/account.svelte.js'
     </script>
     <p>import './nothing.js'</p>`,
  )
  t.same(inComponent, [{ from: 'web/src/parts/card.svelte', to: 'web/src/account/account.svelte.ts' }])
  t.same(inComponent.map(runsUpwards(APP_LAYERS)), [true])
  t.same(
    findCycle([
      { from: 'a.ts', to: 'b.ts' },
      { from: 'b.ts', to: 'c.ts' },
      { from: 'c.ts', to: 'b.ts' },
    ]),
    ['b.ts', 'c.ts', 'b.ts'],
  )
})
