import assert from 'node:assert/strict'
import { Worker } from 'node:worker_threads'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { fsrs } from 'ts-fsrs'
import type { Database } from '../../../../db/types.js'
import { DEFAULT_WEIGHTS } from '../../../../src/domain/review/parameters.js'
import { addDays } from '../../../../src/domain/time/calendar.js'
import { runJob } from '../../../../src/services/jobs/job.js'
import { JOBS } from '../../../../src/services/jobs/jobs.js'
import { canFit } from '../../../../src/services/review/fit/binding.js'
import { fitLearner } from '../../../../src/services/review/fit/fit-learner.js'
import type { FitTask, TaskResult } from '../../../../src/services/review/fit/tasks.js'
import { FitWorker } from '../../../../src/services/review/fit/worker.js'
import { createMigratedDatabase } from '../../../support/database.js'
import { createDeck } from '../../../support/factories.js'
import { FORGETFUL, simulateLog, storeLog } from '../../../support/learner-logs.js'
import { startService } from '../../../support/service.js'

const FIRST_DAY = '2026-01-05'
/** Just enough days and, with three new cards a day, recalls for a fit */
const DAYS = 62
const clock = { now: new Date(`${addDays(FIRST_DAY, DAYS)}T12:00:00Z`) }
const store = await createMigratedDatabase()
const service = await startService(t, { now: () => clock.now, database: store })
const { db } = service
const moment = () => ({ at: clock.now, today: clock.now.toISOString().slice(0, 10) })
const deck = await createDeck(db)
const worker = new FitWorker()
t.teardown(() => worker.close())

const stateOf = async (userId: number) => {
  const { rows } = await sql<{ state: object }>`
    select to_json(card_progress) as state from card_progress where user_id = ${userId} order by id`.execute(db)
  return rows.map(({ state }) => state as Record<string, number | string>)
}
const logOf = (userId: number) =>
  db.selectFrom('review_log').selectAll().where('user_id', '=', userId).orderBy('id').execute()
const parametersOf = (userId: number, from: Kysely<Database> = db) =>
  from.selectFrom('fitted_parameters').selectAll().where('user_id', '=', userId).executeTakeFirst()

type Stage = 'sending' | 'computing' | 'computed'

/** A worker that calls `observe` before it reads the log, after it has sent the task, and before it returns the result. */
class ObservedWorker extends FitWorker {
  constructor(readonly observe: (stage: Stage) => Promise<void> | void) {
    super()
    t.teardown(() => this.close())
  }

  override async run(task: FitTask, lines: AsyncIterable<string>, signal?: AbortSignal): Promise<TaskResult> {
    const { observe } = this
    async function* observed() {
      await observe('sending')
      yield* lines
      setImmediate(() => observe('computing'))
    }
    const result = await super.run(task, observed(), signal)
    await observe('computed')
    return result
  }
}

async function createLearner(options: { days?: number; newPerDay?: number; seed?: number } = {}) {
  const member = await service.member()
  const { days = DAYS, newPerDay = 3, seed = 1 } = options
  const histories = simulateLog({ weights: FORGETFUL, days, newPerDay, seed })
  const cards = await storeLog(db, member.id, deck.id, histories, FIRST_DAY)
  return { member, histories, cards }
}

t.test('a fit adopts better parameters, recomputes memory states and changes no due date', async (t) => {
  t.equal(await canFit(), true, 'this platform has the library')
  const { member, histories } = await createLearner()
  const [before, log] = [await stateOf(member.id), await logOf(member.id)]
  t.equal((await member.get('/api/review/settings/fit')).body.in_use, false)
  t.equal(await fitLearner(db, member.id, moment(), worker), 'adopted')
  const { current, previous, tried_items, states_since } = (await parametersOf(member.id)) ?? {}
  assert(current)
  t.equal(current.model, 'fsrs-6')
  t.equal(current.w.length, 21)
  t.ok(current.log_loss_after < current.log_loss_before, `${current.log_loss_before} → ${current.log_loss_after}`)
  t.ok((current.w[2] as number) < (DEFAULT_WEIGHTS[2] as number), 'the learner forgets faster than the defaults say')
  t.equal(previous, null)
  t.equal(current.items, tried_items)
  const recalls = histories.flatMap((history) =>
    history.filter(({ day }, index) => day > (history[index - 1]?.day ?? day)),
  )
  t.equal(current.items, recalls.length)

  const after = await stateOf(member.id)
  const dates = (state: Record<string, unknown>) => ({ ...state, stability: 0, difficulty: 0 })
  t.strictSame(after.map(dates), before.map(dates), 'no date and no count changes')
  t.ok(after.filter(({ stability }, index) => stability !== before[index]?.stability).length > after.length * 0.9)
  t.strictSame(await logOf(member.id), log, 'the log is unchanged')
  t.equal(states_since, log.at(-1)?.id)

  const { body } = await member.get('/api/review/settings/fit')
  t.match(body, { available: true, in_use: true, fitted: { items: current.items, w: current.w, is_good: Boolean } })
  t.equal(body.median_ms, 5_000)
  t.equal((await member.get('/api/auth/me')).status, 200)

  t.equal((await member.delete('/api/review/settings/fit')).status, 200)
  t.match(await parametersOf(member.id), { current: null, previous: current, tried_items })
  const rounded = (states: typeof before) => states.map((state) => ({ ...state }))
  t.strictSame(rounded(await stateOf(member.id)), rounded(before), 'the defaults lead back to the former states')
})

