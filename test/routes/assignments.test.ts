import { sql } from 'kysely'
import t from 'tap'
import { ASSIGNMENT, assignedTest, createTeam, sheetPart, takeTest } from '../support/assignments.js'
import { countStatements, createMigratedDatabase, waitUntilBlocked } from '../support/database.js'
import { createEditor, createSource } from '../support/editing.js'
import { createCard, createDeck } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'
import { CARDS, publishTest } from '../support/taken-tests.js'

let now = new Date('2026-12-01T10:00:00Z')
const counter = countStatements(await createMigratedDatabase())
const service = await startService(t, { database: counter.database, now: () => now })
const { db } = service
const admin = await service.admin()

/** Sets the clock to 10:00 UTC on the given day (`YYYY-MM-DD`) and logs in, by default as the administrator. */
async function onDay(day: string, username?: string): Promise<Caller> {
  now = new Date(`${day}T10:00:00Z`)
  return service.loginAs(username ?? (await nameOf(admin.id)))
}
const nameOf = async (id: number) =>
  (await db.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow()).username
t.beforeEach(() => {
  now = new Date('2026-12-01T10:00:00Z')
})

async function assign(values: object, by: Caller = admin): Promise<number> {
  const { status, body } = await by.post('/api/assignments', { ...ASSIGNMENT, ...values })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.assignment.id
}
const mine = async (caller: Caller, id: number) =>
  (await caller.get('/api/assignments/mine')).body.occurrences.filter(
    ({ assignment }: { assignment: { id: number } }) => assignment.id === id,
  )
const occurrencesOf = async (id: number, by: Caller = admin) =>
  (await by.get(`/api/assignments/${id}/occurrences`)).body.occurrences
const post = (caller: Caller, occurrence: number, action: string, body: object) =>
  caller.post(`/api/assignments/occurrences/${occurrence}/${action}`, body)

t.test('a learner completes an assignment with each kind of part', async (t) => {
  const learner = await service.member()
  const test = await assignedTest(db)
  const deck = await createDeck(db)
  const cards = [await createCard(db, { deck_id: deck.id }), await createCard(db, { deck_id: deck.id })]
  const sheet = await sheetPart(db)
  t.match(await takeTest(learner, test.slug, true), { status: 403 }, 'the test is not assigned yet')
  const parts = [
    sheet,
    { kind: 'test', slug: test.slug },
    { kind: 'deck', slug: deck.slug, share_percent: 50 },
    { kind: 'personal', title: 'Rundgang' },
  ]
  t.equal((await learner.get('/api/auth/me')).body.roles.tasks, false)
  const id = await assign({ parts, audience: { user_ids: [learner.id] } })
  t.equal((await learner.get('/api/auth/me')).body.roles.tasks, true)
  const [open] = await mine(learner, id)
  t.match(open, {
    assignment: { id, title: 'Brandschutz', mandatory: true },
    period: '2026-12-01',
    state: 'open',
    due: '2026-12-31',
    overdue: false,
    done_at: null,
    proof_code: null,
    parts: [
      { kind: 'sheet', slug: sheet.slug, state: 'open' },
      { kind: 'test', slug: test.slug, title: 'Datenschutz', state: 'open' },
      { kind: 'deck', slug: deck.slug, share_percent: 50, state: 'open' },
      { kind: 'personal', slug: null, title: 'Rundgang', state: 'open' },
    ],
  })
  t.match(
    (await learner.get('/api/tests')).body.tests.find(({ slug }: { slug: string }) => slug === test.slug),
    {
      attempts_left: 2,
    },
  )
  t.strictSame(
    (await post(learner, open.id, 'confirm', { part: 1 })).body,
    errorBody(400, 'Diesen Teil hat die Aufgabe nicht'),
  )
  const { updated_at } = (await learner.get(`/api/cheatsheets/${sheet.slug}`)).body.cheatsheet
  const old = { part: 0, sheet_updated_at: '2026-01-01T00:00:00Z' }
  t.match(await post(learner, open.id, 'confirm', old), { status: 409 }, 'the confirmed text is another one')
  t.equal((await post(learner, open.id, 'confirm', { ...old, sheet_updated_at: 'gestern' })).status, 400)
  for (const sheet_updated_at of [updated_at, undefined, old.sheet_updated_at]) {
    t.strictSame((await post(learner, open.id, 'confirm', { part: 0, sheet_updated_at })).body, { ok: true })
  }
  await db.updateTable('cheatsheets').set({ archived_at: now }).where('slug', '=', sheet.slug).execute()
  t.match(await mine(learner, id), [{ parts: [{ available: false }, { available: true }, {}, { available: true }] }])
  t.match(await mine(learner, id), [{ state: 'in_progress', parts: [{ state: 'done', done_at: now.toISOString() }] }])
  t.match(await takeTest(learner, test.slug, false), { status: 200, body: { attempt: { passed: false } } })
  t.match(await takeTest(learner, test.slug, true), { status: 200, body: { attempt: { passed: true } } })
  await learner.post('/api/review', { card_id: cards[0]?.id, rating: 'hard' })
  t.match(
    await mine(learner, id),
    [{ parts: [{}, { state: 'done' }, { state: 'open' }] }],
    'the rating „hard“ does not count as known',
  )
  await learner.post('/api/review', { card_id: cards[1]?.id, rating: 'medium' })
  await createCard(db, { deck_id: deck.id })
  await createCard(db, { deck_id: deck.id })
  t.match(
    await mine(learner, id),
    [{ parts: [{}, {}, { state: 'open' }] }],
    'cards were added before the result was read',
  )
  await learner.post('/api/review', { card_id: cards[0]?.id, rating: 'easy' })
  t.match(await mine(learner, id), [{ parts: [{}, {}, { state: 'done' }] }])
  await createCard(db, { deck_id: deck.id })
  t.match(
    await mine(learner, id),
    [{ state: 'in_progress', parts: [{}, {}, { state: 'done' }] }],
    'a reached share stays reached',
  )
  const held = { ids: [open.id], held_on: '2026-12-01', note: 'mit Feuerlöscher' }
  for (const held_on of ['2026-11-30', '2026-12-02', '2026-02-30']) {
    t.equal((await admin.post('/api/assignments/occurrences/confirm-personal', { ...held, held_on })).status, 400)
  }
  t.strictSame((await admin.post('/api/assignments/occurrences/confirm-personal', held)).body, { ok: true })
  t.match(await mine(learner, id), [
    {
      state: 'done',
      done_at: now.toISOString(),
      overdue: false,
      parts: [{}, {}, {}, { held_on: '2026-12-01', confirmed_by: 'Erika Muster' }],
    },
  ])
  t.match(await occurrencesOf(id), [{ id: open.id, state: 'done', user: { id: learner.id } }])
  t.equal(
    (await admin.post('/api/assignments/occurrences/confirm-personal', held)).status,
    409,
    'the occurrence is no longer open',
  )
  t.strictSame((await post(learner, open.id, 'confirm', { part: 0 })).body, { ok: true }, 'a repeated request')
  t.strictSame((await takeTest(learner, test.slug, true)).status, 403, 'the test can no longer be started')
  const own = (await learner.get('/api/accounts/me/data')).body
  t.match(own.occurrences, [
    {
      title: 'Brandschutz',
      state: 'done',
      done_parts: [{}, {}, {}, { held_on: '2026-12-01', note: 'mit Feuerlöscher' }],
    },
  ])
})

