import { hash } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { deleteExpiredCertificates } from '../../src/services/jobs/delete-certificates.js'
import { ASSIGNMENT, assignedTest, createTeam, sheetPart, takeTest } from '../support/assignments.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const now = new Date('2026-12-05T10:00:00Z')
const service = await startService(t, { now: () => now, config: { companyName: 'Muster GmbH' } })
const { db, database } = service
const abroad = await startService(t, {
  now: () => now,
  database,
  config: { defaultLanguage: 'en', corsOrigins: ['https://app.example.org'] },
})
const admin = await service.admin()

interface Shown {
  id: number
  state: string
  proof_code: string | null
}

async function assign(values: object): Promise<number> {
  const { status, body } = await admin.post('/api/assignments', { ...ASSIGNMENT, ...values })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.assignment.id
}
const mine = async (caller: Caller, id: number): Promise<Shown> =>
  (await caller.get('/api/assignments/mine')).body.occurrences.find(
    ({ assignment }: { assignment: { id: number } }) => assignment.id === id,
  )
const confirm = (caller: Caller, occurrence: number) =>
  caller.post(`/api/assignments/occurrences/${occurrence}/confirm`, { part: 0 })
const verify = (code: string | null) => service.anonymous.get(`/api/proofs/verify/${code}`)

async function complete(values: object = {}) {
  const person = await service.member()
  const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [person.id] }, ...values })
  await confirm(person, (await mine(person, id)).id)
  const { proof_code } = await mine(person, id)
  return { person, id, code: proof_code as string }
}

