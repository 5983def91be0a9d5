import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { SCRATCH } from '../support/scratch.js'
import { ROOT } from '../support/service.js'

t.test('what has not changed is not built again, and a start needs no compiler then', async (t) => {
  const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-build-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const at = (name: string) => path.join(folder, name)
  await cp(path.join(ROOT, 'scripts/build.mjs'), at('scripts/build.mjs'), { recursive: true })
  await mkdir(at('src'))
  await writeFile(at('package.json'), '{ "type": "module" }')
  const quick = { types: [], lib: ['es5'], skipLibCheck: true }
  const options = { outDir: 'dist', rootDir: '.', incremental: true, tsBuildInfoFile: 'dist/.tsbuildinfo', ...quick }
  await writeFile(at('tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }))
  await writeFile(at('src/one.ts'), 'export const one = 1')
  const compiler = () => symlink(path.join(ROOT, 'node_modules'), at('node_modules'))
  const noCompiler = () => rm(at('node_modules'))
  const build = () => spawnSync(process.execPath, [at('scripts/build.mjs')], { encoding: 'utf8' }).status
  const built = () => readFile(at('dist/src/one.js'), 'utf8')

  await compiler()
  t.equal(build(), 0)
  t.match(await built(), 'one = 1')
  await noCompiler()
  t.equal(build(), 0, 'nothing has changed')
  await utimes(at('src/one.ts'), new Date(), new Date())
  t.equal(build(), 0, 'a checkout that brings the same text changes nothing')

  const { atime, mtime } = await stat(at('src/one.ts'))
  await writeFile(at('src/one.ts'), 'export const one = 2')
  await utimes(at('src/one.ts'), atime, mtime)
  t.not(build(), 0, 'another text of the same length and time')
  await compiler()
  t.equal(build(), 0)
  t.match(await built(), 'one = 2')

  await writeFile(at('src/one.ts'), 'export const one = 3')
  spawnSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', folder])
  await writeFile(at('src/one.ts'), 'export const one = 2')
  t.equal(build(), 0)
  t.match(await built(), 'one = 2', 'also when the compiler ran by itself in between')

  await writeFile(at('src/one.ts'), 'export const one: string = 4')
  t.not(build(), 0)
  t.not(build(), 0, 'a fault stays one')
  await rm(at('dist'), { recursive: true })
  await writeFile(at('src/one.ts'), 'export const one = 5')
  t.equal(build(), 0)
  t.match(await built(), 'one = 5')
})