t.test('a sheet is not confirmed while its text is being replaced', async (t) => {
  const learner = await service.member()
  const sheet = await sheetPart(db)
  const id = await assign({ parts: [sheet], audience: { user_ids: [learner.id] } })
  const [open] = await mine(learner, id)
  const version = Number((await learner.get(`/api/cheatsheets/${sheet.slug}`)).headers['x-sheet-version'])
  t.match(await post(learner, open.id, 'confirm', { part: 0, version: version + 1 }), { status: 409 })
  let confirmed: Promise<unknown> | undefined
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('cheatsheets')
      .set({ content_md: 'Neu', updated_at: new Date('2099-01-01') })
      .where('slug', '=', sheet.slug)
      .execute()
    confirmed = post(learner, open.id, 'confirm', { part: 0, version })
    await waitUntilBlocked(service.database)
  })
  t.match(await confirmed, { status: 409 })
})

t.test('an occurrence of another person is not found', async (t) => {
  const [learner, other] = [await service.member(), await service.member()]
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [learner.id] } })
  const [{ id: occurrence }] = await mine(learner, id)
  const gone = errorBody(404, 'Diese Aufgabe hast du nicht')
  t.strictSame((await post(other, occurrence, 'confirm', { part: 0 })).body, gone)
  t.strictSame((await post(other, 999_999, 'confirm', { part: 0 })).body, gone)
  t.strictSame(await mine(other, id), [])
})

t.test('the next period requires all parts again, with new attempts', async (t) => {
  const learner = await service.member()
  const name = await nameOf(learner.id)
  const test = await assignedTest(db, null, 1)
  const parts = [await sheetPart(db), { kind: 'test', slug: test.slug }]
  const recurrence = { every_months: 12, opens_days_before: 30 }
  const id = await assign({ parts, audience: { user_ids: [learner.id] }, recurrence })
  const [first] = await mine(learner, id)
  await post(learner, first.id, 'confirm', { part: 0 })
  await takeTest(learner, test.slug, true)
  t.match(await mine(learner, id), [{ state: 'done' }])
  const early = await onDay('2027-10-31', name)
  t.match(await mine(early, id), [{ period: '2026-12-01', state: 'done' }])
  const later = await onDay('2027-11-01', name)
  const [next, before] = await mine(later, id)
  t.match(next, {
    period: '2027-11-01',
    due: '2027-12-01',
    state: 'open',
    parts: [{ state: 'open' }, { state: 'open' }],
  })
  t.match(before, { id: first.id, state: 'done' })
  t.match(await takeTest(later, test.slug, false), { status: 200 }, 'the attempt of the previous period does not count')
  t.match(await takeTest(later, test.slug, true), { status: 409 }, 'no attempt is left')
  const boss = await onDay('2027-11-01')
  const grant = { reason: 'Störung', client_id: 'attempt-1' }
  t.strictSame((await post(boss, next.id, 'grant-attempt', grant)).body, { ok: true })
  t.strictSame((await post(boss, next.id, 'grant-attempt', grant)).body, { ok: true }, 'a repeated request')
  const other = await post(boss, next.id, 'grant-attempt', { ...grant, reason: 'Anders' })
  t.equal(other.headers['x-error-code'], 'client_id_used')
  const granted = db.selectFrom('occurrences').select('extra_attempts').where('id', '=', next.id)
  t.strictSame(await granted.executeTakeFirst(), { extra_attempts: 1 })
  t.match(await takeTest(later, test.slug, true), { status: 200, body: { attempt: { passed: true } } })
  t.match(await mine(later, id), [{ state: 'in_progress', parts: [{ state: 'open' }, { state: 'done' }] }, {}])
  t.equal((await post(boss, first.id, 'grant-attempt', { reason: 'x' })).status, 409)
})

t.test('the attempts of the last period do not count before the nightly job plans the next one', async (t) => {
  const learner = await service.member()
  const name = await nameOf(learner.id)
  const test = await publishTest(db, { access: 'open', attempts: 1 }, { cards: [CARDS.single] })
  const other = await publishTest(db, { access: 'open', attempts: 1 }, { cards: [CARDS.single] })
  const parts = [
    { kind: 'test', slug: test.slug },
    { kind: 'test', slug: other.slug },
  ]
  const recurrence = { every_months: 12, opens_days_before: 30 }
  await assign({ parts, audience: { user_ids: [learner.id] }, recurrence })
  for (const { slug } of [test, other]) await takeTest(learner, slug, true)
  const later = await onDay('2027-11-01', name)
  const left = async () => {
    const { tests } = (await later.get('/api/tests')).body
    return tests.find(({ slug }: { slug: string }) => slug === test.slug).attempts_left
  }
  t.equal(await left(), 1)
  t.match(await takeTest(later, test.slug, false), { status: 200 })
  t.equal(await left(), 0)
  const { test: page } = (await later.get(`/api/tests/${other.slug}`)).body
  t.equal(page.attempts_left, 1)
})

t.test('plans a person for the list of tests only if one of their assignments has a closed test', async (t) => {
  const [assigned, other] = [await service.member(), await service.member()]
  const test = await assignedTest(db)
  const list = (caller: Caller) => caller.get('/api/tests')
  await list(other)
  const count = await counter.countOf(() => list(other))
  await assign({ parts: [{ kind: 'test', slug: test.slug }], audience: { user_ids: [assigned.id] } })
  t.equal(await counter.countOf(() => list(other)), count)
  t.equal(count, 6, 'the session, the tests, the attempts, the credits, whether a test is assigned, the variants')
  await db.deleteFrom('occurrences').where('user_id', '=', assigned.id).execute()
  const { tests } = (await list(assigned)).body
  t.match(
    tests.find(({ slug }: { slug: string }) => slug === test.slug),
    { assigned: true },
    'a period that is not planned yet',
  )
})

