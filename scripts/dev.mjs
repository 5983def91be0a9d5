// Development mode: the compiler and Vite watch the sources, and the service restarts when its program changes. Vite
// serves the page and forwards requests for the API to the service. Ctrl+C, or the end of one process, ends all
// processes.
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

const { PORT = '3000', WEB_PORT = '5173' } = process.env
process.chdir(path.join(import.meta.dirname, '..'))
const { resolve } = createRequire(import.meta.url)
const compile = path.join(path.dirname(resolve('typescript-7/package.json')), 'bin/tsc')
const vite = path.join(path.dirname(resolve('vite/package.json')), 'bin/vite.js')

// Builds once, because the service cannot start without a built program.
const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
if (status !== 0) console.error('Nicht alles ließ sich bauen; der Dienst läuft mit dem, was da ist.')

const service = { ...process.env, PORT, WEB: 'off' }
const page = { ...process.env, SERVICE_URL: `http://127.0.0.1:${PORT}` }
const compiler = start([compile, '--watch', '--preserveWatchOutput', '--pretty'])
const programs = [
  compiler,
  start(['--watch', '--watch-preserve-output', 'dist/src/cli.js', 'serve'], service),
  start([vite, '--config', 'web/vite.config.ts', '--port', WEB_PORT, '--strictPort', '--logLevel', 'warn'], page),
]

let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(0))
for (const program of programs) program.once('exit', () => end(1))
for (const url of [`http://127.0.0.1:${PORT}/readyz`, `http://localhost:${WEB_PORT}/`]) await untilServed(url)
if (!isEnding) console.log(`\nZum Entwickeln: http://localhost:${WEB_PORT}/ (Strg+C beendet alles)\n`)

/** Starts a program in a separate process group, so that only this script receives Ctrl+C and forwards it once. */
function start(args, env = process.env) {
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'], detached: true })
}

function end(code) {
  if (isEnding) return
  isEnding = true
  process.exitCode = code
  for (const program of programs) program.kill('SIGTERM')
  try {
    // The signal goes to the process group, because before Node 22.15 the compiler is a child of its launcher.
    process.kill(-compiler.pid, 'SIGTERM')
  } catch {
    // Ignored: the process group has already ended.
  }
}

async function untilServed(url) {
  while (!isEnding) {
    const served = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (served) return
    await new Promise((done) => setTimeout(done, 100))
  }
}
