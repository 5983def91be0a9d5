import { AsyncLocalStorage } from 'node:async_hooks'
import { type KyselyPlugin, sql } from 'kysely'
import t from 'tap'
import { writeCursor } from '../../src/domain/changes/cursor.js'
import { ASSIGNMENT, assignedTest, createTeam, issueCertificate, takeTest } from '../support/assignments.js'
import { createMigratedDatabase, waitUntilBlocked } from '../support/database.js'
import { createUser } from '../support/factories.js'
import { type Caller, startService } from '../support/service.js'

interface Interleaved {
  afterStatement: number
  change: () => Promise<unknown>
  done?: Promise<unknown>
}

const opened = await createMigratedDatabase()
/** A change that another connection commits between two statements of a request, not counting those of jobs */
const requests = new AsyncLocalStorage<Interleaved>()
const interleaving: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    const interleaved = requests.getStore()
    if (interleaved !== undefined && --interleaved.afterStatement === 0) {
      interleaved.done = interleaved.change()
      // The only connection of the embedded database is in use, and runs the change next.
      if (!opened.embedded) await interleaved.done
    }
    return result
  },
}
const service = await startService(t, { database: { ...opened, db: opened.db.withPlugin(interleaving) } })
const { database, db } = service
const admin = await service.admin()
const boss = await service.member()
const lead = await service.member()
const [ada, bo, cem] = [await createUser(db), await createUser(db), await createUser(db)]
const auditor = await service.loginAs((await createUser(db, { is_auditor: true })).username)
const parts = ['Rundgang', 'Gespräch'].map((title) => ({ kind: 'personal', title }))
const team = await createTeam(db, { members: [ada.id], leads: [lead.id] })
const values = { ...ASSIGNMENT, starts: '2026-01-01', due: '2030-12-31', parts, responsible_id: boss.id }
const { body } = await admin.post('/api/assignments', { ...values, audience: { user_ids: [ada.id, bo.id] } })
const assignment: { id: number; title: string } = body.assignment
const occurrences = `/api/assignments/${assignment.id}/occurrences`
await boss.get(occurrences)
const occurrenceOf = async (userId: number) =>
  db.selectFrom('occurrences').select('id').where('user_id', '=', userId).executeTakeFirstOrThrow()
const [ofAda, ofBo] = [await occurrenceOf(ada.id), await occurrenceOf(bo.id)]

const HOUR = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString()

interface Entry {
  id: number
  deleted?: true
}

/** Returns the entries of all pages since an hour ago, as their id, negative if deleted. */
async function changed(caller: Caller, url: string, query: Record<string, string> = {}): Promise<number[]> {
  const entries: Entry[] = []
  let after: string | undefined
  do {
    const parameters = new URLSearchParams({ changed_since: ago(1), ...query, ...(after && { after }) })
    const { status, body } = await caller.get(`${url}?${parameters}`)
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
    entries.push(...(body.users ?? body.teams ?? body.occurrences ?? body.proofs))
    after = body.next_after ?? undefined
  } while (after !== undefined)
  for (const entry of entries.filter(({ deleted }) => deleted)) {
    t.strictSame(entry, { id: entry.id, deleted: true })
  }
  return entries.map(({ id, deleted }) => (deleted ? -id : id))
}

/** Forgets all changes, as if they were old. */
const forget = () => db.deleteFrom('changes').execute()
t.beforeEach(forget)

