import { sql } from 'kysely'
import { openDatabase } from '../../../dist/db/client.js'
import { listPlannable } from '../../../dist/db/queries/assignments/assignments.js'
import { planAssignment } from '../../../dist/src/services/assignments/plan.js'
import { openSession } from '../../../dist/test/support/process.js'
import { atEnd } from '../cleanup.js'
import { load } from '../load.js'
import { PASSWORD } from '../password.js'
import type { Postgres } from '../postgres.js'
import { startService } from '../processes.js'
import type { Measure } from '../report.js'
import { SMALL } from '../seed.js'

/** BENCH_PEOPLE=500 tries the scenario out on a busy machine. */
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 10_000)
const ASSIGNMENTS = 50
const MEMBERS = 20
const TODAY = '2026-12-01'
const clock = { moment: () => ({ at: new Date(`${TODAY}T02:00:00Z`), today: TODAY }), timeZone: 'Europe/Berlin' }

/** Measures the daily job for all persons and for half of them, and the page of a lead. */
export async function measureAssignments(postgres: Postgres): Promise<Measure[]> {
  const half = await plan(postgres, PEOPLE / 2)
  const all = await plan(postgres, PEOPLE)
  const service = await startService(all.databaseUrl)
  const cookies = [await openSession(service.url, { username: 'lernende-1', password: PASSWORD })]
  const path = `/api/assignments/${all.firstId}/occurrences?limit=100`
  const page = await load(service, { path, cookies, seconds: 5 })
  return [
    {
      what: `daily job, ${PEOPLE} persons × ${ASSIGNMENTS} assignments, nothing planned yet`,
      service: `${all.first.toFixed(1)} s`,
      target: '60 s',
      reached: `${(all.first / half.first).toFixed(2)} × half of the persons`,
      met: all.first < 60,
    },
    {
      what: 'the same, all planned already',
      service: `${all.again.toFixed(1)} s`,
      target: '60 s',
      reached: `${(all.again / half.again).toFixed(2)} × half of the persons`,
      met: all.again < 60,
    },
    { what: `GET /api/assignments/{id}/occurrences as lead of ${MEMBERS} persons, 20 connections`, service: page },
  ]
}

async function plan(postgres: Postgres, users: number) {
  const databaseUrl = await postgres.database({ ...SMALL, users, progress: 0 })
  const { db, close } = await openDatabase({ databaseUrl, dataDir: '', poolMax: 2, onIdleError: () => {} })
  atEnd(close)
  await sql`
    insert into assignments (title, description, mandatory, retention_years, created_on, starts_on, due_on, everybody_from)
    select 'Aufgabe ' || number, '', true, 2, ${TODAY}, ${TODAY}, '2026-12-31', ${TODAY}
    from generate_series(1, ${ASSIGNMENTS}) as number`.execute(db)
  await sql`
    insert into assignment_parts (assignment_id, position, kind, title) select id, 0, 'personal', 'Rundgang' from assignments`.execute(
    db,
  )
  await sql`insert into teams (name) values ('Werkstatt')`.execute(db)
  await sql`
    insert into team_members (team_id, user_id, role, origin, from_on)
    select teams.id, users.id, case when username = 'lernende-1' then 'lead' else 'member' end, 'hand', '2020-01-01'
    from teams cross join (select id, username from users order by username <> 'lernende-1', id limit ${MEMBERS}) as users`.execute(
    db,
  )
  const ids = await listPlannable(db)
  const run = async () => {
    const start = performance.now()
    for (const id of ids) await planAssignment(db, id, clock)
    return (performance.now() - start) / 1_000
  }
  return { databaseUrl, firstId: ids[0] as number, first: await run(), again: await run() }
}