t.test(
  'one attempt counts for two assignments with the same test, but not for two periods of one assignment',
  async (t) => {
    const learner = await service.member()
    const name = await nameOf(learner.id)
    const test = await assignedTest(db, null, null)
    const parts = [{ kind: 'test', slug: test.slug }]
    const recurrence = { every_months: 12, window_end: '03-31' }
    const audience = { user_ids: [learner.id] }
    const [one, two] = [await assign({ parts, audience }), await assign({ parts, audience, recurrence })]
    t.match([await mine(learner, one), await mine(learner, two)], [[{ state: 'open' }], [{ state: 'open' }]])
    const later = await onDay('2027-03-05', name)
    t.match(await mine(later, two), [
      { period: '2027-03-01', state: 'open', due: '2027-03-31', overdue: true, missed: 1 },
      { period: '2026-12-01', state: 'missed', overdue: false, missed: 0, parts: [{ state: 'closed' }] },
    ])
    await takeTest(later, test.slug, true)
    t.match(
      [await mine(later, one), await mine(later, two)],
      [
        [{ state: 'done' }],
        [
          { period: '2027-03-01', state: 'done' },
          { period: '2026-12-01', state: 'missed' },
        ],
      ],
    )
  },
)

t.test('a responsible person exempts, recognises and extends, with a recorded reason', async (t) => {
  const learners = [await service.member(), await service.member(), await service.member()]
  const boss = await service.member()
  const id = await assign({
    parts: [await sheetPart(db)],
    responsible_id: boss.id,
    audience: { user_ids: learners.map((learner) => learner.id) },
  })
  t.equal((await boss.get('/api/auth/me')).body.roles.responsible, true)
  t.equal((await learners[0]?.get('/api/auth/me'))?.body.roles.responsible, false)
  const rows = await occurrencesOf(id, boss)
  t.strictSame(
    rows.map(({ user }: { user: { id: number } }) => user.id).sort(),
    learners.map((learner) => learner.id).sort(),
  )
  const [first, second, third] = rows
  const refused = errorBody(403, 'Das entscheidet nur die verantwortliche Person der Aufgabe')
  t.strictSame(
    (await post(admin, first.id, 'exempt', { reason: 'x' })).body,
    refused,
    'administrators may not do it either',
  )
  t.strictSame((await admin.get(`/api/assignments/${id}/occurrences`)).status, 403)
  t.equal((await post(boss, first.id, 'exempt', { reason: ' ' })).status, 400)
  t.equal((await post(boss, first.id, 'exempt', { reason: 'x', until: '2026-11-30' })).status, 400)
  t.strictSame((await post(boss, first.id, 'exempt', { reason: 'Elternzeit' })).body, { ok: true })
  t.strictSame((await post(boss, second.id, 'recognise', { reason: 'Zeugnis', until: '2027-06-30' })).body, {
    ok: true,
  })
  t.equal((await post(boss, third.id, 'extend', { reason: 'Urlaub' })).status, 400)
  t.equal((await post(boss, third.id, 'extend', { reason: 'Urlaub', until: '2026-12-31' })).status, 400)
  t.strictSame((await post(boss, third.id, 'extend', { reason: 'Urlaub', until: '2027-01-15' })).body, { ok: true })
  t.equal((await post(boss, third.id, 'grant-attempt', { reason: 'x' })).status, 400, 'the assignment has no test')
  t.equal((await post(boss, first.id, 'extend', { reason: 'x', until: '2028-01-01' })).status, 409)
  t.match(await occurrencesOf(id, boss), [
    { state: 'exempt', done_at: String },
    { state: 'recognised' },
    { state: 'open', due: '2027-01-15', extended_until: '2027-01-15' },
  ])
  for (const states of ['open', 'open,']) {
    const { body } = await boss.get(`/api/assignments/${id}/occurrences?state=${states}`)
    t.match(body.occurrences, [{ id: third.id }], states)
  }
  const { entries } = (await admin.get('/api/accounts/audit?limit=5')).body
  t.match(entries, [
    { action: 'occurrence.extend', details: { reason: 'Urlaub', until: '2027-01-15' } },
    { action: 'occurrence.recognise' },
    { action: 'occurrence.exempt', target: 'Brandschutz', details: { reason: 'Elternzeit', username: String } },
    { action: 'assignment.view' },
    { action: 'assignment.create', details: { mandatory: true } },
  ])
})

const OWN_TASK = 'Über deine eigene Aufgabe entscheidest du nicht selbst; mach zuerst eine andere Person verantwortlich'

t.test('a responsible person does not decide about the own occurrence', async (t) => {
  const [boss, learner, other] = [await service.member(), await service.member(), await service.member()]
  const test = await assignedTest(db)
  const parts = [{ kind: 'test', slug: test.slug }]
  const id = await assign({ parts, responsible_id: boss.id, audience: { user_ids: [boss.id, learner.id] } })
  const rows = await occurrencesOf(id, boss)
  const own = rows.find(({ user }: { user: { id: number } }) => user.id === boss.id).id
  const others = rows.find(({ user }: { user: { id: number } }) => user.id === learner.id).id
  const refused = errorBody(403, OWN_TASK)
  const body = { reason: 'geprüft', until: '2027-06-30' }
  for (const action of ['exempt', 'recognise', 'extend', 'grant-attempt']) {
    t.strictSame((await post(boss, own, action, body)).body, refused, action)
  }
  t.match(await mine(boss, id), [{ state: 'open', due: '2026-12-31' }])
  t.equal((await post(boss, others, 'recognise', body)).status, 200)
  await admin.patch(`/api/assignments/${id}`, { responsible_id: other.id })
  t.equal((await post(other, own, 'recognise', body)).status, 200, 'another responsible person decides')
})

t.test('no change releases the caller from an open mandatory occurrence', async (t) => {
  const [boss, deputy, learner] = [await service.admin(), await service.member(), await service.member()]
  const team = await createTeam(db, { members: [boss.id] })
  const values = { parts: [await sheetPart(db)], responsible_id: boss.id }
  const id = await assign({ ...values, audience: { team_ids: [team] } })
  const url = `/api/assignments/${id}`
  t.match(await mine(boss, id), [{ state: 'open' }])
  const toOthers = { audience: { user_ids: [learner.id] } }
  const releases: [string, () => ReturnType<Caller['delete']>][] = [
    ['the audience', () => boss.patch(url, toOthers)],
    ['with another responsible person at once', () => boss.patch(url, { ...toOthers, responsible_id: deputy.id })],
    ['optional', () => boss.patch(url, { mandatory: false })],
    ['membership', () => boss.delete(`/api/teams/${team}/members/${boss.id}`)],
    ['team', () => boss.delete(`/api/teams/${team}`)],
  ]
  const refused = errorBody(403, OWN_TASK)
  for (const [name, release] of releases) t.strictSame((await release()).body, refused, name)
  t.equal((await boss.patch(url, { responsible_id: null })).status, 200)
  t.strictSame((await boss.patch(url, toOthers)).body, refused, 'without a responsible person')
  t.match(await mine(boss, id), [{ state: 'open', due: '2026-12-31' }])
  t.equal((await boss.patch(url, { due: '2027-12-31', starts: '2027-01-01', recurrence: null })).status, 200)
  t.equal((await boss.post(`${url}/renew`)).status, 200)
  t.match(await mine(boss, id), [{ state: 'open', due: '2026-12-31' }], 'planned occurrences keep their days')
  t.equal((await boss.patch(url, { audience: { everybody: true } })).status, 200, 'still in the audience')
  await boss.patch(url, { audience: { team_ids: [team] }, responsible_id: deputy.id })
  t.equal((await boss.patch(url, toOthers)).status, 200, 'another person is responsible')
  t.match(await mine(boss, id), [{ state: 'left' }])
  const optional = await assign({ ...values, audience: { user_ids: [boss.id] }, mandatory: false })
  t.equal((await boss.patch(`/api/assignments/${optional}`, toOthers)).status, 200, 'an optional assignment')
})