t.test('accounts: new, changed, deleted ones, and no other', async (t) => {
  const list = (query = {}) => changed(admin, '/api/accounts', query)
  t.strictSame(await list(), [])
  await db.updateTable('users').set({ last_seen_on: '2026-11-01' }).execute()
  t.strictSame(await list(), [], 'the last visit')
  const user = await createUser(db)
  t.strictSame(await list(), [user.id])
  await admin.patch(`/api/accounts/${ada.id}`, { display_name: 'Ada Äpfel' })
  t.strictSame(await list(), [ada.id, user.id])
  await admin.patch(`/api/accounts/${ada.id}`, { display_name: 'Ada Äpfel' })
  await forget()
  await admin.patch(`/api/accounts/${ada.id}`, { display_name: 'Ada Äpfel' })
  t.strictSame(await list(), [], 'the same name')
  await admin.patch(`/api/accounts/${ada.id}`, { personnel_number: '00417' })
  await admin.delete(`/api/admin/users/${user.id}`)
  t.strictSame(await list(), [ada.id, -user.id])
  t.strictSame(await list({ q: 'äpfel' }), [ada.id, -user.id], 'a deleted one has no name to search')
  t.strictSame(await list({ q: 'birne' }), [-user.id])
  t.strictSame(await list({ limit: '1', sort: 'created_at', order: 'desc', offset: '7' }), [ada.id, -user.id])
  const listed = (await admin.get(`/api/accounts?changed_since=${ago(1)}&limit=1`)).body
  t.match(listed, { users: [{ id: ada.id, personnel_number: '00417' }], total: 2 })
  const all = (await admin.get('/api/accounts')).body
  t.strictSame(Object.keys(all), ['users', 'total'], 'without it the list stays as it is')
  t.strictSame(
    listed.users,
    all.users.filter(({ id }: Entry) => id === ada.id),
  )
  t.equal((await boss.get(`/api/accounts?changed_since=${ago(1)}`)).status, 403)
})

t.test('teams: fields and members; leads see theirs, and no deleted ones', async (t) => {
  const list = (caller: Caller = admin) => changed(caller, '/api/teams')
  const other: number = (await admin.post('/api/teams', { name: 'Anderes' })).body.team.id
  t.strictSame([await list(), await list(lead)], [[other], []])
  await admin.patch(`/api/teams/${team}`, { name: 'Werkstatt' })
  t.strictSame([await list(), await list(lead)], [[team, other], [team]])
  await forget()
  const member = (id: number, userId: number) => `/api/teams/${id}/members/${userId}`
  const join = (id: number, userId: number, role: string) =>
    admin.send({ method: 'PUT', url: member(id, userId), payload: { role } })
  await join(team, cem.id, 'member')
  t.strictSame([await list(), await list(lead)], [[team], [team]], 'the number of members')
  await forget()
  await join(team, cem.id, 'lead')
  t.strictSame([await list(), await list(lead)], [[], []], 'the role is not answered')
  await join(other, lead.id, 'member')
  await forget()
  await join(other, lead.id, 'lead')
  t.strictSame([await list(), await list(lead)], [[], [other]], 'a team that the caller now leads')
  await admin.delete(`/api/teams/${other}`)
  t.strictSame([await list(), await list(lead)], [[-other], []])
  await admin.delete(member(team, cem.id))
  t.strictSame([await list(), await list(lead)], [[team, -other], [team]])
  const { teams, next_after, next_changed_since } = (await lead.get(`/api/teams?changed_since=${ago(1)}`)).body
  t.strictSame([teams, next_after], [[{ id: team, name: 'Werkstatt', members: 2 }], null])
  t.ok(Date.parse(next_changed_since) > Date.parse(ago(1)))
  t.strictSame(Object.keys((await admin.get('/api/teams')).body), ['teams'])
  t.equal((await boss.get(`/api/teams?changed_since=${ago(1)}`)).status, 403)
})

t.test('occurrences: fields, parts, persons and titles', async (t) => {
  const list = (query = {}, caller: Caller = boss) => changed(caller, occurrences, query)
  t.strictSame(await list(), [])
  const act = (id: number, action: string, payload: object) =>
    boss.post(`/api/assignments/occurrences/${id}/${action}`, payload)
  await act(ofBo.id, 'extend', { reason: 'Urlaub', until: '2031-01-31' })
  t.strictSame(await list(), [ofBo.id])
  await forget()
  await sql`update occurrences set extra_attempts = extra_attempts + 1, reason = 'Störung'`.execute(db)
  t.strictSame(await list(), [], 'an attempt')
  const done = (position: number) =>
    db.insertInto('occurrence_parts').values({ occurrence_id: ofAda.id, position, done_at: new Date() }).execute()
  await done(0)
  t.strictSame(await list(), [ofAda.id], 'a part that is done')
  await forget()
  await db.updateTable('users').set({ display_name: 'Bo Birne' }).where('id', '=', bo.id).execute()
  t.strictSame(await list(), [ofBo.id], 'the name')
  t.strictSame(await list({ q: 'birne' }), [ofBo.id])
  t.strictSame(await list({ q: 'äpfel' }), [])
  await forget()
  await db.updateTable('users').set({ is_author: true }).where('id', '=', bo.id).execute()
  t.strictSame(await list(), [], 'a field of the account that is not answered')
  await db.updateTable('assignment_parts').set({ title: 'Rundweg' }).where('position', '=', 0).execute()
  t.strictSame(await list({ limit: '1' }), [ofAda.id, ofBo.id], 'the title of a part')
  await forget()
  await act(ofBo.id, 'exempt', { reason: 'Elternzeit' })
  t.strictSame([await list({ state: 'exempt' }), await list({ state: 'open' })], [[ofBo.id], []])
  const changes = `${occurrences}?changed_since=${ago(1)}`
  t.match((await boss.get(changes)).body, {
    occurrences: [{ id: ofBo.id, state: 'exempt', user: { display_name: 'Bo Birne' } }],
    counts: { excused: 1 },
    next_after: null,
  })
  t.notOk('next_changed_since' in (await boss.get(occurrences)).body)
  t.equal((await admin.get(changes)).status, 403)
  t.equal((await boss.get(`${occurrences}?after=4294967296`)).status, 400, 'a cursor of changes needs changed_since')
})

