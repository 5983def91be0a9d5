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

/** Number of proofs in the ZIP */
const ARCHIVED = Math.min(1_000, PEOPLE)

/**
 * Measures the daily job for all persons and for half of them, the pages of a team lead and of an administrator, the
 * search of proofs and their exports.
 */
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
    ...(await measureLists(service, cookie, all.firstId)),
    await measureArchive(all.databaseUrl, service, cookie),
  ]
}

/** Measures lists of an administrator: an assignment of all persons, and searches among all proofs. */
async function measureLists(service: Server, cookie: string, id: number): Promise<Measure[]> {
  const lists = {
    [`an assignment of ${PEOPLE} persons`]: `/api/assignments/${id}/occurrences?limit=100`,
    'the same, filtered by a missing part': `/api/assignments/${id}/occurrences?limit=100&missing=personal`,
    [`search of a name among ${10 * CERTIFICATES} proofs`]: '/api/proofs?q=lernende-77',
    'search of a name that no proof has': '/api/proofs?q=zzz',
    'proofs that expire within 90 days': '/api/proofs?state=expiring&days=90',
  }
  const measures: Measure[] = []
  for (const [what, path] of Object.entries(lists)) {
    const loaded = await load(service, { path, cookies: [cookie], connections: 1, seconds: 3 })
    measures.push({ what: `${what}, one connection`, service: loaded, ...below(100, loaded.p50, 'ms') })
  }
  return measures
}

/** Measures the ZIP of an assignment's proofs, and the deck list of another user beside it. */
async function measureArchive(databaseUrl: string, service: Server, cookie: string): Promise<Measure> {
  // A new assignment, because a proof cannot be moved. It comes last, so its proofs are those of the highest offsets.
  const id = await withDatabase(databaseUrl, async (db) => {
    const { rows } = await sql<{ id: number }>`
      insert into assignments (title, description, mandatory, retention_years, created_on, starts_on, due_on)
      values ('Archiv', '', true, 2, ${TODAY}, ${TODAY}, '2026-12-31') returning id`.execute(db)
    const id = rows[0]?.id as number
    await sql`
      insert into occurrences (assignment_id, user_id, period, due_on, state, content_version, counts_from)
      select ${id}::integer, id, ${TODAY}, '2026-12-31', 'open', 1, now() from users order by id limit ${ARCHIVED}`.execute(
      db,
    )
    return id
  })
  await seedCertificates(databaseUrl, PEOPLE * ASSIGNMENTS, PEOPLE * ASSIGNMENTS + ARCHIVED)
  const learner = await openSession(service.url, { username: 'lernende-2', password: PASSWORD })
  const decks = { path: '/api/decks', cookies: [learner], connections: 1, seconds: 5 }
  const [alone, memory, started] = [await load(service, decks), watchMemory(service), performance.now()]
  const archive = read(service, `/api/assignments/${id}/proofs.zip?purpose=Messung`, cookie)
  const beside = await load(service, decks)
  await archive
  const seconds = ((performance.now() - started) / 1_000).toFixed(0)
  const decksBeside = `deck list p99 ${alone.p99} ms before and ${beside.p99} ms beside it`
  return {
    what: `ZIP of ${ARCHIVED} proofs: time, memory above idle, and the deck list of another user`,
    service: `${seconds} s, ${Math.round(memory.stop())} MB, ${decksBeside}`,
  }
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
      select upper(substr(md5(done.id::text), 1, 26)), user_id, assignment_id, done.id,
        replace(${writeSnapshot(snapshot)}, 'Lernende 1', display_name), ${TODAY}, now(), 2
      from (select * from occurrences order by id offset ${from} limit ${to - from}) as done
        join users on users.id = user_id`.execute(db),
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