t.test('no change loses finished work that is not marked as done yet', async (t) => {
  const learners = [await service.member(), await service.member(), await service.member()]
  const test = await publishTest(db, { attempts: null }, { cards: [CARDS.single] })
  const parts = [{ kind: 'test', slug: test.slug }]
  const boss = await service.member()
  const audience = { user_ids: learners.map((learner) => learner.id) }
  const id = await assign({ parts, responsible_id: boss.id, audience })
  const rows = await occurrencesOf(id, boss)
  const stateOf = async (person?: Caller & { id: number }) =>
    (await occurrencesOf(id, boss)).find(({ user }: { user: { id: number } }) => user.id === person?.id)?.state
  const [exempted, recognised, deleted] = learners
  for (const [person, action] of [
    [exempted, 'exempt'],
    [recognised, 'recognise'],
  ] as const) {
    if (person === undefined) continue
    await takeTest(person, test.slug, true)
    const occurrence = rows.find(({ user }: { user: { id: number } }) => user.id === person.id).id
    const { headers } = await post(boss, occurrence, action, { reason: 'zu spät' })
    t.equal(headers['x-error-code'], 'occurrence_closed', action)
    t.equal(await stateOf(person), 'done', action)
  }
  if (deleted === undefined) return
  await takeTest(deleted, test.slug, true)
  await admin.delete(`/api/admin/users/${deleted.id}`)
  const kept = await db.selectFrom('proofs').select('id').where('user_id', '=', deleted.id).execute()
  t.equal(kept.length, 1, 'the certificate of the deleted account')

  const one = await service.member()
  const other = await assign({ parts, audience: { user_ids: [one.id] } })
  await takeTest(one, test.slug, true)
  const changed = await admin.patch(`/api/assignments/${other}`, { parts: [await sheetPart(db)] })
  t.equal(changed.headers['x-error-code'], 'parts_in_use')
  t.match(await mine(one, other), [{ state: 'done' }])
})

t.test('a change of teams in two steps on one day keeps the due day', async (t) => {
  const learner = await service.member()
  const name = await nameOf(learner.id)
  const [team, next] = [await createTeam(db, { members: [learner.id] }), await createTeam(db, {})]
  const id = await assign({ parts: [await sheetPart(db)], audience: { team_ids: [team, next] } })
  t.match(await mine(learner, id), [{ state: 'open', due: '2026-12-31' }])
  const boss = await onDay('2026-12-20')
  const moved = await onDay('2026-12-20', name)
  const memberOf = (one: number) => `/api/teams/${one}/members/${learner.id}`
  await boss.delete(memberOf(team))
  t.match(await mine(moved, id), [{ state: 'open', due: '2026-12-31' }], 'closes on the next day')
  await boss.send({ method: 'PUT', url: memberOf(next), payload: { role: 'member' } })
  t.match(await mine(await onDay('2026-12-21', name), id), [{ state: 'open', due: '2026-12-31' }])
  await (await onDay('2026-12-21')).delete(memberOf(next))
  t.match(await mine(await onDay('2026-12-22', name), id), [{ state: 'left' }])
})

t.test('a lead sees the members of the own team in mandatory assignments, without results', async (t) => {
  const [lead, member, outsider] = [await service.member(), await service.member(), await service.member()]
  const team = await createTeam(db, { members: [member.id], leads: [lead.id] })
  const test = await publishTest(db, {}, { cards: [CARDS.single] })
  const values = { parts: [{ kind: 'test', slug: test.slug }], audience: { team_ids: [team], user_ids: [outsider.id] } }
  const id = await assign(values)
  const optional = await assign({ ...values, mandatory: false })
  await takeTest(member, test.slug, true)
  const { status, body } = await lead.get(`/api/assignments/${id}/occurrences`)
  t.equal(status, 200)
  const names = body.occurrences.map(({ user, state }: { user: { id: number }; state: string }) => [user.id, state])
  t.strictSame(
    names.sort(),
    [
      [lead.id, 'open'],
      [member.id, 'done'],
    ].sort(),
  )
  t.strictSame(Object.keys(body.occurrences[0]).sort(), [
    ...['done_at', 'done_on', 'due', 'extended_until', 'id', 'missed', 'overdue', 'parts', 'period', 'personal_open'],
    ...['state', 'user'],
  ])
  const refused = errorBody(403, 'Das sehen nur die verantwortliche Person und die Leitung des Teams')
  t.strictSame((await lead.get(`/api/assignments/${optional}/occurrences`)).body, refused)
  t.strictSame((await member.get(`/api/assignments/${id}/occurrences`)).body, refused)
  t.strictSame((await lead.get('/api/assignments/999999/occurrences')).body, refused)
  const [other] = (await occurrencesOf(id)).filter(({ user }: { user: { id: number } }) => user.id === outsider.id)
  const held = { held_on: '2026-12-01', ids: [other.id] }
  t.strictSame(
    (await lead.post('/api/assignments/occurrences/confirm-personal', held)).body,
    refused,
    'a member of another team',
  )
  t.match(
    (await lead.get('/api/assignments')).body.assignments.map((one: { id: number }) => one.id),
    [id],
  )
  const idsOf = async (query: string, by: Caller) =>
    (await by.get(`/api/assignments?${query}`)).body.assignments.map((one: { id: number }) => one.id)
  t.strictSame(await idsOf(`team=${team}`, lead), [id])
  t.strictSame(await idsOf(`team=${team}`, admin), [optional, id])
  t.strictSame(await idsOf('team=999999', admin), [])
  t.equal((await lead.get(`/api/assignments/${id}`)).status, 200)
  t.equal((await lead.get(`/api/assignments/${optional}`)).status, 404)
  t.equal((await member.get('/api/assignments')).status, 403)
})