/** Inserts an occurrence of an earlier period that Ada has missed. */
const insertMissed = () =>
  db
    .insertInto('occurrences')
    .values({
      assignment_id: assignment.id,
      user_id: ada.id,
      period: '2025-01-01',
      due_on: '2025-12-31',
      content_version: 1,
      counts_from: new Date('2025-01-01'),
      state: 'missed',
      missed_at: new Date('2026-01-01'),
    })
    .returning('id')
    .executeTakeFirstOrThrow()

t.test('occurrences: an open one changes with the missed ones of the person', async (t) => {
  const earlier = await insertMissed()
  t.strictSame(await changed(boss, occurrences), [ofAda.id, earlier.id])
  await db.deleteFrom('occurrences').where('id', '=', earlier.id).execute()
})

/**
 * Reads a list with a change after its first statement, then one after its second, and so on, and each time the next
 * run. Calls `check` with the entries of both runs, or undefined if one of them was refused with 410.
 */
async function interleave(
  caller: Caller,
  url: string,
  { prepare, change }: { prepare: () => Promise<unknown>; change: (at: number) => Promise<unknown> },
  check: (entries: Record<string, unknown>[] | undefined, at: number) => void,
): Promise<void> {
  for (let at = 1; ; at++) {
    await prepare()
    const interleaved: Interleaved = { afterStatement: at, change: () => change(at) }
    const first = await requests.run(interleaved, () => caller.get(`${url}?changed_since=${ago(1)}`))
    const { done } = interleaved
    if (done === undefined) {
      t.ok(at > 5, 'the request has several statements')
      return
    }
    await done
    const { next_changed_since: since = ago(1) } = first.body
    const second = await caller.get(`${url}?changed_since=${since}`)
    const runs = [first, second].map(({ body }) => body.occurrences ?? body.teams ?? body.proofs ?? [])
    check([first, second].some(({ status }) => status === 410) ? undefined : runs.flat(), at)
  }
}

t.test('a change of a title between any two statements is in this run or the next', async (t) => {
  const retitle = (title: string) =>
    opened.db.updateTable('assignment_parts').set({ title }).where('position', '=', 0).execute()
  await interleave(boss, occurrences, { prepare: forget, change: (at) => retitle(`Rundgang ${at}`) }, (entries, at) =>
    t.match(entries?.at(-1), { id: ofBo.id, parts: [{ title: `Rundgang ${at}` }, {}] }, `after statement ${at}`),
  )
})

t.test('rights that a caller gets between any two statements count in this run or the next', async (t) => {
  const other = await createTeam(db, { members: [bo.id, lead.id] })
  const setRole = (role: 'member' | 'lead') =>
    opened.db
      .updateTable('team_members')
      .set({ role })
      .where('user_id', '=', lead.id)
      .where('team_id', '=', other)
      .execute()
  const change = { prepare: () => setRole('member').then(forget), change: () => setRole('lead') }
  const includes = (id: number) => (entries: { id?: unknown }[] | undefined, at: number) =>
    t.ok(
      entries?.some((entry) => entry.id === id),
      `${id} after statement ${at}`,
    )
  await interleave(lead, '/api/teams', change, includes(other))
  await interleave(lead, occurrences, change, includes(ofBo.id))
  await db.deleteFrom('teams').where('id', '=', other).execute()
  const setAuditor = (is_auditor: boolean) =>
    opened.db.updateTable('users').set({ is_auditor }).where('id', '=', lead.id).execute()
  const audit = { prepare: () => setAuditor(false).then(forget), change: () => setAuditor(true) }
  await interleave(lead, occurrences, audit, (entries, at) => t.equal(entries, undefined, `410 after statement ${at}`))
  const since = ago(0)
  t.equal((await lead.get(`${occurrences}?changed_since=${since}`)).status, 200, 'begins after the new right')
  await setAuditor(false)
})

