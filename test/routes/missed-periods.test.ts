import t from 'tap'
import { deleteOldCertificates } from '../../db/queries/certificates/certificates.js'
import { issueCertificates } from '../../src/services/certificates/issue.js'
import { ASSIGNMENT, assignedTest, sheetPart } from '../support/assignments.js'
import { unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'
import { rightAnswerTo } from '../support/taken-tests.js'

let now = new Date('2026-12-01T10:00:00Z')
const service = await startService(t, { now: () => now })
const { db } = service
const admin = await service.admin()
const username = async (id: number) =>
  (await db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow()).username

/** Sets the clock to a day and logs in, because sessions end in the meantime. */
async function onDay(day: string, who: { id: number }, time = '10:00'): Promise<Caller> {
  now = new Date(`${day}T${time}:00Z`)
  return service.loginAs(await username(who.id))
}
t.beforeEach(() => {
  now = new Date('2026-12-01T10:00:00Z')
})

const YEARLY = { recurrence: { every_months: 12, window_end: '03-31' } }

async function assign(values: object): Promise<number> {
  const boss = await onDay('2026-12-01', admin)
  const { status, body } = await boss.post('/api/assignments', { ...ASSIGNMENT, ...YEARLY, ...values })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.assignment.id
}
const mine = async (caller: Caller, id: number) =>
  (await caller.get('/api/assignments/mine')).body.occurrences.filter(
    ({ assignment }: { assignment: { id: number } }) => assignment.id === id,
  )
const post = (caller: Caller, occurrence: number, action: string, body: object) =>
  caller.post(`/api/assignments/occurrences/${occurrence}/${action}`, body)
const proofOf = async (occurrence: number) => {
  const { snapshot } = await db
    .selectFrom('proofs')
    .select('snapshot')
    .where('occurrence_id', '=', occurrence)
    .executeTakeFirstOrThrow()
  return JSON.parse(snapshot)
}

t.test('a person with a missed period is overdue until a later one is done', async (t) => {
  const person = await service.member()
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [person.id] } })
  const [first] = await mine(person, id)
  const inMarch = await onDay('2027-03-05', person)
  t.strictSame(
    (await post(inMarch, first.id, 'confirm', { part: 0 })).body,
    errorBody(409, 'Diese Aufgabe ist nicht mehr offen'),
    'closed before anybody has looked at it',
  )
  const [second] = await mine(inMarch, id)
  t.match(second, { period: '2027-03-01', state: 'open', due: '2027-03-31', overdue: true, missed: 1 })
  const boss = await onDay('2027-03-05', admin)
  const url = `/api/assignments/${id}/occurrences`
  const { occurrences, counts } = (await boss.get(url)).body
  t.strictSame(counts, { open: 1, overdue: 1, done: 0, excused: 0, missed: 1, left: 0, due_this_week: 0 })
  t.match(occurrences, [
    { state: 'open', overdue: true, missed: 1 },
    { state: 'missed', overdue: false, missed: 0, done_at: null },
  ])
  t.match((await boss.get(`${url}?overdue=true`)).body.occurrences, [{ id: second.id }])
  t.match((await boss.get(`${url}?state=missed`)).body.occurrences, [{ id: first.id }])
  const table = (await boss.get(`${url}.csv`)).text.split('\r\n')
  t.match(table[1], /;2027-03-01;überfällig;2027-03-31;;;1;Unterlage;/)
  t.match(table[2], /;2026-12-01;verpasst;2026-12-31;;;;Unterlage;.*;entfallen;/)
  const events = (await service.anonymous.get(new URL((await inMarch.post('/api/calendar/token')).body.url).pathname))
    .text
  t.match(events, /DTSTART;VALUE=DATE:20270331/)
  t.notMatch(events, /20261231/)

  const inYear = await onDay('2028-03-01', person)
  t.match(await mine(inYear, id), [{ state: 'open', missed: 2 }, { state: 'missed' }, { state: 'missed' }])
  const [third] = await mine(inYear, id)
  t.strictSame((await post(inYear, third.id, 'confirm', { part: 0 })).body, { ok: true })
  t.match(await mine(inYear, id), [{ state: 'done', overdue: false, missed: 0 }, { state: 'missed' }, {}])
  t.match((await (await onDay('2028-03-01', admin)).get(url)).body.counts, { open: 0, overdue: 0, done: 1, missed: 2 })
  const proofs = await db.selectFrom('proofs').select('occurrence_id').where('assignment_id', '=', id).execute()
  t.strictSame(proofs, [{ occurrence_id: third.id }], 'what was missed gives no proof')
})

