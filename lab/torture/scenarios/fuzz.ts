import { cpSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../../../dist/test/support/constants.js'
import { writeContentFolder } from '../../../dist/test/support/content.js'
import { fuzz } from '../../../dist/test/support/fuzz/index.js'
import type { Outcome, Scope, Settings } from '../outcome.js'
import { startServer, startService } from './server.js'

async function fuzzService(scope: Scope, name: string, serverUrl: string, settings: Settings): Promise<Outcome[]> {
  const { seed, requests } = settings
  // The content folder is small, because each request for an import reads all of its files.
  const contentDir = await writeContentFolder(scope, { 'decks/leer.md': '---\nname: Leer\n---\n' })
  for (const file of ['decks/git.md', 'decks/sql.md', 'decks/bilder', 'cheatsheets']) {
    cpSync(path.join(ROOT, 'content', file), path.join(contentDir, file), { recursive: true })
  }
  const { service, login } = await startService(scope, serverUrl, {
    CONTENT_DIR: contentDir,
    TRUST_PROXY: '127.0.0.1',
    CORS_ORIGIN: 'https://app.example.org',
    LOG_LEVEL: 'error',
  })
  const started = performance.now()
  const report = await fuzz({
    origin: service.url,
    root: login,
    seed,
    requests,
    onProgress: (sent) => {
      if (sent % 10_000 === 0) process.stderr.write(`${name}: ${sent} requests, ${secondsSince(started)} s\n`)
    },
  })
  const statuses = Object.entries(report.statuses).map(([status, count]) => `${count} × ${status}`)
  // Keeps only the errors, because the first line of the output contains the administrator's password.
  const logged = service
    .output()
    .split('\n')
    .filter((line) => /"level":(50|60)/.test(line))
  return [
    {
      fault: `hostile requests (${name})`,
      done: `${report.sent} requests to the operations of /openapi.json as stranger, learner, administrator and token, seed ${seed}, in ${secondsSince(started)} s`,
      observed: `${statuses.join(', ')}; slowest answer ${Math.round(report.slowestMs)} ms; ${report.faultCount} answers not as described; ${report.neverSucceeded.length} operations never succeeded`,
      lost: 'nothing',
      defects: [...report.faults, ...logged.slice(0, 5)],
    },
  ]
}

function secondsSince(started: number): number {
  return Math.round((performance.now() - started) / 1000)
}

export async function fuzzServer(scope: Scope, settings: Settings): Promise<Outcome[]> {
  const { url } = await startServer(scope, ['fsync=off'])
  return fuzzService(scope, 'PostgreSQL', url, settings)
}

/** Sends a fifth of the requests, because the embedded database handles one statement at a time. */
export function fuzzEmbedded(scope: Scope, settings: Settings): Promise<Outcome[]> {
  return fuzzService(scope, 'embedded', '', { ...settings, requests: Math.ceil(settings.requests / 5) })
}
