import t from 'tap'
import { toTrainingCsv } from '../../../../src/domain/review/history.js'
import { loadTrainer } from '../../../../src/services/review/fit/binding.js'
import { FitProcess } from '../../../../src/services/review/fit/fit-process.js'
import { FORGETFUL, simulateLog } from '../../../support/learner-logs.js'
import { until } from '../../../support/until.js'

const csv = toTrainingCsv(simulateLog({ weights: FORGETFUL, days: 62, newPerDay: 3, seed: 11 }))
const { signal } = new AbortController()
const countProcesses = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length
const fitting = new FitProcess()
t.teardown(() => fitting.close())

t.test('returns the weights of the library, and keeps its process', async (t) => {
  t.equal(countProcesses(), 0)
  const weights = await fitting.fit(csv, signal)
  t.strictSame(weights, await (await loadTrainer())?.fit(csv))
  t.equal(weights.length, 21)
  t.strictSame(await fitting.fit(csv, signal), weights)
  t.equal(countProcesses(), 1)
})

t.test('fails if the library fails', async (t) => {
  await t.rejects(fitting.fit('header\nno,review,at,all,0\n', signal), { message: /^Error: / })
  await until(() => countProcesses() === 0)
})

t.test('ends the process if the signal is aborted', async (t) => {
  const controller = new AbortController()
  const fit = fitting.fit(csv, controller.signal)
  t.equal(countProcesses(), 1)
  controller.abort()
  await t.rejects(fit, { name: 'AbortError' })
  await until(() => countProcesses() === 0)
  await t.rejects(fitting.fit(csv, controller.signal), { name: 'AbortError' })
  t.equal(countProcesses(), 0, 'starts none after the abort')
  t.equal((await fitting.fit(csv, signal)).length, 21, 'the next fit starts another one')
})

t.test('fails if the process ends', async (t) => {
  const fit = fitting.fit(csv, signal)
  fitting.close()
  await t.rejects(fit, { message: 'the process that fits has ended' })
})
