import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { ROOT } from '../support/constants.js'
import { SCRATCH } from '../support/scratch.js'

/** Compiler options that reduce the number of type declarations to read */
const QUICK = { types: [], lib: ['es2023'], skipLibCheck: true }
const PROJECT = { compilerOptions: { outDir: 'dist', rootDir: '.', ...QUICK }, include: ['src'] }

const STORE = `import { mkdirSync, writeFileSync } from 'node:fs'
mkdirSync('dist/empty-store', { recursive: true })
writeFileSync('dist/empty-store/PG_VERSION', '18')`

/**
 * Creates a project with the program `text` and stubs of the scripts that create the empty store and check the
 * sizes. Returns a function that resolves paths in the folder of the project.
 */
async function createProject(t: Test, text: string): Promise<(name: string) => string> {
  const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-build-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const at = (name: string) => path.join(folder, name)
  await cp(path.join(ROOT, 'scripts'), at('scripts'), { recursive: true })
  await writeFile(at('scripts/create-store.mjs'), STORE)
  // The budgets are those of the real app.
  await writeFile(at('scripts/check-sizes.mjs'), '')
  await mkdir(at('src'))
  await writeFile(at('package.json'), '{ "type": "module" }')
  await writeFile(at('tsconfig.json'), JSON.stringify(PROJECT))
  await writeFile(at('src/cli.ts'), text)
  return at
}

t.test('builds nothing if nothing has changed, and a start then needs no compiler', async (t) => {
  const at = await createProject(t, 'export const one = 1')
  const compiler = () => symlink(path.join(ROOT, 'node_modules'), at('node_modules'))
  const noCompiler = () => rm(at('node_modules'))
  const build = () => spawnSync(process.execPath, [at('scripts/build.mjs')], { encoding: 'utf8' }).status
  const built = () => readFile(at('dist/src/cli.js'), 'utf8')

  await compiler()
  t.equal(build(), 0)
  t.match(await built(), 'one = 1')
  await noCompiler()
  t.equal(build(), 0, 'nothing has changed')
  await utimes(at('src/cli.ts'), new Date(), new Date())
  t.equal(build(), 0, 'a checkout that brings the same text changes nothing')

  const { atime, mtime } = await stat(at('src/cli.ts'))
  await writeFile(at('src/cli.ts'), 'export const one = 2')
  await utimes(at('src/cli.ts'), atime, mtime)
  t.not(build(), 0, 'another text with the same length and modification time')
  await compiler()
  t.equal(build(), 0)
  t.match(await built(), 'one = 2')

  await writeFile(at('src/cli.ts'), 'export const one = 3')
  spawnSync(process.execPath, [at('node_modules/typescript-7/bin/tsc'), '-p', at('.')])
  await writeFile(at('src/cli.ts'), 'export const one = 2')
  t.equal(build(), 0)
  t.match(await built(), 'one = 2', 'also if the compiler was run directly in between')

  await writeFile(at('src/cli.ts'), 'export const one: string = 4')
  t.equal(build(), 0, 'types are not checked')
  t.match(await built(), 'one = 4')
  await writeFile(at('src/cli.ts'), 'export const one = ')
  t.not(build(), 0)
  t.not(build(), 0, 'the fault is reported again')
  await rm(at('dist'), { recursive: true })
  await writeFile(at('src/cli.ts'), 'export const one = 5')
  t.equal(build(), 0)
  t.match(await built(), 'one = 5')
})

t.test('builds the app only when its sources change, with compressed copies', async (t) => {
  const at = await createProject(t, 'export const one = 1')
  await symlink(path.join(ROOT, 'node_modules'), at('node_modules'))
  await mkdir(at('web/public'), { recursive: true })
  await writeFile(at('web/index.html'), '<base href="/"><script type="module" src="/main.js"></script>')
  await writeFile(at('web/main.js'), "document.title = 'Karten'")
  await writeFile(at('web/public/sw.js'), '// nothing')
  const build = () => spawnSync(process.execPath, [at('scripts/build.mjs')], { encoding: 'utf8' }).status
  const timeOf = async (name: string) => (await stat(at(name))).mtimeMs
  const files = async () => (await readdir(at('dist/app'), { recursive: true })).sort()

  t.equal(build(), 0)
  await t.rejects(files(), 'without a configuration of Vite there is no app to build')

  const config = "{ root: import.meta.dirname, base: './', build: { outDir: '../dist/app' } }"
  await writeFile(at('web/vite.config.ts'), `export default ${config}`)
  const compiled = await timeOf('dist/src/cli.js')
  t.equal(build(), 0)
  t.equal(await timeOf('dist/src/cli.js'), compiled, 'the compiler has nothing to do')
  const names = (await files()).filter((name) => name !== 'assets')
  const [script = ''] = names
  t.match(script, /^assets[/]index-.+[.]js$/)
  t.strictSame(names, [script, `${script}.br`, `${script}.gz`, 'index.html', 'sw.js', 'sw.js.br', 'sw.js.gz'])
  const content = await readFile(at(`dist/app/${script}`), 'utf8')
  t.match(content, 'Karten')
  t.equal(brotliDecompressSync(await readFile(at(`dist/app/${script}.br`))).toString(), content)
  t.equal(gunzipSync(await readFile(at(`dist/app/${script}.gz`))).toString(), content)

  const built = await timeOf('dist/app/index.html')
  await writeFile(at('src/cli.ts'), 'export const one = 2')
  await mkdir(at('web/node_modules'))
  await writeFile(at('web/node_modules/x.js'), '')
  t.equal(build(), 0)
  t.equal(await timeOf('dist/app/index.html'), built, 'Vite has nothing to do')
  t.not(await timeOf('dist/src/cli.js'), compiled)

  await writeFile(at('web/main.js'), "document.title = 'Decks'")
  t.equal(build(), 0)
  t.notOk((await files()).includes(script), 'no file of the previous build is left')
  await writeFile(at('web/main.js'), 'const = 1')
  t.not(build(), 0, 'a fault ends the build')
})