t.test('ratings follow ts-fsrs with the fitted weights, in queue and response', async (t) => {
  const { member } = await createLearner({ seed: 2 })
  t.equal(await fitLearner(db, member.id, moment(), worker), 'adopted')
  const w = (await parametersOf(member.id))?.current?.w as number[]
  const library = fsrs({ w, enable_short_term: false })
  const queue = (await member.get('/api/review/queue?limit=10&new=0')).body
  t.ok(queue.cards.length >= 3)
  for (const { card_id, progress, next_review } of queue.cards.slice(0, 3)) {
    const { body } = await member.post('/api/review', { card_id, rating: 'medium' })
    const days = (Date.parse(queue.today) - Date.parse(progress.last_review)) / 86_400_000
    const expected = library.next_state(progress, days, 3)
    t.match(body.progress, { ...expected, next_review: next_review.medium })
  }
})

t.test('the setting disables and enables the fitted weights without changing dates', async (t) => {
  const { member } = await createLearner({ seed: 3 })
  const before = await stateOf(member.id)
  const put = (payload: object) => member.send({ method: 'PUT', url: '/api/review/settings', payload })
  await fitLearner(db, member.id, moment(), worker)
  const fitted = await stateOf(member.id)
  t.match((await put({ adapt_intervals: false, new_per_day: 3 })).body, { adapt_intervals: false, new_per_day: 3 })
  t.strictSame(await stateOf(member.id), before)
  t.match((await member.get('/api/review/settings/fit')).body, { in_use: false, fitted: {} })
  t.equal(await fitLearner(db, member.id, moment(), worker), 'gone', 'a disabled setting prevents the fit')
  await put({ adapt_intervals: true })
  t.strictSame(await stateOf(member.id), fitted)
})

t.test('a review from before the fit can be undone after it, and the memory state uses the new weights', async (t) => {
  const { member } = await createLearner({ seed: 4 })
  const [first, second] = (await member.get('/api/review/queue?limit=2&new=0')).body.cards
  const one = (await member.post('/api/review', { card_id: first.card_id, rating: 'easy' })).body
  const two = (await member.post('/api/review', { card_id: second.card_id, rating: 'again' })).body
  await member.post(`/api/review/cards/${second.card_id}/tomorrow`, {})
  t.equal(await fitLearner(db, member.id, moment(), worker), 'adopted')
  const put = (payload: object) => member.send({ method: 'PUT', url: '/api/review/settings', payload })
  const tomorrow = (await logOf(member.id)).at(-1)
  const undone = await member.delete(`/api/review/${tomorrow?.id}`)
  t.equal(undone.status, 200, undone.body.message)
  t.equal(undone.body.next_undo, two.review_id)
  t.equal((await member.delete(`/api/review/${two.review_id}`)).body.next_undo, one.review_id)
  t.equal((await member.delete(`/api/review/${one.review_id}`)).status, 200)
  const known = await stateOf(member.id)
  await put({ adapt_intervals: false })
  await put({ adapt_intervals: true })
  t.strictSame(await stateOf(member.id), known, 'as if computed from the whole log')
})

