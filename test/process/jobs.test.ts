import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { migrateToLatest } from '../../db/migrate.js'
import type { Database } from '../../db/types.js'
import { createDeck, createUser } from '../support/factories.js'
import { FORGETFUL, simulateLog, storeLog } from '../support/learner-logs.js'
import { createStoreVariables, firstLogin, loginOver, runCommand, startProcess, withStore } from '../support/process.js'
import { SCRATCH } from '../support/scratch.js'

const LEARNERS = 5
const FIRST_DAY = '2026-01-05'

async function fill(db: Kysely<Database>): Promise<void> {
  // On a PostgreSQL server the database is new and has no schema yet.
  await migrateToLatest(db)
  const deck = await createDeck(db)
  const log = simulateLog({ weights: FORGETFUL, days: 100, newPerDay: 3, seed: 1 })
  for (let index = 0; index < LEARNERS; index++) {
    const { id } = await createUser(db, { username: `person-${index}` })
    await storeLog(db, id, deck.id, log, FIRST_DAY)
  }
}

async function readStates(db: Kysely<Database>) {
  const { rows } = await sql<{ user_id: number; is_fitted: boolean; dates: string; memory: string }>`
    select progress.user_id, bool_or(current is not null) as is_fitted,
      md5(string_agg(next_review || ' ' || reps, ',' order by progress.id)) as dates,
      md5(string_agg(stability || ' ' || difficulty, ',' order by progress.id)) as memory
    from card_progress as progress left join fitted_parameters as fit on fit.user_id = progress.user_id
    group by progress.user_id order by progress.user_id`.execute(db)
  return rows
}

/** Number of the fit during which the job receives SIGTERM */
const STOPPED_FIT = 3
/** Module that sends SIGTERM to the program as soon as its worker thread has received fit number `STOPPED_FIT` */
const STOP_DURING_FIT = `data:text/javascript,${encodeURIComponent(`
  import { Worker } from 'node:worker_threads'
  const post = Worker.prototype.postMessage
  let fits = 0
  Worker.prototype.postMessage = function (message, ...rest) {
    post.call(this, message, ...rest)
    if (message.task?.kind === 'fit' && ++fits === ${STOPPED_FIT}) process.kill(process.pid, 'SIGTERM')
  }`)}`

t.test('SIGTERM during a fit leaves each learner consistent, and the next run fits the others', async (t) => {
  const variables = await createStoreVariables(t)
  await withStore(variables, fill)
  const before = await withStore(variables, readStates)
  const stopped = await runCommand({ ...variables, NODE_OPTIONS: `--import=${STOP_DURING_FIT}` }, [
    'jobs',
    'run',
    'fit',
  ])
  t.match(stopped, { code: 1, stdout: '', stderr: /Abgebrochen/ })
  const run = await withStore(variables, (db) => db.selectFrom('job_runs').selectAll().execute())
  t.match(
    run,
    [{ name: 'fit', leased_until: null, finished_at: null }],
    'the job is not finished, and its lease is free',
  )
  const after = await withStore(variables, readStates)
  const fitted = after.filter(({ is_fitted }) => is_fitted)
  t.equal(fitted.length, STOPPED_FIT - 1, 'the stopped fit has stored nothing')
  t.strictSame(
    after.map(({ dates }) => dates),
    before.map(({ dates }) => dates),
    'no due date has changed',
  )
  const former = new Set(before.map(({ memory }) => memory))
  t.ok(
    after.every(({ is_fitted, memory }) => is_fitted !== former.has(memory)),
    'parameters and states belong together',
  )
  t.equal(new Set(fitted.map(({ memory }) => memory)).size, 1, 'the same log leads to the same states')

  const { code: second, stdout } = await runCommand(variables, ['jobs', 'run', 'fit', '--json'])
  t.equal(second, 0)
  t.match(JSON.parse(stdout), {
    job: 'fit',
    tried: LEARNERS - fitted.length,
    adopted: LEARNERS - fitted.length,
    failed: 0,
  })
  const one = await runCommand(variables, ['jobs', 'run', 'fit', '--user', 'person-0'])
  t.match(one.stdout, /fit: tried 1/, 'a named user is fitted regardless of the last time')
})

t.test('refuses unknown jobs and users', async (t) => {
  const variables = await createStoreVariables(t)
  t.match(await runCommand(variables, ['jobs', 'run', 'x']), { code: 1, stderr: /Diesen Auftrag gibt es nicht.*fit/ })
  for (const job of ['proofs', 'mails']) {
    const refused = await runCommand(variables, ['jobs', 'run', job, '--user', 'person-0'])
    t.match(refused, { code: 1, stdout: '', stderr: /nur für alle Benutzer/ })
  }
  const unknown = await runCommand(variables, ['jobs', 'run', 'fit', '--user', 'niemand'])
  t.match(unknown, { code: 1, stderr: /Es gibt keinen Benutzer niemand/ })
})

/** Module that hides the native library from the program, as on a platform without a prebuilt binary */
const HIDE_LIBRARY = `
  import { register } from 'node:module'
  const hooks = \`export const resolve = (specifier, context, next) => {
    if (specifier.startsWith('@open-spaced-repetition/binding')) throw new Error('no binary')
    return next(specifier, context)
  }\`
  register('data:text/javascript,' + encodeURIComponent(hooks))`

t.test('uses the default intervals if the native library cannot be loaded, and logs this once', async (t) => {
  const folder = await mkdtemp(path.join(SCRATCH, 'svc-training-no-binary-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const hide = path.join(folder, 'hide.mjs')
  await writeFile(hide, HIDE_LIBRARY)
  const variables = { ...(await createStoreVariables(t)), NODE_OPTIONS: `--import=${hide}` }
  const service = await startProcess(t, variables)
  const send = await loginOver(service.url, firstLogin(service, variables))
  const fit = (await (await send('/api/review/settings/fit')).json()) as object
  t.match(fit, { available: false, in_use: false, fitted: null })
  const { cards } = (await (await send('/api/review/queue')).json()) as { cards: { card_id: number }[] }
  const review = await send('/api/review', { body: { card_id: cards[0]?.card_id, rating: 'medium' } })
  t.equal(review.status, 200)
  for (let left = 1_200; left > 0 && !service.output().includes(NO_FIT); left--) await sleep(50)
  t.equal(service.output().split(NO_FIT).length - 1, 1, 'the log says it once')
  t.equal(await service.stop(), 0)
  const { code, stdout } = await runCommand(variables, ['jobs', 'run', 'fit'])
  t.match({ code, stdout }, { code: 0, stdout: /tried 0/ })
})

const NO_FIT = 'lassen sich die Abstände nicht an die Lernenden anpassen'
