import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { connectToStore, openDatabase } from '../../dist/db/client.js'
import { migrateToLatest } from '../../dist/db/migrate.js'
import { runJob } from '../../dist/src/services/jobs/job.js'
import { JOBS } from '../../dist/src/services/jobs/jobs.js'
import { FORGETFUL, simulateLog, storeLog } from '../../dist/test/support/learner-logs.js'
import { openTemporaryStore } from '../../dist/test/support/temporary-store.js'

/**
 * Fits the parameters of many people in one night: `npm run simulate -- night [--people 1000]`. Uses the empty
 * PostgreSQL database of DATABASE_URL, or a temporary embedded one if it is not set. Prints time, memory and event loop
 * delay.
 */
const { values: options } = parseArgs({
  allowPositionals: true,
  options: { people: { type: 'string', default: '1000' } },
})
const PEOPLE = Number(options.people)
/** Number of different review logs; the other learners get copies of these logs. */
const LOGS = 5
const DAYS = 120
const FIRST_DAY = '2026-01-05'
const NOW = new Date('2026-06-01T03:00:00Z')

const databaseUrl = process.env.DATABASE_URL
const onIdleError = (error: Error) => console.error(error)
const { db, close } =
  databaseUrl === undefined
    ? await connectToStore(await openTemporaryStore(), onIdleError)
    : await openDatabase({ databaseUrl, dataDir: '', poolMax: 4, onIdleError })
await migrateToLatest(db)
await sql`insert into decks (slug, name) values ('fit', 'Fit')`.execute(db)
const deck = await db.selectFrom('decks').select('id').where('slug', '=', 'fit').executeTakeFirstOrThrow()
await sql`
  insert into users (username, display_name, password_hash)
  select 'person-' || n, 'Erika', '' from generate_series(1, ${PEOPLE}::integer) as n`.execute(db)
const users = await db.selectFrom('users').select('id').orderBy('id').execute()

const started = performance.now()
for (const [index, { id }] of users.entries()) {
  if (index < LOGS) {
    const log = simulateLog({ weights: FORGETFUL, days: DAYS, newPerDay: 1 + (index % 3), seed: index })
    await storeLog(db, id, deck.id, log, FIRST_DAY)
    continue
  }
  const from = users[index % LOGS]?.id as number
  const shift = index * 100_000
  await sql`
    insert into review_log (id, user_id, card_id, deck_id, kind, rating, phase, duration_ms, studied_on, created_at,
      before, after, answer)
    select id + ${shift}::bigint, ${id}::integer, card_id, deck_id, kind, rating, phase, duration_ms, studied_on, created_at,
      before || jsonb_build_object('last_review_id', (before ->> 'last_review_id')::bigint + ${shift}::bigint), after, answer
    from review_log where user_id = ${from}`.execute(db)
  await sql`
    insert into card_progress (user_id, card_id, last_rating, next_review, stability, difficulty, last_review, reps,
      lapses, last_review_id)
    select ${id}::integer, card_id, last_rating, next_review, stability, difficulty, last_review, reps, lapses,
      last_review_id + ${shift}::bigint
    from card_progress where user_id = ${from}`.execute(db)
}
await sql`analyze`.execute(db)
const { rows } = await sql<{ reviews: number }>`select count(*) as reviews from review_log`.execute(db)
console.log(
  `${PEOPLE} people, ${rows[0]?.reviews} reviews, stored in ${((performance.now() - started) / 1000).toFixed(0)} s`,
)

const [before] = await sumDates()
const megabytes = () => Math.round(process.memoryUsage().rss / 2 ** 20)
let most = megabytes()
const watch = setInterval(() => {
  most = Math.max(most, megabytes())
}, 20)
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
const [cpu, begun, rss] = [process.cpuUsage(), performance.now(), megabytes()]
const summary = await runJob(db, JOBS.fit, {
  answersKeepDays: 90,
  defaultLanguage: 'de',
  resultsKeep: 'all',
  timeZone: 'UTC',
  night: '2026-06-01',
  moment: () => ({ at: NOW, today: '2026-06-01' }),
  signal: new AbortController().signal,
  onError: (error) => console.error(error),
})
const seconds = (performance.now() - begun) / 1000
const used = process.cpuUsage(cpu)
clearInterval(watch)
delay.disable()
console.log(JSON.stringify(summary))
console.log(`${seconds.toFixed(0)} s, of these ${((used.user + used.system) / 1e6).toFixed(0)} s CPU of this process`)
console.log(
  `memory ${rss} MB before, at most ${most} MB; event loop delayed by ${(delay.percentile(99) / 1e6).toFixed(0)} ms (p99), ${(delay.max / 1e6).toFixed(0)} ms (most)`,
)
const [after] = await sumDates()
if (before !== after) throw new Error('a date has moved')
console.log('no date has moved')
await close()

async function sumDates(): Promise<string[]> {
  const { rows: found } = await sql<{ sum: string }>`
    select md5(string_agg(id || ' ' || next_review, ',' order by id)) as sum from card_progress`.execute(db)
  return found.map(({ sum }) => sum)
}