t.test('too few recalls or days, a deleted user and a disabled setting change nothing', async (t) => {
  const few = await createLearner({ newPerDay: 1 })
  t.equal(await fitLearner(db, few.member.id, moment(), worker), 'too few')
  const { member } = await createLearner({ newPerDay: 10, days: 50, seed: 5 })
  const young = { at: clock.now, today: addDays(FIRST_DAY, 59) }
  t.equal(await fitLearner(db, member.id, young, worker), 'too few', '59 days')
  t.equal(await fitLearner(db, 987_654, moment(), worker), 'gone')
  t.equal(await parametersOf(few.member.id), undefined)
  t.equal(await parametersOf(member.id), undefined)
})

t.test('a cancelled fit stores nothing', async (t) => {
  const { member } = await createLearner({ seed: 6 })
  const before = await stateOf(member.id)
  let observe: (stage: Stage) => void = () => {}
  let observed = new ObservedWorker((stage) => observe(stage))
  /** Fits, and aborts in the given stage or after so many statements that follow it. */
  const fitUntil = (last: Stage, statements = 0) => {
    const stop = new AbortController()
    let left = Number.POSITIVE_INFINITY
    observe = (stage) => {
      if (stage === last && statements === 0) stop.abort(new Error('stop'))
      else if (stage === last) left = statements
    }
    const counted = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (--left === 0) stop.abort(new Error('stop'))
        return result
      },
    })
    return fitLearner(counted, member.id, moment(), observed, stop.signal)
  }
  const STATEMENTS = 6
  for (const [stage, statements] of [
    ['sending', 0] as const,
    ...Array.from({ length: STATEMENTS + 1 }, (_, index) => ['computed', index] as const),
    ['computing', 0] as const,
  ]) {
    const name = `${stage}, ${statements} statements`
    await t.rejects(fitUntil(stage, statements), { message: 'stop' }, name)
    t.equal(await parametersOf(member.id), undefined, name)
    t.strictSame(await stateOf(member.id), before, name)
  }
  // The thread of the first worker may still compute.
  observed = new ObservedWorker((stage) => observe(stage))
  t.equal(await fitUntil('computed', STATEMENTS + 1), 'adopted', 'no statement follows')
})

t.test('fails if the thread ends while the log is being sent', async (t) => {
  const ending = new FitWorker()
  async function* sendLog() {
    yield ''
    await ending.close()
    yield ''
  }
  await t.rejects(ending.run({ kind: 'replay', weights: null }, sendLog()), /has ended/)
})

t.test('sends no task after an abort during the last read of the log', async (t) => {
  const { postMessage } = Worker.prototype
  t.teardown(() => {
    Worker.prototype.postMessage = postMessage
  })
  const sent: unknown[] = []
  Worker.prototype.postMessage = function (...args) {
    sent.push(args[0])
    postMessage.apply(this, args)
  }
  const stop = new AbortController()
  async function* sendLog() {
    yield ''
    stop.abort(new Error('stop'))
  }
  await t.rejects(worker.run({ kind: 'costs', weights: null }, sendLog(), stop.signal), { message: 'stop' })
  t.strictSame(sent, [{ begin: true }, { lines: '' }])
})

t.test('a review during each computation of a fit is not lost', async (t) => {
  const { member } = await createLearner({ seed: 7 })
  const { cards } = (await member.get('/api/review/queue?limit=3')).body
  const reviews: Promise<{ status: number }>[] = []
  const observed = new ObservedWorker(async (stage) => {
    if (stage !== 'computed') return
    const { card_id } = cards[reviews.length]
    reviews.push(member.post('/api/review', { card_id, rating: 'medium' }))
    // The last computation holds the learner's lock, so its review waits for the end of the fit.
    if (reviews.length < cards.length) await reviews.at(-1)
  })
  t.equal(await fitLearner(db, member.id, moment(), observed), 'adopted')
  t.match(await Promise.all(reviews), [{ status: 200 }, { status: 200 }, { status: 200 }])
  const known = await stateOf(member.id)
  const put = (payload: object) => member.send({ method: 'PUT', url: '/api/review/settings', payload })
  await put({ adapt_intervals: false })
  await put({ adapt_intervals: true })
  t.strictSame(await stateOf(member.id), known, 'every state follows from the log')
  t.equal(known.filter(({ last_review }) => last_review === moment().today).length, cards.length)
})