t.test('an occurrence that is deleted between any two statements is told only to those who may know', async (t) => {
  let id = 0
  const change = {
    prepare: async () => {
      await db.deleteFrom('occurrences').where('id', '=', id).execute()
      await forget()
      id = (await insertMissed()).id
    },
    change: () => opened.db.deleteFrom('occurrences').where('id', '=', id).execute(),
  }
  await interleave(boss, occurrences, change, (entries, at) => {
    t.strictSame(entries?.filter((entry) => entry.id === id).at(-1), { id, deleted: true }, `after statement ${at}`)
  })
  await interleave(lead, occurrences, change, (entries, at) => {
    t.notOk(
      entries?.some(({ deleted }) => deleted),
      `after statement ${at}`,
    )
  })
  await db.deleteFrom('occurrences').where('id', '=', id).execute()
})

t.test('occurrences: a finished test completes them before they are selected', async (t) => {
  const { slug } = await assignedTest(db)
  const given = { ...values, parts: [{ kind: 'test', slug }], audience: { user_ids: [ada.id, bo.id] } }
  const { id }: { id: number } = (await admin.post('/api/assignments', given)).body.assignment
  const url = `/api/assignments/${id}/occurrences`
  const { body } = await boss.get(url)
  const [first, second]: number[] = body.occurrences.map((one: Entry) => one.id)
  for (const person of [ada, bo]) {
    const { status, body } = await takeTest(await service.loginAs(person.username), slug, true)
    t.match([status, body], [200, { attempt: { passed: true } }])
  }
  await db.updateTable('occurrences').set({ extended_until: '2031-02-01' }).where('assignment_id', '=', id).execute()
  t.strictSame(await changed(lead, url, { state: 'open,in_progress' }), [], 'the filter holds for the completed one')
  t.strictSame(await changed(lead, url, { state: 'done' }), [first])
  await forget()
  t.strictSame(await changed(boss, url, { state: 'done' }), [second], 'also without another change')
  t.strictSame(await changed(boss, url, { state: 'open' }), [])
  await db.deleteFrom('proofs').execute()
  await db.updateTable('assignments').set({ responsible_id: admin.id }).where('id', '=', id).execute()
})

t.test('occurrences: a lead sees the members of the own teams, and no deleted ones', async (t) => {
  const list = (caller: Caller) => changed(caller, occurrences)
  await sql`update occurrences set due_on = due_on + 1`.execute(db)
  t.strictSame(
    [await list(boss), await list(auditor), await list(lead)],
    [[ofAda.id, ofBo.id], [ofAda.id, ofBo.id], [ofAda.id]],
  )
  await forget()
  const member = { team_id: team, user_id: bo.id, role: 'member', origin: 'hand', from_on: '2026-01-01' } as const
  await db.insertInto('team_members').values(member).execute()
  t.strictSame([await list(boss), await list(lead)], [[], [ofBo.id]], 'a new member')
  await forget()
  await sql`update team_members set role = 'member' where user_id = ${lead.id}`.execute(db)
  await sql`update team_members set role = 'lead' where user_id = ${lead.id} and team_id = ${team}`.execute(db)
  t.strictSame([await list(boss), await list(lead)], [[], [ofAda.id, ofBo.id]], 'a new lead')
  await forget()
  await db.deleteFrom('assignment_users').where('user_id', '=', bo.id).execute()
  await db.deleteFrom('occurrences').where('id', '=', ofBo.id).execute()
  t.strictSame([await list(boss), await list(auditor), await list(lead)], [[-ofBo.id], [-ofBo.id], []])
})

