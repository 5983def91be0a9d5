import t from 'tap'
import { TEST_DATABASE_URL } from '../support/database.js'
import { killInAttempts } from '../support/kill-attempts.js'
import { killInDeletions, killInImports, killInSubmits } from '../support/kills.js'
import { createStoreVariables } from '../support/process.js'

// On a PostgreSQL server the service starts quickly, but with the embedded database a start takes two seconds.
// `npm run torture` kills the service more often.
const isQuick = TEST_DATABASE_URL !== undefined

t.test('keeps every acknowledged result after SIGKILL during submits', async (t) => {
  const { acknowledged, lost, defects } = await killInSubmits(t, await createStoreVariables(t), isQuick ? 3 : 2)
  t.strictSame([lost, defects], [[], []])
  t.ok(acknowledged >= 31, `${acknowledged} acknowledged`)
})

t.test('applies an import completely or not at all after SIGKILL', async (t) => {
  const variables = await createStoreVariables(t)
  const { lost, defects, outcomes } = await killInImports(
    t,
    variables,
    isQuick ? [0.2, 0.5, 0.8, 0.95, 1.5] : [0.5, 0.9, 1.5],
  )
  t.strictSame([lost, defects], [[], []])
  t.comment(outcomes)
})

t.test('deletes each user completely or not at all after SIGKILL', async (t) => {
  const rounds = isQuick ? 3 : 1
  const { lost, defects, outcomes } = await killInDeletions(t, await createStoreVariables(t), rounds)
  t.strictSame([lost, defects], [[], []])
  t.equal((outcomes.gone ?? 0) + (outcomes.whole ?? 0), 6 * rounds)
  t.comment(outcomes)
})

t.test(
  'keeps every acknowledged answer after SIGKILL during 100 attempts, and ends each at its deadline',
  async (t) => {
    const report = await killInAttempts(t, await createStoreVariables(t), isQuick ? 5 : 3)
    t.strictSame([report.lost, report.defects], [[], []])
    t.ok((report.outcomes.attempts ?? 0) >= 100, JSON.stringify(report.outcomes))
    t.ok((report.outcomes.overdue ?? 0) >= 1, JSON.stringify(report.outcomes))
    t.comment(report.outcomes, `${report.acknowledged} acknowledged`)
  },
)
