import t from 'tap'
import { ASSIGNMENT, createTeam, sheetPart } from '../support/assignments.js'
import { type Caller, startService } from '../support/service.js'

// 2 December 2026 is a Wednesday; its week ends on Sunday, the 6th.
const service = await startService(t, { now: () => new Date('2026-12-02T10:00:00Z') })
const { db } = service
const admin = await service.admin()
const [lead, member, absent, stranger] = [
  await service.member(),
  await service.member(),
  await service.member(),
  await service.member(),
]
const responsible = await service.member()
const team = await createTeam(db, { leads: [lead.id], members: [member.id, absent.id] })
const other = await createTeam(db, { members: [stranger.id] })

async function assign(values: object): Promise<number> {
  const audience = { team_ids: [team, other] }
  const given = { ...ASSIGNMENT, parts: [await sheetPart(db)], audience, responsible_id: responsible.id, ...values }
  const { status, body } = await admin.post('/api/assignments', given)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.assignment.id
}
const setDay = (id: number, user: { id: number }, values: { due_on: string } | { extended_until: string }) =>
  db.updateTable('occurrences').set(values).where('assignment_id', '=', id).where('user_id', '=', user.id).execute()
const urgent = async (caller: Caller) => (await caller.get('/api/assignments/urgent')).body

const due = '2026-12-07'
const [mandatory, optional] = [
  await assign({ title: 'Pflicht', due }),
  await assign({ title: 'Kür', due, mandatory: false }),
]
for (const id of [mandatory, optional]) {
  await setDay(id, member, { due_on: '2026-12-01' })
  await setDay(id, absent, { due_on: '2026-12-02' })
  await setDay(id, lead, { due_on: '2026-12-06' })
  await setDay(id, stranger, { due_on: '2026-12-01' })
}

t.test('counts what is overdue and due until Sunday, for leads and responsible persons', async (t) => {
  t.strictSame(await urgent(lead), {
    overdue: 1,
    due_this_week: 2,
    week_ends_on: '2026-12-06',
    assignments: [{ id: mandatory, title: 'Pflicht', overdue: 1, due_this_week: 2 }],
  })
  t.strictSame(await urgent(responsible), {
    overdue: 4,
    due_this_week: 4,
    week_ends_on: '2026-12-06',
    assignments: [
      { id: mandatory, title: 'Pflicht', overdue: 2, due_this_week: 2 },
      { id: optional, title: 'Kür', overdue: 2, due_this_week: 2 },
    ],
  })
})

t.test('the numbers equal those of the filtered list', async (t) => {
  for (const caller of [lead, responsible]) {
    for (const { id, overdue, due_this_week } of (await urgent(caller)).assignments) {
      const list = async (filter: string) => (await caller.get(`/api/assignments/${id}/occurrences?${filter}`)).body
      t.match((await list('')).counts, { overdue, due_this_week })
      t.equal((await list('overdue=true')).occurrences.length, overdue)
      t.equal((await list('due_this_week=true')).occurrences.length, due_this_week)
    }
  }
})

t.test('follows extensions, missed periods, completion, membership and responsibility', async (t) => {
  const numbers = async (caller: Caller) => {
    const { overdue, due_this_week } = await urgent(caller)
    return [overdue, due_this_week]
  }
  await setDay(mandatory, member, { extended_until: '2026-12-06' })
  t.strictSame(await numbers(lead), [0, 3], 'an extension to Sunday')
  await setDay(mandatory, member, { extended_until: '2026-12-07' })
  t.strictSame(await numbers(lead), [0, 2], 'an extension to Monday')

  await db
    .insertInto('occurrences')
    .values({
      assignment_id: mandatory,
      user_id: member.id,
      period: '2026-01-01',
      due_on: '2026-03-31',
      state: 'missed',
      missed_at: new Date('2026-11-01T00:00:00Z'),
      counts_from: new Date('2026-01-01T00:00:00Z'),
      content_version: 1,
    })
    .execute()
  t.strictSame(await numbers(lead), [1, 2], 'a missed period counts as overdue')

  const { occurrences } = (await absent.get('/api/assignments/mine')).body
  const [own] = occurrences.filter((one: { assignment: { id: number } }) => one.assignment.id === mandatory)
  t.equal((await absent.post(`/api/assignments/occurrences/${own.id}/confirm`, { part: 0 })).status, 200)
  t.strictSame(await numbers(lead), [1, 1], 'one is done')

  const leadsOther = await createTeam(db, { leads: [responsible.id], members: [member.id] })
  t.strictSame(await numbers(responsible), [4, 3], 'a person overseen in two ways counts once')
  t.strictSame(await numbers(lead), [1, 1])
  await db.updateTable('assignments').set({ responsible_id: null }).execute()
  t.strictSame(await numbers(responsible), [1, 0], 'as a lead only')
  await db.updateTable('team_members').set({ until_on: '2026-12-02' }).where('team_id', '=', leadsOther).execute()
  t.equal((await responsible.get('/api/assignments/urgent')).status, 403, 'a former lead')
  await db.updateTable('assignments').set({ archived_at: new Date() }).where('id', '=', mandatory).execute()
  t.match(await urgent(lead), { overdue: 0, due_this_week: 0, assignments: { length: 0 } })
})

t.test('refuses everyone else', async (t) => {
  const author = await service.member()
  await db.updateTable('users').set({ is_author: true, is_auditor: true }).where('id', '=', author.id).execute()
  for (const caller of [member, admin, author]) t.equal((await caller.get('/api/assignments/urgent')).status, 403)
})
