import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import t from 'tap'
import ts from 'typescript'

/** From the ground up; a file may import from its own floor and from those below. */
const FLOORS: [name: string, files: RegExp][] = [
  ['domain', /^src\/domain\//],
  ['database', /^db\//],
  ['services', /^src\/services\//],
  ['http', /^src\/http\//],
  ['plugins', /^plugins\//],
  ['routes', /^routes\//],
  ['roof', /^src\/(commands\/)?[^/]+\.ts$/],
]

interface Import {
  from: string
  to: string
}

function floorOf(file: string): number {
  return FLOORS.findIndex(([, files]) => files.test(file))
}

/** The imports of the project's own files, type imports as well. */
async function readImports(): Promise<Import[]> {
  const found: Import[] = []
  for (const folder of ['src', 'db', 'plugins', 'routes']) {
    for (const entry of await readdir(folder, { recursive: true })) {
      if (!entry.endsWith('.ts') || entry.endsWith('.d.ts')) continue
      const from = posix.join(folder, entry)
      found.push(...importsIn(from, await readFile(from, 'utf8')))
    }
  }
  return found
}

function importsIn(from: string, text: string): Import[] {
  const { importedFiles } = ts.preProcessFile(text, true, true)
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => ({ from, to: posix.join(posix.dirname(from), fileName).replace(/\.js$/, '.ts') }))
}

function runsUpwards({ from, to }: Import): boolean {
  return floorOf(to) === -1 || floorOf(to) > floorOf(from)
}

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

t.test('imports run downwards only', async (t) => {
  const imports = await readImports()
  const files = new Set(imports.map(({ from }) => from))
  for (const [index, [name]] of FLOORS.entries()) {
    t.ok(
      [...files].some((file) => floorOf(file) === index),
      `the floor ${name} has files`,
    )
  }
  t.same(
    [...files].filter((file) => floorOf(file) === -1),
    [],
    'every file is on a floor',
  )
  t.same(imports.filter(runsUpwards), [])
  t.equal(findCircle(imports), undefined)
})

t.test('what is looked for would be found', async (t) => {
  const [upwards, downwards, aside, dynamic] = importsIn(
    'db/client.ts',
    `import type { Config } from '../src/config.js'
     import { RATINGS } from '../src/domain/review/review.js'
     import { startService } from '../test/support/service.js'
     const { buildApp } = await import('../src/app.js')`,
  ) as [Import, Import, Import, Import]
  t.same([upwards, downwards, aside, dynamic].map(runsUpwards), [true, false, true, true])
  t.same(
    findCircle([
      { from: 'a.ts', to: 'b.ts' },
      { from: 'b.ts', to: 'c.ts' },
      { from: 'c.ts', to: 'b.ts' },
    ]),
    ['b.ts', 'c.ts', 'b.ts'],
  )
})