t.test('every act on an occurrence first closes one whose time is over', async (t) => {
  const person = await service.member()
  const test = await assignedTest(db, null, null)
  const parts = [
    { kind: 'test', slug: test.slug },
    { kind: 'personal', title: 'Rundgang' },
  ]
  const id = await assign({ parts, audience: { user_ids: [person.id] } })
  const [first] = await mine(person, id)
  const boss = await onDay('2027-03-05', admin)
  const reason = 'Urlaub'
  for (const [action, body] of [
    ['exempt', { reason }],
    ['recognise', { reason }],
    ['extend', { reason, until: '2027-03-20' }],
    ['grant-attempt', { reason }],
  ] as const) {
    // Undoes what the act before has planned.
    await db.deleteFrom('occurrences').where('assignment_id', '=', id).where('period', '=', '2027-03-01').execute()
    await db.updateTable('occurrences').set({ state: 'open', missed_at: null }).where('id', '=', first.id).execute()
    t.equal((await post(boss, first.id, action, body)).headers['x-error-code'], 'occurrence_closed', action)
  }
  await db.deleteFrom('occurrences').where('assignment_id', '=', id).where('period', '=', '2027-03-01').execute()
  await db.updateTable('occurrences').set({ state: 'open', missed_at: null }).where('id', '=', first.id).execute()
  const confirmation = { ids: [first.id], held_on: '2027-03-04' }
  const refused = await boss.post('/api/assignments/occurrences/confirm-personal', confirmation)
  t.equal(refused.headers['x-error-code'], 'occurrence_closed', 'confirm-personal')
  const [second] = await mine(await onDay('2027-03-05', person), id)
  const again = { ids: [second.id], held_on: '2027-03-04' }
  t.equal((await boss.post('/api/assignments/occurrences/confirm-personal', again)).status, 200)
})

t.test('a test that was begun before the next period completes the last one', async (t) => {
  const person = await service.member()
  const test = await assignedTest(db, null, null)
  const id = await assign({ parts: [{ kind: 'test', slug: test.slug }], audience: { user_ids: [person.id] } })
  // 1 March begins at 23:00 UTC.
  const late = await onDay('2027-02-28', person, '22:50')
  const { attempt } = (await late.post(`/api/tests/${test.slug}/attempts`, { client_id: unique('client') })).body
  now = new Date('2027-02-28T23:05:00Z')
  t.match(await mine(late, id), [{ period: '2027-03-01', missed: 1 }, { state: 'missed' }])
  const payload = { seq: 1, answer: rightAnswerTo(attempt.questions[0]) }
  await late.send({ method: 'PUT', url: `/api/tests/attempts/${attempt.id}/answers/0`, payload })
  t.match((await late.post(`/api/tests/attempts/${attempt.id}/submit`)).body, { attempt: { passed: true } })
  const [second, first] = await mine(late, id)
  t.match(
    [second, first],
    [
      { period: '2027-03-01', state: 'open', overdue: false, missed: 0 },
      { period: '2026-12-01', state: 'done', done_on: '2027-03-01' },
    ],
  )
  t.match(await proofOf(first.id), {
    for_period: { from: '2026-12-01', to: '2026-12-31' },
    completed_on: '2027-03-01',
    valid_until: '2027-03-31',
  })
})

t.test('the next period waits for an extended one', async (t) => {
  const person = await service.member()
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [person.id] } })
  const [first] = await mine(person, id)
  const extension = { reason: 'Urlaub', until: '2027-03-10' }
  t.equal((await post(await onDay('2026-12-20', admin), first.id, 'extend', extension)).status, 200)
  t.match(await mine(await onDay('2027-03-10', person), id), [{ id: first.id, state: 'open', overdue: false }])
  t.match(await mine(await onDay('2027-03-11', person), id), [
    { period: '2027-03-01', state: 'open', due: '2027-03-31', missed: 1 },
    { id: first.id, state: 'missed' },
  ])
})

