import { sql } from 'kysely'
import t from 'tap'
import { announceDisabled } from '../../../db/queries/webhooks/announce.js'
import type { EventBody, EventType } from '../../../src/domain/webhooks/events.js'
import { runJob } from '../../../src/services/jobs/job.js'
import { JOBS } from '../../../src/services/jobs/jobs.js'
import { ASSIGNMENT, assignedTest, createTeam, sheetPart, takeTest } from '../../support/assignments.js'
import { writeTest } from '../../support/edited-tests.js'
import { createSource, writeCard, writeDeck } from '../../support/editing.js'
import { createUser, unique } from '../../support/factories.js'
import { startReceiver } from '../../support/receiver.js'
import { connectProvider, patchOf } from '../../support/scim.js'
import { type Caller, startService } from '../../support/service.js'
import { addWebhook, openSender, sendDue } from '../../support/webhooks.js'

let now = new Date('2026-12-05T10:00:00Z')
const service = await startService(t, { now: () => now })
const { app, db } = service
const admin = await service.admin()
const receiver = await startReceiver(t)
await addWebhook(db, receiver.url)
const sender = openSender(t, db)
/** Texts of all bodies so far */
const texts: string[] = []

/** Sends what has been written, and returns the events of a type. */
async function eventsOf(type: EventType): Promise<EventBody['data'][]> {
  await sendDue(sender)
  const bodies = receiver.received.map(({ body }) => body)
  texts.push(...receiver.received.map(({ text }) => text))
  receiver.received.length = 0
  return bodies.filter((body) => body.type === type).map(({ data }) => data)
}

const run = (name: 'webhooks' | 'disabled-accounts' | 'plan-occurrences') =>
  runJob(db, JOBS[name], {
    moment: app.clock.moment,
    timeZone: 'Europe/Berlin',
    answersKeepDays: 90,
    defaultLanguage: 'de',
    resultsKeep: 'all',
    signal: new AbortController().signal,
    onError: () => {},
  })

async function assign(values: object): Promise<number> {
  const { status, body } = await admin.post('/api/assignments', { ...ASSIGNMENT, ...values })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.assignment.id
}

async function openTask(caller: Caller, id: number) {
  const { body } = await caller.get('/api/assignments/mine')
  return body.occurrences.find(({ assignment }: { assignment: { id: number } }) => assignment.id === id)
}

t.beforeEach(async () => {
  now = new Date('2026-12-05T10:00:00Z')
  await eventsOf('webhook.test')
})

t.test('an assignment is assigned, completed and proven', async (t) => {
  const person = await service.member()
  await admin.patch(`/api/accounts/${person.id}`, { external_id: 'P-1' })
  const title = unique('Brandschutz')
  const id = await assign({ title, parts: [await sheetPart(db)], audience: { user_ids: [person.id] } })
  const assignment = { id, title, mandatory: true }
  const who = { id: person.id, external_id: 'P-1' }
  const occurrence = await openTask(person, id)
  const days = { id: occurrence.id, period: '2026-12-01', due_on: '2026-12-31' }
  t.strictSame(await eventsOf('assignment.assigned'), [{ occurrence: days, assignment, person: who }])
  await openTask(person, id)
  t.strictSame(await eventsOf('assignment.assigned'), [], 'once')
  await person.post(`/api/assignments/occurrences/${occurrence.id}/confirm`, { part: 0 })
  await sendDue(sender)
  const types = receiver.received.map(({ body }) => body.type)
  t.strictSame(types, ['assignment.completed', 'proof.issued'], 'in this order')
  const completed = receiver.received[0]?.body.data
  t.strictSame(completed, { occurrence: { ...days, completed_on: '2026-12-05' }, assignment, person: who })
  const [issued] = await eventsOf('proof.issued')
  const { id: proofId, code } = await db
    .selectFrom('proofs')
    .select(['id', 'code'])
    .where('assignment_id', '=', id)
    .executeTakeFirstOrThrow()
  const proof = { id: proofId, completed_on: '2026-12-05', valid_until: null }
  const proven = { occurrence: { id: occurrence.id, period: '2026-12-01' }, assignment: { id, title }, person: who }
  t.strictSame(issued, { proof, ...proven })
  await admin.patch(`/api/accounts/${person.id}`, { display_name: 'Erika Neu' })
  const corrected = await admin.post(`/api/proofs/${code}/correct-name`)
  t.equal(corrected.status, 200)
  const { id: correctedId } = await db
    .selectFrom('proofs')
    .select('id')
    .where('code', '=', corrected.body.code)
    .executeTakeFirstOrThrow()
  const replacing = { ...proof, id: correctedId, replaces: proofId }
  t.strictSame(await eventsOf('proof.issued'), [{ proof: replacing, ...proven }], 'names what it replaces')
  const revoked = await admin.post(`/api/proofs/${corrected.body.code}/revoke`, { reason: 'falsche Person' })
  t.equal(revoked.status, 200)
  t.strictSame(await eventsOf('proof.revoked'), [{ proof: { ...replacing, revoked_at: now.toISOString() }, ...proven }])
})