t.test('shows which parts of each person are open, filters by them and exports them', async (t) => {
  const persons = [await service.member(), await service.member(), await service.member()] as const
  const [first, second, third] = persons
  for (const [index, { id }] of persons.entries()) {
    const values = { display_name: `Person ${index + 1}`, personnel_number: index === 0 ? '=1+1' : null }
    await db.updateTable('users').set(values).where('id', '=', id).execute()
  }
  const sheet = await sheetPart(db)
  const parts = [sheet, { kind: 'personal', title: 'Rundgang' }]
  const id = await assign({ parts, audience: { user_ids: persons.map((person) => person.id) } })
  now = new Date('2026-12-01T23:30:00Z')
  const [[own], [exempt]] = [await mine(first, id), await mine(third, id)]
  t.equal((await post(first, own.id, 'confirm', { part: 0 })).status, 200)
  t.equal((await post(admin, exempt.id, 'exempt', { reason: 'Krankheit' })).status, 200)

  const title = (await occurrencesOf(id))[0].parts[0].title
  const partsOf = (done: string | null, state: string) => [
    { kind: 'sheet', title, state: done === null ? state : 'done', done_on: done },
    { kind: 'personal', title: 'Rundgang', state, done_on: null },
  ]
  t.strictSame(
    (await occurrencesOf(id)).map((one: { parts: object[] }) => one.parts),
    [partsOf('2026-12-02', 'open'), partsOf(null, 'open'), partsOf(null, 'closed')],
    'the day is one of the time zone of the service',
  )
  t.match((await mine(first, id))[0].parts[0], { state: 'done', done_on: '2026-12-02' })
  t.match((await occurrencesOf(id))[0].user, { id: first.id, personnel_number: '=1+1' })
  const missing = async (kind: string) =>
    (await admin.get(`/api/assignments/${id}/occurrences?missing=${kind}`)).body.occurrences?.map(
      ({ user }: { user: { id: number } }) => user.id,
    )
  t.strictSame(await missing('sheet'), [second.id])
  t.strictSame(await missing('personal'), [first.id, second.id])
  t.strictSame(await missing('test'), [])
  t.equal((await admin.get(`/api/assignments/${id}/occurrences?missing=quiz`)).status, 400)

  const table = await admin.get(`/api/assignments/${id}/occurrences.csv?missing=personal`)
  t.match(table.headers, { 'content-type': 'text/csv; charset=utf-8' })
  t.strictSame(table.text.split('\r\n'), [
    '\ufeffName;Personalnummer;Zeitraum ab;Stand;Fällig;Verlängert bis;Erledigt am;Verpasst;Teil 1: Art;Teil 1: Titel;Teil 1: Stand;Teil 1: Tag;Teil 2: Art;Teil 2: Titel;Teil 2: Stand;Teil 2: Tag',
    `Person 1;'=1+1;2026-12-01;begonnen;2026-12-31;;;;Unterlage;${title};erledigt;2026-12-02;Gespräch;Rundgang;offen;`,
    `Person 2;;2026-12-01;offen;2026-12-31;;;;Unterlage;${title};offen;;Gespräch;Rundgang;offen;`,
    '',
  ])
  t.equal((await first.get(`/api/assignments/${id}/occurrences.csv`)).status, 403)
})

t.test('tells each caller the allowed actions, and names only to callers that may see them', async (t) => {
  const source = await createSource(db)
  const author = await createEditor(service, source)
  const [lead, responsible] = [await service.member(), await service.member()]
  const [member, outsider] = [await service.member(), await service.member()]
  const team = await createTeam(db, { members: [member.id], leads: [author.id, lead.id] })
  const [other, sheet] = [await createTeam(db, { members: [outsider.id] }), await sheetPart(db)]
  const parts = [sheet, { kind: 'personal', title: 'Rundgang' }]
  const id = await assign({
    parts,
    audience: { team_ids: [team, other], user_ids: [outsider.id] },
    responsible_id: responsible.id,
  })
  const seenBy = async (caller: Caller) => (await caller.get(`/api/assignments/${id}`)).body.assignment
  const rights = { change: false, see_state: true, decide: false }
  t.match(await seenBy(admin), {
    rights: { ...rights, change: true, see_state: false },
    persons: [{ id: outsider.id }],
  })
  t.match(await seenBy(responsible), { rights: { ...rights, decide: true }, teams: [{}, {}], persons: [{}] })
  const seen = await seenBy(lead)
  t.match(seen, { rights, responsible: { id: responsible.id }, parts_in_use: false })
  t.strictSame([seen.teams.map((one: { id: number }) => one.id), seen.persons], [[team], []])
  t.strictSame(seen.audience, { everybody: false, team_ids: [team], user_ids: [] })
  t.strictSame((await seenBy(responsible)).audience.team_ids, [team, other])
  t.equal((await lead.get('/api/auth/me')).body.roles.overseer, true)
  t.equal((await responsible.get('/api/auth/me')).body.roles.overseer, true)
  t.equal((await member.get('/api/auth/me')).body.roles.overseer, false)

  const page = async (query: string, by: Caller = responsible) =>
    (await by.get(`/api/assignments/${id}/occurrences?${query}`)).body
  const none = { overdue: 0, done: 0, excused: 0, left: 0 }
  t.match(await page(''), { counts: { ...none, open: 4 }, today: '2026-12-01' })
  t.match(await page('', lead), { counts: { ...none, open: 3 } }, 'only members of the own team')
  await db.updateTable('users').set({ display_name: 'Zoë Größer' }).where('id', '=', member.id).execute()
  const found = await page('q=ZO%C3%8B%20gr%C3%B6&state=open,in_progress')
  t.match(found.occurrences, [{ user: { id: member.id }, personal_open: true }])
  t.equal(found.occurrences.length, 1)
  t.strictSame((await page('overdue=true')).occurrences, [])
  t.equal((await responsible.get(`/api/assignments/${id}/occurrences?state=open,lost`)).status, 400)
  t.match(await page('q=a%00'), { occurrences: { length: 0 }, counts: { open: 4 } }, 'text that PostgreSQL cannot hold')
  const table = await responsible.get(`/api/assignments/${id}/occurrences.csv?q=a%00`)
  t.match([table.status, table.text.split('\r\n').length], [200, 2], 'only the headings')

  const [own] = (await page('')).occurrences.filter(({ user }: { user: { id: number } }) => user.id === lead.id)
  const held = { held_on: '2026-12-01', ids: [own.id] }
  t.strictSame(
    (await lead.post('/api/assignments/occurrences/confirm-personal', held)).body,
    errorBody(403, 'Deinen eigenen persönlichen Teil bestätigt eine andere Person'),
  )
  t.equal((await responsible.post('/api/assignments/occurrences/confirm-personal', held)).status, 200)
  t.match(
    (await page('')).occurrences.filter(({ user }: { user: { id: number } }) => user.id === lead.id),
    [{ state: 'in_progress', personal_open: false }],
  )
  t.match(await seenBy(admin), { parts_in_use: true, changed_parts: { length: 0 } })
  now = new Date('2027-01-02T10:00:00Z')
  t.match((await page('overdue=true', await onDay('2027-01-02', await nameOf(responsible.id)))).occurrences.length, 4)
  await db
    .updateTable('cheatsheets')
    .set({ updated_at: new Date('2099-01-01') })
    .where('slug', '=', sheet.slug)
    .execute()
  t.match((await (await onDay('2027-01-02')).get(`/api/assignments/${id}`)).body.assignment.changed_parts, [
    { part: 0, changed_at: '2099-01-01T00:00:00.000Z' },
  ])
})