t.test('proofs: issued, revoked, replaced and expired ones', async (t) => {
  const list = (caller: Caller, query = {}) => changed(caller, '/api/proofs', query)
  const issue = async (of: { id: number; title: string }, name: string) => {
    const code = await issueCertificate(db, of, ada.id, { name })
    return db.selectFrom('proofs').select(['id', 'code']).where('code', '=', code).executeTakeFirstOrThrow()
  }
  const own = await issue(assignment, 'Ada')
  const foreign = await issue({ id: assignment.id + 1, title: 'Datenschutz' }, 'Ada')
  t.strictSame(
    [await list(admin), await list(auditor)],
    [
      [own.id, foreign.id],
      [own.id, foreign.id],
    ],
  )
  t.strictSame(await list(boss, { limit: '1' }), [own.id], 'only of the own assignments')
  t.strictSame(await list(admin, { limit: '1', q: 'ada', state: 'valid' }), [own.id, foreign.id])
  t.strictSame(await list(admin, { state: 'revoked' }), [])
  await forget()
  await admin.post(`/api/proofs/${own.code}/revoke`, { reason: 'Versehen' })
  t.strictSame([await list(admin), await list(boss)], [[own.id], [own.id]])
  const { proofs } = (await boss.get(`/api/proofs?changed_since=${ago(1)}`)).body
  t.match(proofs, [{ id: own.id, code: own.code, titles: ['Brandschutz', 'Fluchtwege'] }])
  t.strictSame(Object.keys((await boss.get('/api/proofs')).body), ['proofs', 'next_after'])
  t.notOk('id' in (await boss.get('/api/proofs')).body.proofs[0])
  await forget()
  await db.updateTable('proofs').set({ delete_after: '2031-01-01' }).execute()
  t.strictSame(await list(admin), [], 'the day of deletion')
  await db.updateTable('proofs').set({ replaced_by: own.code }).where('id', '=', foreign.id).execute()
  t.strictSame([await list(admin), await list(boss)], [[-foreign.id], []], 'replaced')
  await forget()
  await db.deleteFrom('proofs').execute()
  t.strictSame([await list(admin), await list(boss)], [[-own.id, -foreign.id], [-own.id]])
  t.strictSame(await list(admin, { assignment: String(assignment.id), q: 'nichts' }), [-own.id])
  const again = await issue(assignment, 'Ada')
  await admin.patch(`/api/assignments/${assignment.id}`, { responsible_id: admin.id })
  await forget()
  await admin.patch(`/api/assignments/${assignment.id}`, { responsible_id: boss.id })
  t.strictSame([await list(admin), await list(boss)], [[], [again.id]], 'an assignment that the caller now sees')
})

const LISTS = [
  [admin, '/api/accounts'],
  [admin, '/api/teams'],
  [boss, occurrences],
  [admin, '/api/proofs'],
] as const

const NO_INSTANTS = [
  'gestern',
  '2026-11-21',
  '2026-11-21T08:00',
  '2026-13-21T08:00:00Z',
  '1700000000',
  '2026-11-21T08:00:00 01:00',
  '2026-02-30T08:00:00Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T12:00:60Z',
  '2026-11-21T12:60:00Z',
  '0000-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '2026-11-21T08:00:00+24:00',
]

t.test('an instant must have a time and an offset', async (t) => {
  for (const [index, [caller, url]] of LISTS.entries()) {
    // The lists share the schema of the parameter.
    for (const text of index === 0 ? NO_INSTANTS : ['gestern']) {
      const { status, headers } = await caller.get(`${url}?changed_since=${encodeURIComponent(text)}`)
      t.strictSame([status, headers['x-error-field']], [400, 'changed_since'], `${url} ${text}`)
    }
    t.equal((await caller.get(`${url}?changed_since=`)).status, 200, 'empty')
    const shifted = encodeURIComponent(ago(0).replace('Z', '+00:00'))
    t.equal((await caller.get(`${url}?changed_since=${shifted}`)).status, 200)
    const { status, headers } = await caller.get(`${url}?changed_since=${ago(1)}&after=x`)
    t.strictSame([status, headers['x-error-field']], [400, 'after'])
  }
})

