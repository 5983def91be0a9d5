import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { RATINGS } from '../../../src/domain/review/review.js'
import { FitWorker } from '../../../src/services/review/fit/worker.js'
import { FORGETFUL, simulateLog } from '../../support/learner-logs.js'
import { mulberry32 } from '../../support/random.js'
import { SEED } from '../../support/seed.js'

const ROUNDS = 30
const DAYS = 100
/** About as long as the thread needs for its start and the whole fit */
const MAX_PAUSE_MS = 1_500
t.setTimeout(3_600_000)

t.test('a thread may end at any moment of a fit', async (t) => {
  const histories = simulateLog({ weights: FORGETFUL, days: DAYS, newPerDay: 10, seed: 1 })
  const entries = histories.flatMap((history) =>
    history.map(({ id, rating, day }, index) => {
      const previous = history[index - 1]?.id
      return { id, line: [id, 'r', '', RATINGS.indexOf(rating), day, 0, previous ?? '', previous ? 1 : 0].join() }
    }),
  )
  const log = entries.sort((one, two) => one.id - two.id).map(({ line }) => line)
  const random = mulberry32(SEED)
  const fit = async (pauseMs: number) => {
    const worker = new FitWorker()
    const result = worker.run({ kind: 'fit', weights: null, today: DAYS + 1 }, [log.join('\n')])
    const outcome = result.then(
      ({ kind }) => kind,
      (error: Error) => error.message,
    )
    await Promise.race([outcome, sleep(pauseMs, undefined, { ref: false })])
    await worker.close()
    return outcome
  }
  t.equal(await fit(600_000), 'fitted')
  for (let round = 0; round < ROUNDS; round++) t.match(await fit(random() * MAX_PAUSE_MS), /^fitted$|has ended$/)
})