t.test("a list to sign contains the persons who have not finished; for a lead, only the team's members", async (t) => {
  const [lead, member, outsider] = [await service.member(), await service.member(), await service.member()]
  const done = await service.member()
  const team = await createTeam(db, { members: [member.id], leads: [lead.id] })
  const sheet = await sheetPart(db)
  const audience = { team_ids: [team], user_ids: [outsider.id, done.id] }
  const id = await assign({ title: 'Erste Hilfe', parts: [sheet], audience })
  await post(done, (await mine(done, id))[0].id, 'confirm', { part: 0 })
  const listed = async (by: Caller, query = '') => {
    const url = `/api/assignments/${id}/list.pdf${query}`
    const { statusCode, headers, rawPayload } = await service.app.inject({ url, headers: { cookie: by.cookie } })
    t.match([statusCode, headers['content-type']], [200, 'application/pdf'])
    t.match(headers['content-disposition'], 'attachment; filename="teilnahmeliste-2026-12-01.pdf"')
    return rawPayload.toString('latin1').match(/\/S \/TR\b/g)?.length
  }
  t.equal(await listed(admin), 4, 'a header, the lead, the member and the outsider')
  t.equal(await listed(admin, '?state=done'), 2)
  t.equal(await listed(lead), 3)
  const url = `/api/assignments/${id}/list.pdf`
  const english = await service.app.inject({ url, headers: { cookie: admin.cookie, 'accept-language': 'en' } })
  t.match(english.headers, { 'content-disposition': /participants-2026-12-01\.pdf/, vary: 'Accept-Language, Cookie' })
  t.ok(english.rawPayload.includes('/Lang (en-GB)'))
  const named = await service.app.inject({ url: `${url}?lang=de`, headers: { cookie: admin.cookie } })
  t.ok(named.rawPayload.includes('/Lang (de-DE)'), 'the language that the request names')
  const refused = errorBody(403, 'Das sehen nur die verantwortliche Person und die Leitung des Teams')
  t.strictSame((await member.get(`/api/assignments/${id}/list.pdf`)).body, refused)
  t.equal((await admin.get(`/api/assignments/${id}/list.pdf?state=x`)).status, 400)
  const views = () =>
    db
      .selectFrom('audit_log')
      .select(['actor_id', 'details'])
      .where('action', '=', 'assignment.view')
      .where('target_id', '=', id)
      .orderBy('id')
      .execute()
  const day = '2026-12-01'
  const first = [
    { actor_id: admin.id, details: { day } },
    { actor_id: lead.id, details: { day, teams: [team] } },
  ]
  t.strictSame(await views(), first, 'recorded once a day for each person')
  const second = await createTeam(db, { members: [outsider.id], leads: [lead.id] })
  t.equal(await listed(lead), 4)
  t.strictSame(
    await views(),
    [...first, { actor_id: lead.id, details: { day, teams: [team, second] } }],
    'recorded again for other teams',
  )
})

t.test('a list to sign is refused for more than 1,000 occurrences, also of one person', async (t) => {
  const learner = await service.member()
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [learner.id] } })
  await sql`
    insert into occurrences (assignment_id, user_id, period, due_on, content_version, counts_from, state, missed_at)
    select assignment_id, user_id, period - number, due_on, content_version, counts_from, 'missed', counts_from
    from occurrences cross join generate_series(1, 1000) as number
    where assignment_id = ${id}`.execute(db)
  t.strictSame(
    (await admin.get(`/api/assignments/${id}/list.pdf?state=open,missed`)).body,
    errorBody(409, 'Eine Liste fasst höchstens 1.000 Fristen; grenze sie mit dem Stand ein'),
  )
})

t.test('the list is paged by name', async (t) => {
  const persons = [await service.member(), await service.member(), await service.member()]
  for (const [index, display_name] of ['Özlem', 'zoe', 'Anna'].entries()) {
    const { id = 0 } = persons[index] ?? {}
    await db.updateTable('users').set({ display_name }).where('id', '=', id).execute()
  }
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: persons.map((person) => person.id) } })
  const firstDay = await db.selectFrom('occurrences').selectAll().where('assignment_id', '=', id).execute()
  await db
    .insertInto('occurrences')
    .values(firstDay.map(({ id, ...row }) => ({ ...row, period: '2025-12-01' })))
    .execute()
  const seen: string[] = []
  for (let after: number | '' | null = ''; after !== null; ) {
    const { body } = await admin.get(`/api/assignments/${id}/occurrences?limit=1&after=${after}`)
    for (const { user, period } of body.occurrences) seen.push(`${user.display_name} ${period.slice(0, 4)}`)
    after = body.next_after
  }
  t.strictSame(seen, ['Anna 2026', 'Anna 2025', 'Özlem 2026', 'Özlem 2025', 'zoe 2026', 'zoe 2025'])
  const other = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [persons[0]?.id ?? 0] } })
  const [foreign] = await occurrencesOf(other)
  const refused = await admin.get(`/api/assignments/${id}/occurrences?after=${foreign.id}`)
  t.strictSame(refused.body, errorBody(400, 'Der Parameter „after“ ist ungültig'))
  await db
    .updateTable('users')
    .set({ disabled_on: '2026-12-01' })
    .where('id', '=', persons[0]?.id ?? 0)
    .execute()
  t.strictSame((await admin.get(`/api/assignments/${id}/occurrences?state=left`)).body.occurrences, [])
  t.match(
    (await occurrencesOf(id)).filter(({ state }: { state: string }) => state === 'left'),
    [{ user: { id: persons[0]?.id } }],
    'of a person with a disabled account',
  )
})

t.test('persons join, leave and return', async (t) => {
  const [member, joiner] = [await service.member(), await service.member()]
  const team = await createTeam(db, { members: [member.id] })
  const id = await assign({ parts: [await sheetPart(db)], audience: { team_ids: [team] } })
  t.match(await occurrencesOf(id), [{ user: { id: member.id }, due: '2026-12-31' }])
  const later = await onDay('2026-12-20')
  await later.send({ method: 'PUT', url: `/api/teams/${team}/members/${joiner.id}`, payload: { role: 'member' } })
  t.match(await occurrencesOf(id, later), [{ user: { id: member.id } }, { user: { id: joiner.id }, due: '2027-01-19' }])
  await later.delete(`/api/teams/${team}/members/${member.id}`)
  const next = await onDay('2026-12-21')
  t.match(await occurrencesOf(id, next), [{ state: 'left' }, { state: 'open' }])
  const own = await mine(await onDay('2026-12-21', await nameOf(member.id)), id)
  t.match(own, [{ state: 'left', parts: [{ state: 'closed' }] }])
  const [left] = await occurrencesOf(id, next)
  t.equal((await post(next, left.id, 'extend', { reason: 'x', until: '2027-05-01' })).status, 409)
  const back = await onDay('2027-02-01')
  await back.send({ method: 'PUT', url: `/api/teams/${team}/members/${member.id}`, payload: { role: 'member' } })
  t.match(await occurrencesOf(id, back), [{ id: left.id, state: 'open', due: '2027-03-03' }, {}])
})

