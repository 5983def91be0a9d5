import { sql } from 'kysely'
import t from 'tap'
import { calendarIn } from '../../../src/domain/time/calendar.js'
import { planAssignment, planPersons } from '../../../src/services/assignments/plan.js'
import { runJob } from '../../../src/services/jobs/job.js'
import { JOBS } from '../../../src/services/jobs/jobs.js'
import { ASSIGNMENT, sheetPart } from '../../support/assignments.js'
import { countStatements, createMigratedDatabase } from '../../support/database.js'
import { startService } from '../../support/service.js'

/** Number of persons; the job needs more than one batch for them */
const PERSONS = 1_200
const BATCH = 250
const TIME_ZONE = 'Europe/Berlin'

const counter = countStatements(await createMigratedDatabase())
let now = new Date('2026-12-01T10:00:00Z')
const service = await startService(t, { database: counter.database, now: () => now })
const { db } = service
const admin = await service.admin()
const learner = await service.member()
const dayOf = calendarIn(TIME_ZONE)
const clock = { moment: (at = now) => ({ at, today: dayOf(at) }), timeZone: TIME_ZONE, issuer: null }

await sql`
  insert into users (username, display_name, created_at)
  select 'person-' || number, 'Person ' || number, '2026-01-01' from generate_series(1, ${PERSONS}::integer) as number`.execute(
  db,
)
const { body } = await admin.post('/api/assignments', {
  ...ASSIGNMENT,
  starts: '2026-12-02',
  due: '2026-12-31',
  parts: [await sheetPart(db)],
  audience: { everybody: true },
})
const id: number = body.assignment.id

const countOf = async () =>
  Number(
    (
      await db.selectFrom('occurrences').select(db.fn.countAll().as('count')).where('assignment_id', '=', id).execute()
    )[0]?.count,
  )

function run(signal = new AbortController().signal) {
  const rest = { answersKeepDays: 90, defaultLanguage: 'de', resultsKeep: 'all', onError: () => {} } as const
  return runJob(db, JOBS['plan-occurrences'], { ...clock, ...rest, signal })
}

t.test('the next run finishes a job that was killed between two batches', async (t) => {
  t.equal(await countOf(), 0, 'the period is not open yet')
  now = new Date('2026-12-02T10:00:00Z')
  let batches = 0
  const killed = planAssignment(db, id, clock, async () => {
    if (++batches === 2) throw new Error('killed')
  })
  await t.rejects(killed, { message: 'killed' })
  t.equal(await countOf(), BATCH)
  t.strictSame(await run(), { assignments: 1, inserted: PERSONS + 2 - BATCH })
  t.equal(await countOf(), PERSONS + 2)
  t.strictSame(await run(), { assignments: 1, inserted: 0 }, 'a second run adds nothing')
})

t.test('a fault while persons are planned reaches the caller', async (t) => {
  const user = db.selectFrom('users').select('id').where('username', '=', 'person-7')
  const { id: person } = await user.executeTakeFirstOrThrow()
  const moment = () => {
    throw new Error('planning failed')
  }
  const planned = planPersons(db, id, { userIds: [person], ids: [] }, { ...clock, moment })
  await t.rejects(planned, { message: 'planning failed' })
})

t.test('two concurrent instances create each occurrence once', async (t) => {
  await db.deleteFrom('occurrences').where('assignment_id', '=', id).execute()
  await db.updateTable('assignments').set({ planned_on: null }).execute()
  const inserted = await Promise.all([planAssignment(db, id, clock), planAssignment(db, id, clock)])
  t.equal(inserted[0] + inserted[1], PERSONS + 2)
  t.equal(await countOf(), PERSONS + 2)
})

t.test('the job stops when the service stops', async (t) => {
  await t.rejects(run(AbortSignal.abort(new Error('the service stops'))), { message: 'the service stops' })
})

t.test('the cost of a person does not grow with the number of persons', async (t) => {
  const session = await service.loginAs(
    (await db.selectFrom('users').select('username').where('id', '=', learner.id).executeTakeFirstOrThrow()).username,
  )
  const mine = () => session.get('/api/assignments/mine')
  t.match((await mine()).body.occurrences, [{ assignment: { id }, state: 'open' }])
  // The request sends statements for the session, the done parts, the states of the occurrences, the plan (two) and the
  // list.
  t.equal(await counter.countOf(mine), 6)
})

t.test('each page of the list costs the same', async (t) => {
  const boss = await service.loginAs(
    (await db.selectFrom('users').select('username').where('id', '=', admin.id).executeTakeFirstOrThrow()).username,
  )
  const page = (query: string) => () => boss.get(`/api/assignments/${id}/occurrences?limit=50${query}`)
  const { next_after } = (await page('')()).body
  const { body } = await page(`&after=${next_after}`)()
  const [first, second, third] = [
    await counter.countOf(page('')),
    await counter.countOf(page(`&after=${next_after}`)),
    await counter.countOf(page(`&after=${body.next_after}`)),
  ]
  t.strictSame([first, second, third], [12, 11, 11], 'the first page also plans for new members')
})
