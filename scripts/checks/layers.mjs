import path from 'node:path'
import ts from 'typescript'
import { readSources } from './sources.mjs'

/** Layers from bottom to top: a file may import from its own layer and from those below. See CONTRIBUTING.md. */
const LAYERS = [
  ['domain', /^src\/domain\//],
  ['database', /^db\//],
  ['services', /^src\/services\//],
  ['http', /^src\/http\//],
  ['plugins', /^plugins\//],
  ['routes', /^routes\//],
  ['roof', /^src\/(commands\/)?[^/]+\.ts$/],
]

/** Layers of the web app from bottom to top, described in web/README.md */
const APP_LAYERS = [
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

/** Packages of the domain, which other files may import only through their `index.ts` */
const PACKAGE = /^src\/domain\/(?<name>aiken|anki|exchange|gift|markup|moodle|pictures|table)\//

/** Files of the domain that packages may import; these import neither content nor accounts */
const BELOW_PACKAGES = /^src\/domain\/((review|text|time)\/|table-layout\.ts$)/

/** Files that a start of the program loads */
const STARTED = ['src/cli.ts', 'src/server.ts', 'src/app.ts', 'src/prepare-store.ts']

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

/** Returns a fault for each import that the layers of the service and of the web app do not allow. */
export function checkLayers() {
  const service = readImports(['src', 'db', 'plugins', 'routes'])
  const app = readImports(['web/src'])
  return [
    ...findLayerFaults(LAYERS, service),
    ...findLayerFaults(APP_LAYERS, app),
    ...service.filter(entersPackage).map(({ from, to }) => `${from}: imports ${to} instead of the package's index.ts`),
    ...service.filter(leavesPackages).map(({ from, to }) => `${from}: a package of the domain imports ${to}`),
    ...findEagerImports(service),
  ]
}

/**
 * Returns the imports of the files in these folders: `to` is a file or the name of a package, `isLazy` marks dynamic
 * imports, `isType` imports that the compiler removes.
 */
function readImports(folders) {
  return readSources(folders, /(?<!\.d)\.(ts|svelte)$/).flatMap(({ file, text }) => importsIn(file, text))
}

function importsIn(from, text) {
  const all = from.endsWith('.svelte') ? scriptsOf(text) : text
  const eager = all.replaceAll(/\bimport\(/g, 'later(').replaceAll('createRequire(import.meta.url)(', 'require(')
  const values = eager.replaceAll(/^ *(import|export) type [^']*'[^']*'/gm, '')
  const [anywhere, atStart, asValue] = [all, eager, values].map(importedBy)
  return [...new Set([...anywhere, ...atStart])]
    .filter((source) => !/(^|\/)dist\/|\.css$|\?raw$/.test(source))
    .map((source) => ({
      from,
      to: resolve(from, source),
      isFile: source.startsWith('.'),
      isLazy: !atStart.includes(source),
      isType: !asValue.includes(source),
    }))
}

const importedBy = (text) => ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)

/** Returns the imported file, or the name of the package: `@scope/name` for `@scope/name/part`. */
function resolve(from, source) {
  if (!source.startsWith('.')) return source.split('/', source.startsWith('@') ? 2 : 1).join('/')
  return path.posix.join(path.posix.dirname(from), source).replace(/\.js$/, '.ts')
}

const scriptsOf = (component) =>
  Array.from(component.matchAll(/<script[^>]*>(.*?)<\/script>/gs), ([, script]) => script).join('\n')

function findLayerFaults(layers, imports) {
  const layerOf = (file) => layers.findIndex(([, files]) => files.test(file))
  const files = [...new Set(imports.map(({ from }) => from))]
  const empty = layers.filter((_, index) => !files.some((file) => layerOf(file) === index))
  const steps = imports.filter(({ isFile }) => isFile)
  const isUpwards = ({ from, to }) => layerOf(to) === -1 || layerOf(to) > layerOf(from)
  const cycle = findCycle(steps.filter(({ isLazy }) => !isLazy))
  return [
    ...empty.map(([name]) => `the layer "${name}" has no files`),
    ...files.filter((file) => layerOf(file) === -1).map((file) => `${file}: belongs to no layer`),
    ...steps.filter(isUpwards).map(({ from, to }) => `${from}: imports ${to}, which no lower layer has`),
    ...(cycle === undefined ? [] : [`imports form a cycle: ${cycle.join(' → ')}`]),
  ]
}

/** Returns the targets of the imports by importing file. */
function groupByFile(imports) {
  const targets = new Map()
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])
  return targets
}

function findCycle(imports) {
  const targets = groupByFile(imports)
  const done = new Set()
  const visit = (file, trail) => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const to of targets.get(file) ?? []) {
      const cycle = visit(to, [...trail, file])
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

function entersPackage({ from, to }) {
  const name = PACKAGE.exec(to)?.groups.name
  return name !== undefined && PACKAGE.exec(from)?.groups.name !== name && to !== `src/domain/${name}/index.ts`
}

const leavesPackages = ({ from, to, isFile }) =>
  isFile && PACKAGE.test(from) && !PACKAGE.test(to) && !BELOW_PACKAGES.test(to)

/** Returns a fault for each package of `LOADED_ON_FIRST_USE` that a start of the program loads, or that is not used. */
function findEagerImports(imports) {
  const targets = groupByFile(imports.filter(({ isType, isLazy }) => !isType && !isLazy))
  const loaded = new Set(STARTED)
  for (const file of loaded) for (const to of targets.get(file) ?? []) loaded.add(to)
  const used = new Set(imports.map(({ to }) => to))
  return [
    ...LOADED_ON_FIRST_USE.filter((name) => loaded.has(name)).map((name) => `a start of the program loads ${name}`),
    ...LOADED_ON_FIRST_USE.filter((name) => !used.has(name)).map((name) => `no file imports ${name}`),
    ...['fastify', 'kysely', 'pg'].filter((name) => !loaded.has(name)).map((name) => `no start loads ${name}`),
  ]
}
