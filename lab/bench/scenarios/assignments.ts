import { sql } from 'kysely'
import { openDatabase } from '../../../dist/db/client.js'
import { listPlannable } from '../../../dist/db/queries/assignments/assignments.js'
import { type CertificateSnapshot, writeSnapshot } from '../../../dist/src/domain/certificates/snapshot.js'
import { planAssignment } from '../../../dist/src/services/assignments/plan.js'
import { openSession } from '../../../dist/test/support/process.js'
import { atEnd } from '../cleanup.js'
import { load } from '../load.js'
import { median } from '../median.js'
import { PASSWORD } from '../password.js'
import { type Postgres, withDatabase } from '../postgres.js'
import { type Server, startService, watchMemory } from '../processes.js'
import { below, type Measure } from '../report.js'
import { SMALL } from '../seed.js'

/** Number of persons; BENCH_PEOPLE sets a smaller number for a trial run. */
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 10_000)
const ASSIGNMENTS = 50
const MEMBERS = 20
/** Number of proofs in the smaller of two exports; the larger one has ten times as many. */
const CERTIFICATES = PEOPLE
const PDFS = 20
const TODAY = '2026-12-01'
const clock = {
  moment: () => ({ at: new Date(`${TODAY}T02:00:00Z`), today: TODAY }),
  timeZone: 'Europe/Berlin',
  issuer: null,
}

/** Measures the daily job for all persons and for half of them, the page of a team lead, and the exports of proofs. */
export async function measureAssignments(postgres: Postgres): Promise<Measure[]> {
  const half = await plan(postgres, PEOPLE / 2)
  const all = await plan(postgres, PEOPLE)
  const service = await startService(all.databaseUrl)
  const cookie = await openSession(service.url, { username: 'lernende-1', password: PASSWORD })
  const lead = { path: `/api/assignments/${all.firstId}/occurrences?limit=100`, cookies: [cookie] }
  await load(service, { ...lead, connections: 1, seconds: 2 })
  const alone = await load(service, { ...lead, connections: 1 })
  const together = await load(service, lead)
  const page = `GET /api/assignments/{id}/occurrences as lead of ${MEMBERS} persons`
  return [
    {
      what: `daily job, ${PEOPLE} persons × ${ASSIGNMENTS} assignments, nothing planned yet`,
      service: `${(all.first / half.first).toFixed(2)} × half of the persons`,
      ...below(60, all.first, 's'),
    },
    {
      what: 'the same, all planned already',
      service: `${(all.again / half.again).toFixed(2)} × half of the persons`,
      ...below(60, all.again, 's'),
    },
    { what: `${page}, one connection`, service: alone, ...below(100, alone.p50, 'ms') },
    { what: `${page}, 20 connections`, service: together },
    ...(await measureCertificates(all.databaseUrl, service, cookie)),
  ]
}

async function measureCertificates(databaseUrl: string, service: Server, cookie: string): Promise<Measure[]> {
  await withDatabase(databaseUrl, (db) =>
    sql`update users set is_admin = true where username = 'lernende-1'`.execute(db),
  )
  await seedCertificates(databaseUrl, 0, CERTIFICATES)
  await download(service, cookie)
  const few = watchMemory(service)
  const fewSeconds = await download(service, cookie)
  const fewMegabytes = few.stop()
  await seedCertificates(databaseUrl, CERTIFICATES, 10 * CERTIFICATES)
  const many = watchMemory(service)
  const manySeconds = await download(service, cookie)
  const manyMegabytes = many.stop()

  const { code } = await withDatabase(databaseUrl, (db) =>
    db
      .selectFrom('proofs')
      .innerJoin('users', 'users.id', 'user_id')
      .select('code')
      .where('username', '=', 'lernende-1')
      .executeTakeFirstOrThrow(),
  )
  const times: number[] = []
  for (let time = 0; time <= PDFS; time++) {
    const started = performance.now()
    await read(service, `/api/proofs/${code}.pdf`, cookie)
    times.push(performance.now() - started)
  }
  const [first = 0, ...others] = times
  return [
    {
      what: `CSV of ${10 * CERTIFICATES} proofs`,
      service: `${manySeconds.toFixed(1)} s, ${(manySeconds / fewSeconds / 10).toFixed(2)} × the time per proof of ${CERTIFICATES}`,
    },
    {
      what: 'the same, memory above idle',
      service: `of ${CERTIFICATES}: ${Math.round(fewMegabytes)} MB`,
      ...below(64, manyMegabytes, 'MB'),
    },
    {
      what: `PDF of a proof, one at a time: the first, which starts the thread, and the median of ${PDFS}`,
      service: `${Math.round(first)} ms, ${Math.round(median(others))} ms`,
    },
  ]
}

async function download(service: Server, cookie: string): Promise<number> {
  const started = performance.now()
  await read(service, '/api/proofs/export?purpose=Messung', cookie)
  return (performance.now() - started) / 1_000
}

async function read(service: Server, path: string, cookie: string): Promise<void> {
  const { ok, status, body } = await fetch(service.url + path, { headers: { cookie } })
  if (!ok || body === null) throw new Error(`${path}: ${status}`)
  for await (const _ of body);
}

/** Inserts proofs for the occurrences from index `from` up to but not including `to`, in the order of their ids. */
async function seedCertificates(databaseUrl: string, from: number, to: number): Promise<void> {
  const snapshot: CertificateSnapshot = {
    format: 1,
    name: 'Lernende 1',
    title: 'Aufgabe 1',
    period: TODAY,
    completed_on: TODAY,
    valid_until: null,
    parts: [{ kind: 'personal', title: 'Rundgang', done_on: TODAY, confirmed_by: 'Sabine Sicher', note: null }],
  }
  await withDatabase(databaseUrl, (db) =>
    sql`
      insert into proofs (code, user_id, assignment_id, occurrence_id, snapshot, completed_on, issued_at, retention_years)
      select upper(substr(md5(id::text), 1, 26)), user_id, assignment_id, id, ${writeSnapshot(snapshot)}, ${TODAY}, now(), 2
      from (select * from occurrences order by id offset ${from} limit ${to - from}) as done`.execute(db),
  )
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
  const [first, again] = [await run(), await run()]
  // In operation, autovacuum cleans and analyzes the tables within about a minute.
  await sql`vacuum analyze`.execute(db)
  return { databaseUrl, firstId: ids[0] as number, first, again }
}