t.test('a proof of a completed assignment contains the confirmed text', async (t) => {
  const person = await service.member()
  const test = await assignedTest(db)
  const sheet = await sheetPart(db)
  const parts = [sheet, { kind: 'test', slug: test.slug }, { kind: 'personal', title: 'Rundgang' }]
  const recurrence = { every_months: 12, opens_days_before: 30 }
  const id = await assign({ title: 'Brandschutz', parts, audience: { user_ids: [person.id] }, recurrence })
  const open = await mine(person, id)
  t.equal(open.proof_code, null)
  const text = await db.selectFrom('cheatsheets').selectAll().where('slug', '=', sheet.slug).executeTakeFirstOrThrow()
  await confirm(person, open.id)
  await sql`update cheatsheets set content_md = 'Später geändert.' where slug = ${sheet.slug}`.execute(db)
  // Sets the time explicitly, because the database does not use the simulated clock.
  await sql`update sheet_versions set superseded_at = '2026-12-05T11:00:00Z' where cheatsheet_id = ${text.id}`.execute(
    db,
  )
  await takeTest(person, test.slug, true)
  const held = { ids: [open.id], held_on: '2026-12-04', note: 'Halle 3' }
  t.match(await admin.post('/api/assignments/occurrences/confirm-personal', held), { status: 200 })
  const done = await mine(person, id)
  t.equal(done.state, 'done')
  t.match(done.proof_code, /^[0-9A-HJKMNP-TV-Z]{26}$/)

  const { status, body, headers } = await verify(done.proof_code)
  t.equal(status, 200)
  t.match(headers, { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
  const { display_name } = await db
    .selectFrom('users')
    .select('display_name')
    .where('id', '=', person.id)
    .executeTakeFirstOrThrow()
  t.match(body.proof, {
    code: done.proof_code,
    name: display_name,
    title: 'Brandschutz',
    issuer: 'Muster GmbH',
    completed_on: '2026-12-05',
    for_period: null,
    valid_until: '2027-12-05',
    revoked_at: null,
    replaced_by: null,
    replaces: null,
    parts: [
      { kind: 'sheet', title: text.title, done_on: '2026-12-05', version: 1, confirmed_by: null },
      { kind: 'test', done_on: '2026-12-05', version: 1 },
      { kind: 'personal', title: 'Rundgang', done_on: '2026-12-04', version: null, confirmed_by: /./ },
    ],
  })
  const { snapshot } = await db
    .selectFrom('proofs')
    .select('snapshot')
    .where('code', '=', done.proof_code as string)
    .executeTakeFirstOrThrow()
  t.equal(JSON.parse(snapshot).parts[0].sha256, hash('sha256', `${text.title}\n${text.content_md}`))
  t.notMatch(snapshot, /score|points|answer/i)
  t.strictSame(Object.keys(JSON.parse(snapshot)), Object.keys(JSON.parse(snapshot)).toSorted(), 'canonical')
})

t.test(
  'a proof freezes the personnel number, which is not public, and says for which period it came late',
  async (t) => {
    const person = await service.member()
    await db.updateTable('users').set({ personnel_number: '00417' }).where('id', '=', person.id).execute()
    const values = { starts: '2026-11-01', due: '2026-12-04', recurrence: { every_months: 12, window_end: '12-04' } }
    const id = await assign({ parts: [await sheetPart(db)], audience: { user_ids: [person.id] }, ...values })
    await confirm(person, (await mine(person, id)).id)
    const code = (await mine(person, id)).proof_code as string
    const { snapshot } = await db
      .selectFrom('proofs')
      .select('snapshot')
      .where('code', '=', code)
      .executeTakeFirstOrThrow()
    t.match(JSON.parse(snapshot), { format: 3, issuer: 'Muster GmbH', personnel_number: '00417' })
    const { text, body } = await verify(code)
    t.notMatch(text, '00417')
    t.match(body.proof, { for_period: { from: '2026-11-01', to: '2026-12-04' }, valid_until: '2027-12-04' })
    t.match((await admin.get('/api/proofs/export?purpose=Audit')).text, ';00417;')
  },
)

t.test('a second request creates no second proof', async (t) => {
  const { person, id, code } = await complete()
  await Promise.all(Array.from({ length: 8 }, () => mine(person, id)))
  const codes = await db.selectFrom('proofs').select('code').where('user_id', '=', person.id).execute()
  t.strictSame(codes, [{ code }])
})

t.test('a proof is found only by its complete code', async (t) => {
  const { code } = await complete()
  const typed = `${code.slice(0, 4)}-${code.slice(4, 9)} ${code.slice(9)}`.toLowerCase()
  t.match(await verify(encodeURIComponent(typed)), { status: 200, body: { proof: { code } } })
  const missing = errorBody(404, 'Diesen Nachweis gibt es nicht')
  for (const [at, letter] of [...code].entries()) {
    const other = `${code.slice(0, at)}${letter === '0' ? '1' : '0'}${code.slice(at + 1)}`
    t.strictSame((await verify(other)).body, missing, `letter ${at}`)
  }
  for (const wrong of ['x', code.slice(1), `${code}0`, `${code.slice(0, -1)}U`, '%00', '..%2fmine']) {
    t.strictSame((await verify(wrong)).body, missing, wrong)
  }
})

t.test('the owner gets the PDF of a proof, always with the same bytes, and other learners do not', async (t) => {
  const { person, code } = await complete()
  const url = `/api/proofs/${code}.pdf`
  const download = () => service.app.inject({ url, headers: { cookie: person.cookie } })
  const [pdf, again] = [await download(), await download()]
  t.match(pdf.headers, { 'content-type': 'application/pdf', 'content-disposition': /nachweis-2026-12-05\.pdf/ })
  t.equal(pdf.rawPayload.subarray(0, 5).toString(), '%PDF-')
  t.ok(pdf.rawPayload.equals(again.rawPayload))
  const english = await service.app.inject({ url: `${url}?lang=en`, headers: { cookie: person.cookie } })
  t.match(english.headers, { 'content-disposition': /certificate-2026-12-05\.pdf/ })
  t.ok(english.rawPayload.includes('/Lang (en-GB)') && pdf.rawPayload.includes('/Lang (de-DE)'))
  t.equal(english.headers.vary, undefined)
  t.equal(pdf.headers.vary, 'Accept-Language, Cookie')
  const tagFor = async (language: 'de' | 'en' | null, accepted: string, query = '') => {
    await person.patch('/api/accounts/me', { language })
    const headers = { cookie: person.cookie, 'accept-language': accepted }
    const { rawPayload } = await service.app.inject({ url: url + query, headers })
    return /\/Lang \(([\w-]+)\)/.exec(rawPayload.toString('latin1'))?.[1]
  }
  t.equal(await tagFor(null, 'en-US,de;q=0.5'), 'en-GB', 'the language of the browser')
  t.equal(await tagFor(null, 'tr'), 'de-DE', 'that of the service')
  t.equal(await tagFor('en', 'de'), 'en-GB', 'the setting')
  t.equal(await tagFor('en', 'de', '?lang=de'), 'de-DE', 'the one that the request names')
  await person.patch('/api/accounts/me', { language: null })
  const there = await abroad.app.inject({ url, headers: { cookie: person.cookie } })
  t.ok(there.rawPayload.includes('/Lang (en-GB)'), 'DEFAULT_LANGUAGE=en')
  t.equal(there.headers.vary, 'Origin, Accept-Language, Cookie')
  t.match(await person.get(`${url}?lang=fr`), { status: 400, headers: { 'x-error-field': 'lang' } })
  const missing = errorBody(404, 'Diesen Nachweis gibt es nicht')
  t.strictSame((await (await service.member()).get(url)).body, missing)
  t.strictSame((await person.get('/api/proofs/mine')).body, {
    proofs: [
      {
        code,
        title: ASSIGNMENT.title,
        completed_on: '2026-12-05',
        issued_at: now.toISOString(),
        valid_until: null,
        revoked_at: null,
        replaced_by: null,
      },
    ],
    next_after: null,
    next_before: null,
  })
})

t.test('the database refuses changes of a proof', async (t) => {
  const { code } = await complete()
  for (const change of [
    sql`snapshot = replace(snapshot, 'a', 'b')`,
    sql`completed_on = '2020-01-01'`,
    sql`code = 'AAAAAAAAAAAAAAAAAAAAAAAAAA'`,
    sql`user_id = user_id + 1`,
  ]) {
    await t.rejects(sql`update proofs set ${change} where code = ${code}`.execute(db), /a proof cannot be changed/)
  }
})

t.test('administrators revoke a proof with a reason, once', async (t) => {
  const { code } = await complete()
  const other = await complete()
  const revoke = (caller: Caller, reason: string) => caller.post(`/api/proofs/${code}/revoke`, { reason })
  t.equal((await revoke(admin, ' ')).status, 400)
  t.strictSame((await revoke(admin, 'Falsche Person')).body, { ok: true })
  t.strictSame((await revoke(admin, 'Noch einmal')).body, errorBody(409, 'Dieser Nachweis ist schon widerrufen'))
  t.equal((await verify(code)).body.proof.revoked_at, now.toISOString())
  t.equal((await verify(other.code)).body.proof.revoked_at, null, 'other proofs stay valid')
  t.match(await lastAudit('proof.revoke'), { details: { reason: 'Falsche Person' } })
})

t.test('a wrong name is corrected by a proof that replaces the first one', async (t) => {
  const { person, id, code } = await complete()
  const correct = () => admin.post(`/api/proofs/${code}/correct-name`)
  t.equal((await correct()).status, 409, 'a correction to the same name')
  await admin.send({ method: 'PATCH', url: `/api/accounts/${person.id}`, payload: { display_name: 'Lena Groß' } })
  const { body } = await correct()
  t.match((await verify(code)).body.proof, { replaced_by: body.code, replaces: null })
  t.match((await verify(body.code)).body.proof, { name: 'Lena Groß', replaced_by: null, replaces: code })
  t.equal((await mine(person, id)).proof_code, body.code)
  t.strictSame((await correct()).body, errorBody(409, 'Dieser Nachweis ist schon ersetzt'))
})

t.test('administrators export all proofs for a stated purpose', async (t) => {
  const { code } = await complete({ title: '=HYPERLINK("x")' })
  t.equal((await admin.get('/api/proofs/export')).status, 400)
  t.equal((await admin.get('/api/proofs/export?purpose=%20')).status, 400)
  const { headers, text } = await admin.get('/api/proofs/export?purpose=Audit%202026')
  t.match(headers, { 'content-type': 'text/csv; charset=utf-8' })
  t.ok(text.startsWith('\ufeffName;Personalnummer;Benutzername;Aufgabe;'))
  const row = text.split('\r\n').find((line) => line.includes(code))
  t.match(row, `;"'=HYPERLINK(""x"")";2026-12-`)
  t.match(await lastAudit('proof.export'), { details: { purpose: 'Audit 2026' } })
})

t.test('users see who viewed their state and exported their proofs', async (t) => {
  const [lead, others, later] = [await service.member(), await service.member(), await service.member()]
  const [member, outsider] = [await service.member(), await service.member()]
  const team = await createTeam(db, { members: [member.id], leads: [lead.id] })
  const other = await createTeam(db, { members: [outsider.id], leads: [others.id] })
  const parts = [await sheetPart(db)]
  const audience = { team_ids: [team, other] }
  const id = await assign({ title: 'Erste Hilfe', parts, audience })
  await confirm(member, (await mine(member, id)).id)
  for (const caller of [admin, lead, others, admin]) await caller.get(`/api/assignments/${id}/occurrences`)
  await admin.get('/api/proofs/export?purpose=Audit%202027')
  // Sets the times explicitly, because the database does not use the simulated clock.
  await sql`update audit_log set at = '2026-12-01'`.execute(db)
  await sql`update audit_log set at = '2026-12-06' where details ->> 'purpose' = 'Audit 2027'`.execute(db)
  const seenBy = async (caller: Caller, query = '') => (await caller.get(`/api/accounts/me/accesses${query}`)).body
  const nameOf = async ({ id }: Caller & { id: number }) =>
    (await db.selectFrom('users').select('display_name').where('id', '=', id).executeTakeFirstOrThrow()).display_name
  const view = { kind: 'view', title: 'Erste Hilfe', purpose: null }
  const { accesses } = await seenBy(member)
  t.match(accesses, [
    { kind: 'export', title: null, purpose: 'Audit 2027', actor: await nameOf(admin) },
    { ...view, actor: await nameOf(lead) },
    { ...view, actor: await nameOf(admin) },
  ])
  t.equal(accesses.length, 3)
  t.match((await seenBy(member, '?limit=1')).next_before, accesses[0].id)
  t.match((await seenBy(member, `?limit=1&before=${accesses[0].id}`)).accesses, [{ id: accesses[1].id }])
  t.strictSame(
    (await seenBy(outsider)).accesses.map(({ actor }: { actor: string }) => actor),
    [await nameOf(others), await nameOf(admin)],
    'a view without a proof is listed; the lead of another team is not',
  )
  t.strictSame((await seenBy(later)).accesses, [])
  await admin.send({ method: 'DELETE', url: `/api/admin/users/${lead.id}` })
  const { username } = await db
    .selectFrom('audit_log')
    .select('actor as username')
    .where('actor_id', '=', lead.id)
    .executeTakeFirstOrThrow()
  t.equal((await seenBy(member)).accesses[1].actor, username, 'for a deleted account, the user name')
})

t.test('proofs outlive the account until their retention is over', async (t) => {
  const gone = await complete({ retention_years: 2 })
  const staying = await complete({ retention_years: 2 })
  const disabled = await complete({ retention_years: 3 })
  await admin.send({ method: 'DELETE', url: `/api/admin/users/${gone.person.id}` })
  await admin.send({
    method: 'PATCH',
    url: `/api/accounts/${disabled.person.id}`,
    payload: { disabled_on: '2026-12-05' },
  })
  t.equal((await verify(gone.code)).status, 200)
  t.strictSame(await deletionDays(gone.code, staying.code, disabled.code), [null, null, null])
  await runOn('2026-12-06')
  t.strictSame(await deletionDays(gone.code, staying.code, disabled.code), ['2028-12-06', null, '2029-12-05'])
  await admin.send({ method: 'PATCH', url: `/api/accounts/${disabled.person.id}`, payload: { disabled_on: null } })
  await runOn('2028-12-06')
  t.strictSame(await deletionDays(gone.code, staying.code, disabled.code), ['2028-12-06', null, null])
  await runOn('2028-12-07')
  t.equal((await verify(gone.code)).status, 404)
  t.equal((await verify(staying.code)).status, 200)
})

t.test('the next proof of the same assignment begins the retention', async (t) => {
  const { person, id, code } = await complete({ retention_years: 2 })
  const first = await db.selectFrom('proofs').selectAll().where('code', '=', code).executeTakeFirstOrThrow()
  const { id: _, person_key: _key, ...values } = first
  const later = { code: 'Z'.repeat(26), occurrence_id: -1, completed_on: '2027-11-30', assignment_id: id }
  await db
    .insertInto('proofs')
    .values({ ...values, ...later })
    .execute()
  await runOn('2027-12-01')
  t.strictSame(await deletionDays(code, later.code), ['2029-11-30', null])
  t.equal((await person.get('/api/proofs/mine?limit=1')).body.next_before > 0, true)
  await admin.post(`/api/proofs/${later.code}/revoke`, { reason: 'Falsche Person' })
  await runOn('2027-12-02')
  t.strictSame(await deletionDays(code, later.code), [null, null], 'a revoked proof does not begin the retention')
})

async function runOn(day: string) {
  const moment = () => ({ at: new Date(`${day}T02:00:00Z`), today: day })
  const { signal } = new AbortController()
  const rest = {
    timeZone: 'Europe/Berlin',
    answersKeepDays: 90,
    defaultLanguage: 'de',
    resultsKeep: 'all',
    signal,
  } as const
  return deleteExpiredCertificates({ db, moment, ...rest, renewLease: async () => {}, onError: () => {} })
}

async function deletionDays(...codes: string[]) {
  const rows = await db.selectFrom('proofs').select(['code', 'delete_after']).where('code', 'in', codes).execute()
  const days = new Map(rows.map(({ code, delete_after }) => [code, delete_after]))
  return codes.map((code) => days.get(code))
}

async function lastAudit(action: string) {
  return db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', action)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
}