t.test('a test that is passed completes its assignment; no event contains a score', async (t) => {
  const person = await service.member()
  const { slug } = await assignedTest(db)
  const id = await assign({ parts: [{ kind: 'test', slug }], audience: { user_ids: [person.id] } })
  await openTask(person, id)
  await takeTest(person, slug, true)
  await openTask(person, id)
  t.equal((await eventsOf('assignment.completed')).length, 1)
})

t.test('many persons get their events in the order of their tasks, by few statements', async (t) => {
  // More persons than one batch of the plan (250), and more than two events contain (100 each).
  const count = 251
  await sql`
    insert into users (username, display_name)
    select 'viele-' || number, 'Person ' || number from generate_series(1, ${count}::integer) as number`.execute(db)
  const { rows } = await sql<{ id: number }>`select id from users where username like 'viele-%' order by id`.execute(db)
  const team = await createTeam(db, { members: rows.map(({ id }) => id) })
  const id = await assign({ parts: [await sheetPart(db)], audience: { team_ids: [team] } })
  const assigned = await eventsOf('assignment.assigned')
  t.strictSame(
    assigned.map(({ person }) => person?.id),
    rows.map((row) => row.id),
  )
  now = new Date('2027-01-01T10:00:00Z')
  t.strictSame(await run('webhooks'), { overdue: 3, deleted: 0 })
  const overdue = (await eventsOf('assignment.overdue')).filter(({ assignment }) => assignment?.id === id)
  t.match(overdue, [...Array.from({ length: 3 }, () => ({ day: '2027-01-01', persons: count }))])
  const persons = overdue.flatMap((event) => event.overdue ?? [])
  t.strictSame(
    persons.map(({ person }) => person.id),
    rows.map((row) => row.id),
  )
  t.match(persons[0]?.occurrence, { period: '2026-12-01', due_on: '2026-12-31' })
  t.strictSame(await run('webhooks'), { overdue: 0, deleted: 0 }, 'once a day')
  now = new Date('2027-01-02T10:00:00Z')
  await sql`update users set disabled_on = '2027-01-02' where username like 'viele-%'`.execute(db)
  await run('webhooks')
  t.strictSame(
    (await eventsOf('assignment.overdue')).filter(({ assignment }) => assignment?.id === id),
    [],
    'without disabled accounts',
  )
  await sql`delete from users where username like 'viele-%'`.execute(db)
})

