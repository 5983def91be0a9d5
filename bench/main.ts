import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import path from 'node:path'
import { startPostgres } from './postgres.js'
import { ROOT } from './processes.js'
import type { Measure, Scenario } from './report.js'
import { printTable } from './report.js'
import { measureDecks } from './scenarios/decks.js'
import { measureExport } from './scenarios/export.js'
import { measureHistory } from './scenarios/history.js'
import { measureImport } from './scenarios/import.js'
import { measureInstances } from './scenarios/instances.js'
import { measureLogins } from './scenarios/logins.js'
import { measureQuiz } from './scenarios/quiz.js'
import { measureReviews } from './scenarios/reviews.js'
import { measureSearch } from './scenarios/search.js'
import { measureStart } from './scenarios/start.js'

const SCENARIOS: Record<string, Scenario> = {
  decks: measureDecks,
  quiz: measureQuiz,
  export: measureExport,
  search: measureSearch,
  import: measureImport,
  logins: measureLogins,
  history: measureHistory,
  reviews: measureReviews,
  instances: measureInstances,
  start: measureStart,
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !(name in SCENARIOS))
if (unknown.length > 0) {
  process.stderr.write(`unknown: ${unknown.join(', ')}; there are: ${Object.keys(SCENARIOS).join(', ')}\n`)
  process.exit(2)
}

const postgres = await startPostgres(process.env.BENCH_DATABASE_URL)
const machine = {
  cpu: `${cpus().length} × ${cpus()[0]?.model}`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  node: process.version,
  postgres: postgres.version,
}
const measures: Measure[] = []
try {
  for (const name of names.length > 0 ? names : Object.keys(SCENARIOS)) {
    const load = loadavg()[0]?.toFixed(1)
    process.stdout.write(`\n## ${name} (load of the machine before: ${load})\n\n`)
    const found = (await SCENARIOS[name]?.(postgres)) ?? []
    printTable(found)
    measures.push(...found.map((measure) => ({ scenario: name, ...measure })))
  }
} finally {
  await postgres.stop()
}
const folder = path.join(ROOT, 'bench', 'results')
await mkdir(folder, { recursive: true })
const file = path.join(folder, `${new Date().toISOString().replaceAll(':', '-')}.json`)
await writeFile(file, `${JSON.stringify({ machine, measures }, null, 2)}\n`)
process.stdout.write(`\n${Object.values(machine).join(', ')}\n${path.relative(process.cwd(), file)}\n`)
