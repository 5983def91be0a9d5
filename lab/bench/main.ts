import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { cleanUp, cleanUpOnSignals, isInterrupted, markTasks } from './cleanup.js'
import { startPostgres } from './postgres.js'
import { ROOT } from './processes.js'
import { checkDocument, formatTable, replaceInDocument, type Scenario, type ScenarioMeasure } from './report.js'
import { measureAssignments } from './scenarios/assignments.js'
import { measureDecks } from './scenarios/decks.js'
import { measureEditing } from './scenarios/editing.js'
import { measureExport } from './scenarios/export.js'
import { measureFairness } from './scenarios/fairness.js'
import { measureGrowth } from './scenarios/growth.js'
import { measureHistory } from './scenarios/history.js'
import { measureImport } from './scenarios/import.js'
import { measureInstances } from './scenarios/instances.js'
import { measureLogins } from './scenarios/logins.js'
import { measurePackages } from './scenarios/packages.js'
import { measureQuiz } from './scenarios/quiz.js'
import { measureReviews } from './scenarios/reviews.js'
import { measureScim } from './scenarios/scim.js'
import { measureSearch } from './scenarios/search.js'
import { measureSearchAll } from './scenarios/search-all.js'
import { measureSearchers } from './scenarios/searchers.js'
import { measureStart } from './scenarios/start.js'
import { measureWeb } from './scenarios/web.js'

const SCENARIOS: Record<string, Scenario> = {
  start: measureStart,
  decks: measureDecks,
  history: measureHistory,
  logins: measureLogins,
  instances: measureInstances,
  quiz: measureQuiz,
  reviews: measureReviews,
  editing: measureEditing,
  growth: measureGrowth,
  export: measureExport,
  search: measureSearch,
  'search-all': measureSearchAll,
  searchers: measureSearchers,
  import: measureImport,
  packages: measurePackages,
  assignments: measureAssignments,
  fairness: measureFairness,
  scim: measureScim,
  web: measureWeb,
}

const USAGE = `npm run bench -- [scenario …] [--markdown FILE]

Scenarios: ${Object.keys(SCENARIOS).join(', ')}; without a name all of them.
--markdown FILE     put the table into that document, between its two marks; only with all scenarios
BENCH_DATABASE_URL  a PostgreSQL on which databases may be created; without it one is started for the run
`

function readArguments(): { names: string[]; markdown: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      options: { markdown: { type: 'string' }, help: { type: 'boolean' } },
      allowPositionals: true,
    })
    const unknown = positionals.filter((name) => !(name in SCENARIOS))
    if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`)
    if (values.markdown !== undefined && positionals.length > 0) throw new Error('--markdown takes all scenarios')
    if (values.help) {
      process.stdout.write(USAGE)
      process.exit()
    }
    // npm runs this script in lab/, but the path is relative to the folder where npm was called.
    const document = values.markdown && path.resolve(process.env.INIT_CWD ?? '.', values.markdown)
    return { names: positionals.length > 0 ? positionals : Object.keys(SCENARIOS), markdown: document }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
  }
}

const { names, markdown } = readArguments()
cleanUpOnSignals()
const started = performance.now()
const loads: number[] = []
const measures: ScenarioMeasure[] = []
try {
  if (markdown !== undefined) await checkDocument(markdown)
  const postgres = await startPostgres(process.env.BENCH_DATABASE_URL)
  for (const scenario of names) {
    const load = loadavg()[0] as number
    loads.push(load)
    process.stdout.write(`\n## ${scenario} (load of the machine before: ${load.toFixed(1)})\n\n`)
    const mark = markTasks()
    const found = (await SCENARIOS[scenario]?.(postgres)) ?? []
    await cleanUp(mark)
    measures.push(...found.map((measure) => ({ scenario, ...measure })))
    process.stdout.write(formatTable(measures.filter((measure) => measure.scenario === scenario)))
  }
  await report(postgres.version)
} catch (error) {
  // Errors after a signal are consequences of the cleanup and are not reported.
  if (!isInterrupted()) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  }
} finally {
  if (!isInterrupted()) await cleanUp()
}

async function report(postgresVersion: string): Promise<void> {
  const machine = {
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: `Node.js ${process.version}`,
    postgres: `PostgreSQL ${postgresVersion}`,
  }
  const minutes = (performance.now() - started) / 60_000
  const date = new Date().toISOString()
  const circumstances = [
    `Measured ${date.slice(0, 10)} on ${Object.values(machine).join(', ')}, in ${minutes.toFixed(0)} minutes.`,
    `Load average of the machine before the first scenario: ${loads[0]?.toFixed(1)}.`,
  ].join('\n')
  const table = formatTable(measures)
  process.stdout.write(`\n## ${names.join(', ')}\n\n${table}\n${circumstances}\n`)
  const folder = path.join(ROOT, 'lab', 'bench', 'results')
  await mkdir(folder, { recursive: true })
  const file = path.join(folder, `${date.replaceAll(':', '-')}.json`)
  await writeFile(file, `${JSON.stringify({ date, machine, loads, minutes, measures }, null, 2)}\n`)
  process.stdout.write(`${path.relative(ROOT, file)}\n`)
  if (markdown !== undefined) await replaceInDocument(markdown, `${circumstances}\n\n${table}`)
}
