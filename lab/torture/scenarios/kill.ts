import { type Kills, killInDeletions, killInImports, killInSubmits } from '../../../dist/test/support/kills.js'
import { createStoreVariables } from '../../../dist/test/support/process.js'
import type { Outcome, Scope } from '../outcome.js'
import { startServer } from './server.js'

type Kill = (scope: Scope, variables: Record<string, string>) => Promise<Kills>

async function killOnBoth(scope: Scope, fault: string, kill: Kill): Promise<Outcome[]> {
  const { url } = await startServer(scope)
  const outcomes: Outcome[] = []
  for (const [database, serverUrl] of [
    ['PostgreSQL', url],
    ['embedded', ''],
  ] as const) {
    const report = await kill(scope, await createStoreVariables(scope, 'empty', serverUrl))
    const seen = Object.entries(report.outcomes).map(([outcome, times]) => `${times} × ${outcome}`)
    outcomes.push({
      fault: `${fault} (${database})`,
      done: `SIGKILL at ${report.kills} moments, start again`,
      observed: [`${report.acknowledged} acknowledged`, ...seen].join(', '),
      lost: report.lost.join('; ') || 'nothing',
      defects: [...report.lost, ...report.defects],
    })
  }
  return outcomes
}

export const killInSubmitsOnBoth = (scope: Scope) =>
  killOnBoth(scope, 'killed while results are submitted', (owner, variables) => killInSubmits(owner, variables, 10))

export const killInImportsOnBoth = (scope: Scope, { seed }: { seed: number }) =>
  killOnBoth(scope, 'killed in an import of 3,000 cards', (owner, variables) =>
    killInImports(owner, variables, spread(12, seed)),
  )

export const killInDeletionsOnBoth = (scope: Scope) =>
  killOnBoth(scope, 'killed while users are deleted', (owner, variables) => killInDeletions(owner, variables, 10))

/** Returns one number from each of `count` equal parts of [0, 1); the seed determines the position within a part. */
function spread(count: number, seed: number): number[] {
  return Array.from({ length: count }, (_, index) => (index + ((seed * (index + 7) * 0.618) % 1)) / count)
}