t.test('a person with a missed period is overdue before the next due day', async (t) => {
  const [late, punctual, caughtUp] = [await service.member(), await service.member(), await service.member()]
  const user_ids = [late.id, punctual.id, caughtUp.id]
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids } })
  const missed = { state: 'missed' as const, missed_at: now }
  for (const [person, period, end] of [
    [late, '2025-12-01', missed],
    [caughtUp, '2025-11-01', missed],
    [caughtUp, '2025-12-01', { state: 'exempt' as const, done_at: now, done_on: '2025-12-05' }],
  ] as const) {
    const values = { assignment_id: id, user_id: person.id, period, due_on: '2025-12-31' }
    await db
      .insertInto('occurrences')
      .values({ ...values, content_version: 1, counts_from: now, ...end })
      .execute()
  }
  now = new Date('2026-12-06T10:00:00Z')
  await run('webhooks')
  const events = (await eventsOf('assignment.overdue')).filter(({ assignment }) => assignment?.id === id)
  t.match(events, [{ persons: 1, overdue: [{ person: { id: late.id }, occurrence: { due_on: '2026-12-31' } }] }])
  t.equal(events[0]?.overdue?.length, 1)
  await admin.delete(`/api/assignments/${id}`)
})

t.test('a deactivation is told once, whatever causes it', async (t) => {
  const disabled = async () => (await eventsOf('account.disabled')).map(({ person }) => person?.id)
  const { id } = await createUser(db)
  const patch = (disabled_on: string | null, user = id) => admin.patch(`/api/accounts/${user}`, { disabled_on })
  await patch('2026-12-05')
  t.strictSame(await disabled(), [id], 'from today')
  await patch('2026-12-01')
  await run('disabled-accounts')
  t.strictSame(await disabled(), [], 'it was disabled already')
  await patch(null)
  await patch('2026-12-05')
  t.strictSame(await disabled(), [id], 'again after it was enabled')

  const planned = await createUser(db)
  await patch('2026-12-07', planned.id)
  await run('disabled-accounts')
  t.strictSame(await disabled(), [], 'a planned day')
  now = new Date('2026-12-06T23:30:00Z')
  t.strictSame(await run('disabled-accounts'), { disabled: 1 })
  t.strictSame(await eventsOf('account.disabled'), [
    { person: { id: planned.id, external_id: null }, disabled_on: '2026-12-07' },
  ])
  t.strictSame(await run('disabled-accounts'), { disabled: 0 })

  now = new Date('2026-12-05T10:00:00Z')
  const [listed, put] = [await createUser(db), await createUser(db, { external_id: 'P-9' })]
  await admin.post('/api/accounts/bulk?mode=update', {
    users: [{ username: listed.username, disabled_on: '2026-12-01' }],
  })
  t.strictSame(await disabled(), [listed.id], 'by a list')
  const payload = { disabled_on: '2026-12-01' }
  const response = await admin.send({ method: 'PUT', url: '/api/accounts/by-external-id/P-9', payload })
  t.equal(response.status, 200)
  t.strictSame(await disabled(), [put.id], 'by a system that manages the accounts')
})

t.test('an account that is created disabled is no event, and its later deactivation is one', async (t) => {
  const disabled = async () => (await eventsOf('account.disabled')).map(({ person }) => person?.id)
  const provider = await connectProvider(service)
  const User = 'urn:ietf:params:scim:schemas:core:2.0:User'
  const body = { schemas: [User], userName: unique('scim'), externalId: unique('id'), active: false }
  const created = await provider.post('/scim/v2/Users', body)
  t.equal(created.status, 201)
  const payload = { username: unique('put'), display_name: 'Put', disabled_on: '2026-12-01' }
  const put = await admin.send({ method: 'PUT', url: `/api/accounts/by-external-id/${unique('id')}`, payload })
  t.equal(put.status, 201)
  const listed = await admin.post('/api/accounts/bulk', {
    users: [
      { username: unique('listed'), display_name: 'Eins', disabled_on: '2026-12-01' },
      { username: unique('listed'), display_name: 'Zwei', disabled_on: '2026-12-06' },
    ],
  })
  t.equal(listed.status, 200)
  await run('disabled-accounts')
  t.strictSame(await disabled(), [])
  const id = Number(created.body.id)
  const activate = (active: boolean) =>
    provider.patch(`/scim/v2/Users/${id}`, patchOf({ op: 'replace', value: { active } }))
  t.equal((await activate(true)).status, 200)
  t.strictSame(await disabled(), [])
  t.equal((await activate(false)).status, 200)
  await run('disabled-accounts')
  t.strictSame(await disabled(), [id])
  now = new Date('2026-12-06T10:00:00Z')
  await run('disabled-accounts')
  t.strictSame(await disabled(), [listed.body.users[1].id], 'a planned day of a new account')
})