t.test('an instant more than 90 days ago, or before a restored backup, is gone', async (t) => {
  for (const [caller, url] of LISTS) {
    t.equal((await caller.get(`${url}?changed_since=${ago(90 * 24 - 1)}`)).status, 200)
    const { status, headers } = await caller.get(`${url}?changed_since=${ago(90 * 24 + 1)}`)
    t.strictSame([status, headers['x-error-field'], headers['x-error-code']], [410, 'changed_since', 'changes_gone'])
  }
  for (const [caller, url] of LISTS) {
    t.equal((await caller.get(`${url}?changed_since=${ago(-0.01)}`)).status, 200, 'a clock that is 36 seconds ahead')
    t.equal((await caller.get(`${url}?changed_since=${ago(-0.1)}`)).status, 410, 'read before the clock was set back')
  }
  await sql`insert into changes (kind, changed_at, object_id) values ('reset', ${ago(1)}, 0)`.execute(db)
  for (const [caller, url] of LISTS) {
    t.equal((await caller.get(`${url}?changed_since=${ago(2)}`)).status, 410)
    t.equal((await caller.get(`${url}?changed_since=${ago(0.5)}`)).status, 200)
  }
})

t.test('without changed_since, parameters that the lists did not know are ignored as before', async (t) => {
  for (const url of ['/api/teams?limit=x&after=y', '/api/teams?after=1', '/api/accounts?after=x']) {
    t.equal((await admin.get(url)).status, 200, url)
  }
  for (const parameter of ['limit', 'after']) {
    const { status, headers } = await admin.get(`/api/teams?changed_since=${ago(1)}&${parameter}=x`)
    t.strictSame([status, headers['x-error-field']], [400, parameter])
  }
})

t.test('an empty last page of accounts has the total', async (t) => {
  await createUser(db)
  const after = writeCursor({ id: 2 ** 31 - 1, horizon: new Date() })
  const { body } = await admin.get(`/api/accounts?changed_since=${ago(1)}&after=${after}`)
  t.match(body, { users: { length: 0 }, total: 1, next_after: null })
})

t.test('pages split entries that changed at the same instant', async (t) => {
  const users = [await createUser(db), await createUser(db), await createUser(db)].map(({ id }) => id)
  await forget()
  await sql`
    insert into changes (kind, changed_at, object_id)
    select 'account', ${ago(0.5)}::timestamptz, id from unnest(${users}::integer[]) as id`.execute(db)
  t.strictSame(await changed(admin, '/api/accounts', { limit: '1' }), users)
  t.strictSame(await changed(admin, '/api/accounts', { limit: '2' }), users)
})

/** Reads all pages, and returns the ids and the instant that a caller keeps. */
async function follow(since: string): Promise<{ ids: number[]; next: string }> {
  const { users, next_changed_since } = (await admin.get(`/api/accounts?changed_since=${since}`)).body
  return { ids: users.map(({ id }: Entry) => id), next: next_changed_since }
}

t.test('a transaction that began before a read and commits after it is not missed', async (t) => {
  const rename = (on: typeof db, id: number) =>
    on
      .updateTable('users')
      .set({ display_name: `Neu ${Date.now()}` })
      .where('id', '=', id)
      .execute()
  const first = await db.startTransaction().execute()
  await rename(first, ada.id)
  if (database.embedded) {
    // The only connection belongs to the transaction, so a read waits for it and sees it.
    const reading = follow(ago(1))
    await waitUntilBlocked(database)
    await first.commit().execute()
    t.strictSame((await reading).ids, [ada.id])
    return
  }
  await rename(db, bo.id)
  const before = await follow(ago(1))
  t.strictSame(before.ids, [bo.id], 'the later change is seen at once')
  await first.commit().execute()
  const after = await follow(before.next)
  t.ok(after.ids.includes(ada.id))
})

t.test(
  'a change between two pages that an earlier page has passed is not missed',
  { skip: database.embedded },
  async (t) => {
    const first = await db.startTransaction().execute()
    await first.updateTable('users').set({ display_name: 'Früh' }).where('id', '=', ada.id).execute()
    for (const { id } of [bo, cem]) {
      await db.updateTable('users').set({ display_name: 'Spät' }).where('id', '=', id).execute()
    }
    const query = `/api/accounts?changed_since=${ago(1)}&limit=1`
    const one = (await admin.get(query)).body
    t.match(one.users, [{ id: bo.id }])
    await first.commit().execute()
    const two = (await admin.get(`${query}&after=${one.next_after}`)).body
    t.match([two.users, two.next_after], [[{ id: cem.id }], null])
    t.ok((await follow(two.next_changed_since)).ids.includes(ada.id))
  },
)
