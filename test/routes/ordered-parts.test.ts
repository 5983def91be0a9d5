import t from 'tap'
import { ASSIGNMENT, assignedTest, createTeam, sheetPart, takeTest } from '../support/assignments.js'
import { createCard, createDeck } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'

let now = new Date('2026-12-01T10:00:00Z')
const service = await startService(t, { now: () => now })
const { db } = service
const admin = await service.admin()

async function onDay(day: string, { id }: { id: number }): Promise<Caller> {
  now = new Date(`${day}T10:00:00Z`)
  const { username } = await db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow()
  return service.loginAs(username)
}

async function assign(values: object): Promise<number> {
  const boss = await onDay('2026-12-01', admin)
  const { status, body } = await boss.post('/api/assignments', { ...ASSIGNMENT, ...values })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.assignment.id
}
const mine = async (caller: Caller, id: number) =>
  (await caller.get('/api/assignments/mine')).body.occurrences.filter(
    ({ assignment }: { assignment: { id: number } }) => assignment.id === id,
  )
const later = () => {
  now = new Date(now.getTime() + 60_000)
}

t.test('the parts of an ordered assignment open one after another', async (t) => {
  const person = await service.member()
  const [first, second] = [await sheetPart(db), await sheetPart(db)]
  const test = await assignedTest(db, null, 2)
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id })
  const parts = [
    first,
    { kind: 'test', slug: test.slug },
    { kind: 'deck', slug: deck.slug },
    second,
    { kind: 'personal', title: 'Rundgang' },
    { kind: 'personal', title: 'Gespräch' },
  ]
  const id = await assign({ parts, ordered: true, audience: { user_ids: [person.id] } })
  t.match((await admin.get(`/api/assignments/${id}`)).body.assignment, { ordered: true })
  const [{ id: occurrence }] = await mine(person, id)
  const confirm = (part: number) => person.post(`/api/assignments/occurrences/${occurrence}/confirm`, { part })
  const talk = () =>
    admin.post('/api/assignments/occurrences/confirm-personal', { ids: [occurrence], held_on: '2026-12-01' })
  const locked = async () => (await mine(person, id))[0].parts.map((part: { locked: boolean }) => part.locked)
  const refused = errorBody(409, 'Dieser Teil kommt erst, wenn die Teile davor erledigt sind')
  t.strictSame(await locked(), [false, true, true, true, true, true])
  t.strictSame((await confirm(3)).body, refused)
  t.strictSame((await talk()).body, refused)
  t.match((await admin.get(`/api/assignments/${id}/occurrences`)).body.occurrences, [{ personal_open: false }])
  await person.post('/api/review', { card_id: card.id, rating: 'easy' })
  t.match(await takeTest(person, test.slug, true), { status: 200 }, 'an attempt is allowed')
  t.match(await mine(person, id), [{ state: 'open', parts: [{ state: 'open' }, { state: 'open' }, { state: 'open' }] }])
  later()
  t.strictSame((await confirm(0)).body, { ok: true })
  t.match(await mine(person, id), [{ parts: [{ state: 'done' }, { state: 'open' }] }], 'began before its part opened')
  t.strictSame(await locked(), [false, false, true, true, true, true])
  later()
  t.match(await takeTest(person, test.slug, true), { status: 200, body: { attempt: { passed: true } } })
  t.match(
    await mine(person, id),
    [{ parts: [{}, { state: 'done' }, { state: 'done' }, { state: 'open' }] }],
    'the reviews of the deck count',
  )
  t.strictSame(await locked(), [false, false, false, false, true, true])
  t.strictSame((await confirm(3)).body, { ok: true })
  t.match((await admin.get(`/api/assignments/${id}/occurrences`)).body.occurrences, [{ personal_open: true }])
  t.strictSame((await talk()).body, { ok: true })
  t.match(await mine(person, id), [{ state: 'done' }])
})

t.test('an assignment starts some days after a person has joined', async (t) => {
  const person = await service.member()
  const team = await createTeam(db, {})
  const path = { parts: [await sheetPart(db)], audience: { team_ids: [team] }, due: { days_after_start: 5 } }
  const id = await assign({ ...path, starts: { days_after_joining: 10 } })
  let boss = await onDay('2028-02-19', admin)
  const join = () =>
    boss.send({ method: 'PUT', url: `/api/teams/${team}/members/${person.id}`, payload: { role: 'member' } })
  t.match((await boss.get(`/api/assignments/${id}`)).body.assignment, { starts: { days_after_joining: 10 } })
  await join()
  await join()
  t.strictSame(await mine(await onDay('2028-02-28', person), id), [])
  boss = await onDay('2028-02-28', admin)
  await boss.delete(`/api/teams/${team}/members/${person.id}`)
  t.strictSame(await mine(await onDay('2028-02-29', person), id), [], 'left before the start')
  boss = await onDay('2028-02-29', admin)
  await join()
  t.strictSame(await mine(await onDay('2028-03-09', person), id), [])
  t.match(await mine(await onDay('2028-03-10', person), id), [
    { period: '2028-03-10', due: '2028-03-15', state: 'open' },
  ])
  boss = await onDay('2028-03-11', admin)
  for (const starts of [{ days_after_joining: -1 }, { days_after_joining: 3_661 }, { days_after_joining: 1.5 }, {}]) {
    t.equal((await boss.post('/api/assignments', { ...ASSIGNMENT, ...path, starts })).status, 400)
  }
  for (const [given, field] of [
    [{ starts: { days_after_joining: 3_661 } }, 'starts/days_after_joining'],
    [{ due: { days_after_start: 3_661 } }, 'due/days_after_start'],
  ] as const) {
    const { headers } = await boss.post('/api/assignments', { ...ASSIGNMENT, ...path, ...given })
    t.equal(headers['x-error-field'], field)
  }
})

t.test('counts the days from the account if the assignment is for all', async (t) => {
  const id = await assign({
    parts: [await sheetPart(db)],
    audience: { everybody: true },
    mandatory: false,
    starts: { days_after_joining: 2 },
    due: { days_after_start: 5 },
  })
  const person = await service.member()
  await db
    .updateTable('users')
    .set({ created_at: new Date('2028-02-27T12:00:00Z') })
    .where('id', '=', person.id)
    .execute()
  t.strictSame(await mine(await onDay('2028-02-28', person), id), [])
  t.match(await mine(await onDay('2028-02-29', person), id), [{ period: '2028-02-29', due: '2028-03-05' }])
})