t.test('content is told when learners can see it', async (t) => {
  const source = await createSource(db)
  const contents = async () => (await eventsOf('content.published')).map(({ content }) => content)
  const deck = await writeDeck(admin, source, { name: 'Entwurf', visibility: 'draft' })
  await writeCard(admin, deck)
  t.strictSame(await contents(), [], 'a draft')
  const { id } = await db.selectFrom('decks').select('id').where('slug', '=', deck).executeTakeFirstOrThrow()
  const change = (body: object) => admin.patch(`/api/content/decks/${deck}`, body)
  t.equal((await change({ archived: false })).status, 200)
  t.strictSame(await contents(), [{ kind: 'deck', id, slug: deck, title: 'Entwurf', version: null }])
  await change({ name: 'Anders', archived: false })
  t.strictSame(await contents(), [], 'a change of what is visible')
  const sheet = await sheetPart(db)
  t.match(await contents(), [{ kind: 'sheet', slug: sheet.slug, version: null }])
  await db.updateTable('cheatsheets').set({ archived_at: new Date() }).where('slug', '=', sheet.slug).execute()
  await db.updateTable('cheatsheets').set({ archived_at: null }).where('slug', '=', sheet.slug).execute()
  t.match(await contents(), [{ kind: 'sheet', slug: sheet.slug }], 'restored')
  const { slug } = await writeTest(admin, source)
  const test = { kind: 'test', slug, version: 1 }
  t.match(await contents(), [test], 'a test, but not its pool of questions')
  await admin.post(`/api/content/tests/${slug}/publish`)
  t.strictSame(await contents(), [], 'an unchanged test')
})

t.test('a report is told once, without its text and reporter', async (t) => {
  const source = await createSource(db)
  const deck = await writeDeck(admin, source, { name: 'Git' })
  const card = await writeCard(admin, deck)
  const learner = await service.member()
  await eventsOf('report.created')
  const report = (text: string) => learner.post(`/api/review/cards/${card.id}/reports`, { text })
  const { body } = await report('Das ist falsch')
  await report('Das ist wirklich falsch')
  const { id } = await db.selectFrom('decks').select('id').where('slug', '=', deck).executeTakeFirstOrThrow()
  t.strictSame(await eventsOf('report.created'), [
    { report: { id: body.id }, card: { id: card.id }, deck: { id, slug: deck, title: 'Git' } },
  ])
})

t.test('an event exists only if its change is stored', async (t) => {
  const { id } = await createUser(db)
  const failing = db.transaction().execute(async (transaction) => {
    await sql`update users set disabled_on = '2026-12-01' where id = ${id}`.execute(transaction)
    await announceDisabled(transaction, { ids: [id], today: '2026-12-05' })
    throw new Error('rolled back')
  })
  await t.rejects(failing, { message: 'rolled back' })
  t.strictSame(await eventsOf('account.disabled'), [])
})

t.test('old events are deleted', async (t) => {
  await db.deleteFrom('webhooks').execute()
  const { id } = await addWebhook(db, receiver.url)
  await sql`
    insert into webhook_events (webhook_id, type, data, state, created_at)
    select ${id}::integer, 'report.created', '{}', 'delivered', '2026-08-01' from generate_series(1, 1200)`.execute(db)
  await sql`insert into webhook_events (webhook_id, type, data) values (${id}, 'report.created', '{}')`.execute(db)
  t.match(await run('webhooks'), { deleted: 1_200 })
  t.equal((await db.selectFrom('webhook_events').selectAll().execute()).length, 1)
})

t.test('no body contains a name, a score or an answer', async (t) => {
  t.ok(texts.length > 251)
  for (const text of texts) {
    if (/score|points|percent|passed|answer|"name"|code/.test(text)) t.fail(text)
  }
})