t.test('a renewal restarts open occurrences and makes finished ones due again', async (t) => {
  const [done, open] = [await service.member(), await service.member()]
  const parts = [await sheetPart(db), await sheetPart(db)]
  const id = await assign({ parts, audience: { user_ids: [done.id, open.id] } })
  const [finished] = await mine(done, id)
  for (const part of [0, 1]) await post(done, finished.id, 'confirm', { part })
  const [started] = await mine(open, id)
  await post(open, started.id, 'confirm', { part: 0 })
  const [name, openName] = [await nameOf(done.id), await nameOf(open.id)]
  const later = await onDay('2026-12-10')
  t.match((await later.post(`/api/assignments/${id}/renew`)).body.assignment, { id, version: 1, renewals: 1 })
  t.match(await mine(await onDay('2026-12-10', name), id), [
    { period: '2026-12-10', state: 'open', due: '2027-01-09' },
    { id: finished.id, state: 'done' },
  ])
  t.match(await mine(await onDay('2026-12-10', openName), id), [
    { id: started.id, state: 'open', parts: [{ state: 'open' }, { state: 'open' }] },
  ])
  t.equal((await later.post('/api/assignments/999999/renew')).status, 404)
})

t.test('a personal part held before the renewal does not count', async (t) => {
  const learner = await service.member()
  const parts = [{ kind: 'personal', title: 'Rundgang' }]
  const id = await assign({ parts, audience: { user_ids: [learner.id] } })
  const [open] = await mine(learner, id)
  const later = await onDay('2026-12-10')
  await later.post(`/api/assignments/${id}/renew`)
  const confirm = (held_on: string) =>
    later.post('/api/assignments/occurrences/confirm-personal', { ids: [open.id], held_on })
  t.match(await confirm('2026-12-09'), { status: 400, headers: { 'x-error-code': 'held_too_early' } })
  t.equal((await confirm('2026-12-10')).status, 200)
})

t.test('a deck is learnt with the cards that it still has', async (t) => {
  const learner = await service.member()
  const [deck, other] = [await createDeck(db), await createDeck(db)]
  const cards: number[] = []
  for (let count = 0; count < 4; count++) cards.push((await createCard(db, { deck_id: deck.id })).id)
  const [moved, kept] = [cards.slice(0, 2), cards.slice(2)]
  const id = await assign({ parts: [{ kind: 'deck', slug: deck.slug }], audience: { user_ids: [learner.id] } })
  for (const card_id of moved) await learner.post('/api/review', { card_id, rating: 'easy' })
  await db.updateTable('cards').set({ deck_id: other.id }).where('id', 'in', moved).execute()
  t.match(await mine(learner, id), [{ state: 'open' }])
  for (const card_id of kept) await learner.post('/api/review', { card_id, rating: 'easy' })
  t.match(await mine(learner, id), [{ state: 'done' }])
})

t.test('a change of the content is reported until it is declared a correction or a renewal', async (t) => {
  const sheet = await sheetPart(db)
  const id = await assign({ parts: [sheet], audience: { user_ids: [admin.id] } })
  const url = `/api/assignments/${id}`
  const change = async (at: string) => {
    await db
      .updateTable('cheatsheets')
      .set({ updated_at: sql<Date>`${at}::timestamptz` })
      .where('slug', '=', sheet.slug)
      .execute()
  }
  const changes = async () => (await admin.get(url)).body.assignment.changed_parts
  t.strictSame(await changes(), [])
  await change('2099-01-01T08:00:00.123456Z')
  const [{ changed_at }] = await changes()
  t.equal(changed_at, '2099-01-01T08:00:00.123Z')
  const later = await onDay('2099-02-01')
  await later.post(`${url}/correction`, { changed_at })
  t.strictSame(await changes(), [])
  await change('2099-01-01T08:00:01Z')
  t.match(await changes(), [{ part: 0 }], 'a later change is reported')
  await change('2099-03-01T08:00:00Z')
  await admin.post(`${url}/correction`, { changed_at: '2199-01-01T00:00:00Z' })
  t.match(await changes(), [{ part: 0 }], 'a time in the future counts as now')
  t.match((await admin.get('/api/accounts/audit?action=assignment.correct')).body.entries, [{ target_id: id }, {}])
  t.strictSame((await mine(admin, id)).length, 1, 'no occurrence is due again')
  for (const body of [{}, { changed_at: 'gestern' }, { changed_at: 5 }]) {
    t.equal((await admin.post(`${url}/correction`, body)).status, 400)
  }
  t.equal((await admin.post('/api/assignments/999999/correction', { changed_at })).status, 404)
})

t.test('authors assign content of their sources to teams that they lead', async (t) => {
  const source = await createSource(db)
  const author = await createEditor(service, source)
  const member = await service.member()
  const [team, other] = [await createTeam(db, { members: [member.id], leads: [author.id] }), await createTeam(db, {})]
  const [test, foreign] = [await assignedTest(db, source), await assignedTest(db)]
  const values = { ...ASSIGNMENT, parts: [{ kind: 'test', slug: test.slug }], audience: { team_ids: [team] } }
  const tryTo = async (change: object, by: Caller = author) => {
    const { status, body } = await by.post('/api/assignments', { ...values, ...change })
    return [status, body.message]
  }
  const teamsOnly = [403, 'Als Autor gibst du Aufgaben nur den Teams, die du leitest']
  t.strictSame(await tryTo({ audience: { team_ids: [team, other] } }), teamsOnly)
  t.strictSame(await tryTo({ audience: { everybody: true } }), teamsOnly)
  t.strictSame(await tryTo({ audience: { user_ids: [member.id] } }), teamsOnly)
  t.match(await tryTo({ parts: [{ kind: 'test', slug: foreign.slug }] }), [403])
  t.match(await tryTo({}, member), [403, 'Aufgaben geben nur Administratoren und Autoren'])
  const id = await assign(values, author)
  t.match(await mine(member, id), [{ state: 'open' }])
  t.match((await author.get('/api/assignments')).body.assignments, [{ id, responsible_id: author.id }])
  t.equal((await author.patch(`/api/assignments/${id}`, { title: 'Neu' })).body.assignment.title, 'Neu')
  t.strictSame((await author.patch(`/api/assignments/${id}`, { audience: { everybody: true } })).status, 403)
  const others = await assign({ ...values })
  for (const [method, url] of [
    ['PATCH', `/api/assignments/${others}`],
    ['DELETE', `/api/assignments/${others}`],
    ['POST', `/api/assignments/${others}/renew`],
    ['POST', `/api/assignments/${others}/correction`],
  ] as const) {
    const refused = errorBody(403, 'Diese Aufgabe ändern nur Administratoren und wer sie angelegt hat')
    t.strictSame(
      (await author.send({ method, url, payload: { changed_at: '2026-12-01T08:00:00Z' } })).body,
      refused,
      method,
    )
  }
})

