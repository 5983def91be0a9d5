import { parseArgs } from 'node:util'
import { agent } from '../../dist/test/support/fuzz/send.js'
import { type Outcome, printOutcome, type Scenario, withScope } from './outcome.js'
import { openIdleConnections, readSlowly, sendHalfRequests, sendHugeBody } from './scenarios/clients.js'

import { jumpClock } from './scenarios/clock.js'
import { fillConnections, freezeDatabase, restartDatabase, stopDatabase } from './scenarios/database.js'
import { fillDisk } from './scenarios/disk.js'
import { failOver } from './scenarios/failover.js'
import { fuzzEmbedded, fuzzServer } from './scenarios/fuzz.js'
import { killInDeletionsOnBoth, killInImportsOnBoth, killInSubmitsOnBoth } from './scenarios/kill.js'

const SCENARIOS: Record<string, Scenario> = {
  'database-stopped': stopDatabase,
  'database-restarted': restartDatabase,
  'database-frozen': freezeDatabase,
  'database-full': fillConnections,
  failover: failOver,
  'killed-submits': killInSubmitsOnBoth,
  'killed-import': killInImportsOnBoth,
  'killed-deletion': killInDeletionsOnBoth,
  'disk-full': fillDisk,

  clock: jumpClock,
  'half-requests': sendHalfRequests,
  'idle-connections': openIdleConnections,
  'huge-body': sendHugeBody,
  'slow-reader': readSlowly,
  'fuzz-postgres': fuzzServer,
  'fuzz-embedded': fuzzEmbedded,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, requests: { type: 'string', default: '100000' } },
})
const settings = { seed: Number(values.seed), requests: Number(values.requests) }
const unknown = positionals.filter((name) => !(name in SCENARIOS))
if (unknown.length > 0 || !Object.values(settings).every(Number.isSafeInteger)) {
  process.stderr.write(`use: torture [--seed N] [--requests N] [${Object.keys(SCENARIOS).join(' | ')}]…\n`)
  process.exit(2)
}

process.stdout.write('| fault | what was done | what was observed | what was lost |\n|---|---|---|---|\n')
const outcomes: Outcome[] = []
for (const name of positionals.length > 0 ? positionals : Object.keys(SCENARIOS)) {
  const found = await withScope((scope) => (SCENARIOS[name] as Scenario)(scope, settings)).catch((error: Error) => [
    {
      fault: name,
      done: '',
      observed: 'the scenario ended early',
      lost: 'unknown',
      defects: [error.stack ?? error.message],
    },
  ])
  found.forEach(printOutcome)
  outcomes.push(...found)
}
agent.destroy()
const defects = outcomes.flatMap((outcome) => outcome.defects).length
process.stdout.write(`\n${outcomes.length} faults, ${defects} defects\n`)
process.exitCode = defects === 0 ? 0 : 1