t.test('the nightly job fits once, and again after 30 days and half as many recalls again', async (t) => {
  await db.deleteFrom('users').where('is_admin', '=', false).execute()
  const { member } = await createLearner({ seed: 8 })
  await createLearner({ newPerDay: 1 })
  const run = (night?: string) =>
    runJob(db, JOBS.fit, {
      timeZone: 'Europe/Berlin',
      answersKeepDays: 90,
      defaultLanguage: 'de',
      resultsKeep: 'all',
      ...(night !== undefined && { night }),
      moment,
      signal: new AbortController().signal,
      onError: (error) => t.fail(String(error)),
    })
  const nothing = { tried: 0, adopted: 0, kept: 0, failed: 0 }
  t.strictSame(await run('2026-06-04'), { ...nothing, tried: 1, adopted: 1 })
  t.equal(await run('2026-06-04'), undefined, 'once a night')
  t.strictSame(await run('2026-06-05'), nothing)
  clock.now = new Date(clock.now.getTime() + 31 * 86_400_000)
  t.strictSame(await run('2026-07-05'), nothing, 'the recalls did not grow')
  await db.updateTable('fitted_parameters').set({ tried_items: 300 }).execute()
  const { tried } = (await run('2026-07-06')) ?? {}
  t.equal(tried, 1)
  t.equal((await parametersOf(member.id))?.tried_at.getTime(), clock.now.getTime())
  const admin = await service.admin()
  const { body } = await admin.get('/api/accounts/service')
  t.match(body, { can_fit: true, jobs: [{ name: 'fit', summary: { tried: 1 } }] })
})

t.test('a job runs on one instance at a time, and an abort releases its lease', async (t) => {
  let [running, most, returned] = [0, 0, 0]
  let endWaiting = () => {}
  const othersReturned = new Promise<void>((resolve) => {
    endWaiting = resolve
  })
  const job = {
    name: 'fit',
    run: async ({ renewLease, signal }: { renewLease: () => Promise<void>; signal: AbortSignal }) => {
      most = Math.max(most, ++running)
      try {
        await othersReturned
        await renewLease()
        signal.throwIfAborted()
      } finally {
        running--
      }
      return {}
    },
  }
  const keep = { answersKeepDays: 90, defaultLanguage: 'de', timeZone: 'Europe/Berlin', resultsKeep: 'all' } as const
  const options = { ...keep, moment, signal: new AbortController().signal, onError: () => {} }
  const results = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const result = await runJob(db, job, { ...options, night: '2026-08-01' })
      if (result === undefined && ++returned === 4) endWaiting()
      return result
    }),
  )
  t.equal(results.filter((result) => result !== undefined).length, 1)
  t.equal(most, 1)
  const abort = new AbortController()
  const aborted = runJob(db, job, { ...options, signal: abort.signal, night: '2026-08-02' })
  abort.abort(new Error('stop'))
  await t.rejects(aborted, { message: 'stop' })
  t.strictSame(
    await runJob(db, job, { ...options, night: '2026-08-02' }),
    {},
    'the next run continues in the same night',
  )
})

t.test('the service fits at night, and a stop interrupts the fit', async (t) => {
  await db.deleteFrom('users').where('is_admin', '=', false).execute()
  await db.deleteFrom('job_runs').execute()
  const learners = [await createLearner({ seed: 9 }), await createLearner({ seed: 10 })]
  const before = await Promise.all(learners.map(({ member }) => stateOf(member.id)))
  // The database stays open when the service of this test closes.
  const database = { ...store, close: async () => {} }
  const { postMessage } = Worker.prototype
  t.teardown(() => {
    Worker.prototype.postMessage = postMessage
  })
  const begun = new Promise<void>((resolve) => {
    let sendTask = () => {}
    // The thread gets the first task together with the stop, so the fit does not end earlier.
    Worker.prototype.postMessage = function (...args) {
      const [message] = args
      const send = () => postMessage.apply(this, args)
      if (message.task?.kind === 'fit') {
        sendTask = send
        return resolve()
      }
      if (message.stop) sendTask()
      return send()
    }
  })
  const night = await startService(t, { now: () => clock.now, database, jobIntervalMs: 20 })
  const isRunning = async () =>
    (await db.selectFrom('job_runs').select('leased_until').where('name', '=', 'fit').executeTakeFirst())?.leased_until
  await begun
  t.ok(await isRunning())
  await night.app.close()
  t.equal(await isRunning(), null, 'the lease is free for another instance')
  t.equal(await parametersOf(learners[1]?.member.id as number), undefined, 'the second fit has not begun')
  for (const [index, { member }] of learners.entries()) {
    const isFitted = (await parametersOf(member.id))?.current != null
    const isChanged = JSON.stringify(await stateOf(member.id)) !== JSON.stringify(before[index])
    t.equal(isChanged, isFitted, 'parameters and states belong together')
  }
})