t.test('tells how many persons an audience has today, each once, and the first names', async (t) => {
  const lead = await createEditor(service, await createSource(db))
  const named = async (display_name: string) => {
    const person = await service.member()
    await db.updateTable('users').set({ display_name }).where('id', '=', person.id).execute()
    return person
  }
  const [cem, ada, bo, dora] = [await named('Cem'), await named('Ada'), await named('Bo'), await named('Dora')]
  const [team, other] = [
    await createTeam(db, { leads: [lead.id], members: [cem.id, ada.id] }),
    await createTeam(db, { members: [ada.id, bo.id, dora.id] }),
  ]
  await db.updateTable('users').set({ display_name: 'Zoë' }).where('id', '=', lead.id).execute()
  const reach = async (audience: object, by: Caller = admin) =>
    (await by.post('/api/assignments/reach', { audience })).body
  t.strictSame(await reach({ team_ids: [team, other], user_ids: [ada.id, dora.id] }), {
    persons: 5,
    names: ['Ada', 'Bo', 'Cem'],
  })
  t.strictSame(await reach({ team_ids: [team] }, lead), { persons: 3, names: ['Ada', 'Cem', 'Zoë'] })
  const refused = errorBody(403, 'Als Autor gibst du Aufgaben nur den Teams, die du leitest')
  for (const audience of [{ team_ids: [team, other] }, { everybody: true }, { user_ids: [ada.id] }]) {
    t.strictSame(await reach(audience, lead), refused)
  }
  t.strictSame((await lead.post('/api/assignments/reach', { audience: { team_ids: [team] }, parts: [null] })).body, {
    persons: 3,
    names: ['Ada', 'Cem', 'Zoë'],
  })
  t.strictSame(await reach({}), errorBody(400, 'Das Feld „audience“ muss jemanden nennen'))
  await db.updateTable('users').set({ disabled_on: '2026-12-01' }).where('id', '=', ada.id).execute()
  await db.updateTable('team_members').set({ until_on: '2026-12-01' }).where('user_id', '=', dora.id).execute()
  t.strictSame(await reach({ team_ids: [other], user_ids: [ada.id, 2 ** 31 - 1] }), { persons: 1, names: ['Bo'] })
  const { count } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('disabled_on', 'is', null)
    .executeTakeFirstOrThrow()
  t.equal((await reach({ everybody: true })).persons, Number(count))
})

t.test('refuses assignments that cannot be planned', async (t) => {
  const parts = [await sheetPart(db)]
  const values = { ...ASSIGNMENT, parts, audience: { user_ids: [admin.id] } }
  const statusOf = async (change: object) => (await admin.post('/api/assignments', { ...values, ...change })).status
  for (const change of [
    ...[
      { title: ' ' },
      { starts: '2026-02-30' },
      { starts: '1999-01-01' },
      { due: '2026-11-30' },
      { due: { days_after_start: -1 } },
    ],
    ...[
      { audience: {} },
      { audience: { user_ids: [999_999] } },
      { audience: { team_ids: [999_999] } },
      { responsible_id: 999_999 },
    ],
    ...[{ parts: [] }, { parts: [{ kind: 'personal' }] }, { parts: [{ kind: 'sheet' }] }, { retention_years: 0 }],
    ...[{ recurrence: { every_months: 0 } }, { recurrence: { every_months: 1, opens_days_before: 15 } }],
    ...[
      { recurrence: { every_months: 12, window_end: '02-30' } },
      { recurrence: { every_months: 5, window_end: '03-31' } },
    ],
  ]) {
    t.equal(await statusOf(change), 400, JSON.stringify(change))
  }
  for (const kind of ['sheet', 'test', 'deck']) {
    t.equal(await statusOf({ parts: [{ kind, slug: 'gibt-es-nicht' }] }), 404, kind)
  }
  const id = await assign(values)
  const [occurrence] = await mine(admin, id)
  t.equal((await admin.patch(`/api/assignments/${id}`, { parts: [...parts, ...parts] })).status, 200)
  t.equal((await admin.patch(`/api/assignments/${id}`, { parts })).status, 200)
  await post(admin, occurrence.id, 'confirm', { part: 0 })
  t.equal(
    (await admin.patch(`/api/assignments/${id}`, { parts, mandatory: false })).status,
    200,
    'an update with the same parts',
  )
  t.match((await admin.patch(`/api/assignments/${id}`, { parts: [...parts, ...parts] })).body, { statusCode: 409 })
  t.equal((await admin.patch('/api/assignments/999999', {})).status, 404)
})

t.test('an update ignores unknown keys', async (t) => {
  const id = await assign({ parts: [await sheetPart(db)], audience: { everybody: true } })
  const { status, body } = await admin.send({
    method: 'PATCH',
    url: `/api/assignments/${id}`,
    headers: { 'content-type': 'application/json' },
    payload: '{"__proto__":{"is_admin":true},"id":7,"title":" Brandschutz 2027 "}',
  })
  t.equal(status, 200)
  t.match(body, { assignment: { id, title: 'Brandschutz 2027' } })
})

t.test('a deleted assignment disappears, but finished occurrences stay with their persons', async (t) => {
  const [done, open] = [await service.member(), await service.member()]
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [done.id, open.id] } })
  const [finished] = await mine(done, id)
  await post(done, finished.id, 'confirm', { part: 0 })
  t.strictSame((await admin.delete(`/api/assignments/${id}`)).body, { ok: true })
  t.strictSame((await admin.delete(`/api/assignments/${id}`)).body, { ok: true }, 'again')
  t.match(await mine(done, id), [{ state: 'done' }])
  t.strictSame(await mine(open, id), [])
  t.equal((await admin.get(`/api/assignments/${id}`)).status, 404)
  const unfinished = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [open.id] } })
  await admin.delete(`/api/assignments/${unfinished}`)
  t.strictSame(await db.selectFrom('assignments').select('id').where('id', '=', unfinished).execute(), [])
})

t.test('a deletion keeps an occurrence whose last part was just finished', async (t) => {
  const learner = await service.member()
  const deck = await createDeck(db)
  const card = await createCard(db, { deck_id: deck.id })
  const id = await assign({ parts: [{ kind: 'deck', slug: deck.slug }], audience: { user_ids: [learner.id] } })
  await learner.post('/api/review', { card_id: card.id, rating: 'easy' })
  t.strictSame((await admin.delete(`/api/assignments/${id}`)).body, { ok: true })
  t.match(await mine(learner, id), [{ state: 'done', proof_code: String }])
})