t.test('the responsible person opens a missed occurrence again, beside the current one', async (t) => {
  const person = await service.member()
  const parts = [await sheetPart(db)]
  const id = await assign({ parts, audience: { user_ids: [person.id, admin.id] } })
  const [first] = await mine(person, id)
  let boss = await onDay('2027-03-05', admin)
  const [, own] = await mine(boss, id)
  await boss.get(`/api/assignments/${id}/occurrences`)
  const reopening = { reason: 'Der Test war gestört', until: '2027-03-20' }
  const refused = errorBody(403, 'Das entscheidet nur die verantwortliche Person der Aufgabe')
  t.strictSame((await post(await onDay('2027-03-05', person), first.id, 'reopen', reopening)).body, refused)
  t.match(await post(boss, own.id, 'reopen', reopening), { status: 403, body: { message: /deine eigene Aufgabe/ } })
  t.equal((await post(boss, first.id, 'reopen', { reason: 'x' })).status, 400)
  t.equal((await post(boss, first.id, 'reopen', { reason: 'x', until: '2027-03-04' })).status, 400)
  t.strictSame((await post(boss, first.id, 'reopen', reopening)).body, { ok: true })
  t.strictSame(
    (await post(boss, first.id, 'reopen', reopening)).body,
    errorBody(409, 'Wieder öffnen lässt sich nur, was verpasst wurde'),
  )
  t.match((await boss.get('/api/accounts/audit?limit=1')).body.entries, [
    { action: 'occurrence.reopen', details: { reason: 'Der Test war gestört', until: '2027-03-20' } },
  ])
  const again = await onDay('2027-03-10', person)
  const [reopened, second] = await mine(again, id)
  t.match(reopened, { id: first.id, state: 'open', due: '2027-03-20', reason: 'Der Test war gestört', missed: 0 })
  t.match(second, { period: '2027-03-01', state: 'open', overdue: false, missed: 0 })
  t.match(JSON.parse((await again.get('/api/accounts/me/data')).text).occurrences, [
    { state: 'open', missed_at: '2027-02-28T23:00:00.000Z', reopened_at: '2027-03-05T10:00:00.000Z' },
    { state: 'open', missed_at: null, reopened_at: null },
  ])
  t.equal((await post(again, first.id, 'confirm', { part: 0 })).status, 200)
  t.match(await proofOf(first.id), {
    for_period: { from: '2026-12-01', to: '2026-12-31' },
    completed_on: '2027-03-10',
    valid_until: '2027-03-31',
  })
  t.match(await mine(again, id), [
    { id: second.id, state: 'open' },
    { id: first.id, state: 'done' },
  ])

  boss = await onDay('2027-03-11', admin)
  const { occurrences } = (await boss.get(`/api/assignments/${id}/occurrences`)).body
  t.match(occurrences, [{ missed: 1 }, { state: 'missed' }, { missed: 0 }, { state: 'done' }])
})

t.test('one that was opened again is missed again after its last day', async (t) => {
  const person = await service.member()
  const test = await assignedTest(db, null, null)
  const id = await assign({ parts: [{ kind: 'test', slug: test.slug }], audience: { user_ids: [person.id] } })
  const [first] = await mine(person, id)
  let boss = await onDay('2027-03-05', admin)
  await boss.get(`/api/assignments/${id}/occurrences`)
  const inMarch = await onDay('2027-03-06', person)
  const take = async () => {
    const { attempt } = (await inMarch.post(`/api/tests/${test.slug}/attempts`, { client_id: unique('client') })).body
    const payload = { seq: 1, answer: rightAnswerTo(attempt.questions[0]) }
    await inMarch.send({ method: 'PUT', url: `/api/tests/attempts/${attempt.id}/answers/0`, payload })
    await inMarch.post(`/api/tests/attempts/${attempt.id}/submit`)
    now = new Date(now.getTime() + 60_000)
  }
  await take()
  t.match(await mine(inMarch, id), [{ period: '2027-03-01', state: 'done' }, { state: 'missed' }])
  boss = await onDay('2027-03-07', admin)
  t.equal((await post(boss, first.id, 'reopen', { reason: 'x', until: '2027-03-20' })).status, 200)
  t.match(
    await mine(await onDay('2027-03-08', person), id),
    [
      { id: first.id, state: 'open' },
      { period: '2027-03-01', state: 'done' },
    ],
    'the pass for the other period does not count',
  )
  t.match(await mine(await onDay('2027-03-21', person), id), [{ state: 'done' }, { id: first.id, state: 'missed' }])
})

t.test('a deleted certificate is not issued again', async (t) => {
  const person = await service.member()
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [person.id] }, recurrence: null })
  const [first] = await mine(person, id)
  await post(person, first.id, 'confirm', { part: 0 })
  await db.updateTable('proofs').set({ delete_after: '2026-12-01' }).where('occurrence_id', '=', first.id).execute()
  t.equal(await deleteOldCertificates(db, '2026-12-02', 10), 1)
  t.match(await mine(await onDay('2026-12-02', person), id), [{ state: 'done', proof_code: null }])
  const context = { moment: () => ({ at: now, today: '2026-12-02' }), timeZone: 'Europe/Berlin', issuer: null }
  await issueCertificates(db, { userId: person.id }, context)
  t.strictSame(await db.selectFrom('proofs').select('id').where('occurrence_id', '=', first.id).execute(), [])
})

t.test('a certificate names the version of the sheet that was shown', async (t) => {
  const person = await service.member()
  const sheet = await sheetPart(db)
  const parts = [sheet, { kind: 'personal', title: 'Rundgang' }]
  const id = await assign({ parts, audience: { user_ids: [person.id] }, recurrence: null })
  const [first] = await mine(person, id)
  const version = Number((await person.get(`/api/cheatsheets/${sheet.slug}`)).headers['x-sheet-version'])
  t.equal((await post(person, first.id, 'confirm', { part: 0, version })).status, 200)
  await db.updateTable('cheatsheets').set({ content_md: 'Neu' }).where('slug', '=', sheet.slug).execute()
  const boss = await onDay('2026-12-02', admin)
  const held = { ids: [first.id], held_on: '2026-12-02' }
  t.equal((await boss.post('/api/assignments/occurrences/confirm-personal', held)).status, 200)
  t.match(await proofOf(first.id), { parts: [{ kind: 'sheet', version }, { kind: 'personal' }] })
})
