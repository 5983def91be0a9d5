import t from 'tap'
import { exportEnding } from '../../src/services/certificates/search.js'
import { ASSIGNMENT, createTeam, issueCertificate, sheetPart } from '../support/assignments.js'
import { createUser } from '../support/factories.js'
import { type Caller, callerOf, startService } from '../support/service.js'

const service = await startService(t, { now: () => new Date('2026-12-04T10:00:00Z') })
const { app, db } = service
const admin = await service.admin()
const responsible = await service.member()
const { id: auditorId, username } = await createUser(db, { is_auditor: true })
const auditor = { ...(await service.loginAs(username)), id: auditorId }
const [ada, bo] = [await service.member(), await service.member()]

async function assign(title: string, responsible_id: number): Promise<number> {
  const values = { ...ASSIGNMENT, title, parts: [await sheetPart(db)], audience: { user_ids: [ada.id, bo.id] } }
  return (await admin.post('/api/assignments', { ...values, responsible_id })).body.assignment.id
}
const fire = await assign('Brandschutz', responsible.id)
const data = await assign('Datenschutz', admin.id)

const issue = (id: number, userId: number, given: Parameters<typeof issueCertificate>[3]) =>
  issueCertificate(db, { id, title: id === fire ? 'Brandschutz' : 'Datenschutz' }, userId, given)

const open = await issue(fire, ada.id, { name: 'Ada Äpfel', personnel_number: '00417' })
const soon = await issue(fire, bo.id, { name: 'Bo Birne', valid_until: '2027-01-03', completed_on: '2026-01-02' })
const later = await issue(data, bo.id, { name: 'Bo Birne', valid_until: '2027-02-01' })
const past = await issue(data, ada.id, { name: 'Ada Äpfel', valid_until: '2026-12-03' })
const revoked = await issue(data, ada.id, { name: 'Ada Äpfel', valid_until: '2027-12-01' })
await admin.post(`/api/proofs/${revoked}/revoke`, { reason: 'Falsche Person' })

type Row = { code: string }
type Item = { kind: string; person: { display_name: string }; assignment: { id: number }; ends_on: string }
const search = async (query: object, caller: Caller = auditor) => {
  const parameters = new URLSearchParams(query as Record<string, string>).toString()
  return (await caller.get(`/api/proofs?${parameters}`)).body.proofs.map(({ code }: Row) => code)
}

t.test('finds proofs by name, number, person, assignment, team, day and state', async (t) => {
  const team = String(await createTeam(db, { members: [bo.id] }))
  for (const [query, expected] of [
    [{}, [revoked, past, later, soon, open]],
    [{ q: 'äPFEL' }, [revoked, past, open]],
    [{ q: 'A\u0308pfel' }, [revoked, past, open]],
    [{ q: ' 0041 ' }, [open]],
    [{ q: '%' }, []],
    [{ q: 'a\0' }, []],
    [{ person: String(bo.id) }, [later, soon]],
    [{ assignment: String(fire) }, [soon, open]],
    [{ team }, [later, soon]],
    [{ completed_from: '2026-01-02', completed_to: '2026-05-31' }, [soon]],
    [{ completed_from: '2026-01-03' }, [revoked, past, later, open]],
    [{ state: 'revoked' }, [revoked]],
    [{ state: 'expired' }, [past]],
    [{ state: 'valid' }, [later, soon, open]],
    [{ state: 'expiring' }, [soon]],
    [{ state: 'expiring', days: '60' }, [later, soon]],
    [{ state: 'valid', assignment: String(fire), q: 'bo' }, [soon]],
  ] as const) {
    t.strictSame(await search(query), expected, JSON.stringify(query))
  }
  t.strictSame((await auditor.get('/api/proofs?q=0041')).body, {
    proofs: [
      {
        code: open,
        person: { display_name: 'Ada Äpfel', personnel_number: '00417' },
        titles: ['Brandschutz', 'Fluchtwege'],
        completed_on: '2026-06-01',
        valid_until: null,
        revoked_at: null,
      },
    ],
    next_after: null,
  })
  const first = (await auditor.get('/api/proofs?limit=2')).body
  const second = (await auditor.get(`/api/proofs?limit=2&after=${first.next_after}`)).body
  t.strictSame(
    [...first.proofs, ...second.proofs].map(({ code }: Row) => code),
    [revoked, past, later, soon],
  )
  for (const query of ['state=gültig', 'days=31', 'completed_from=gestern', 'person=x', 'limit=1&after=x']) {
    t.equal((await auditor.get(`/api/proofs?${query}`)).status, 400, query)
  }
})

t.test('a responsible person finds and prints proofs of the own assignments only', async (t) => {
  t.strictSame(await search({}, responsible), [soon, open])
  t.strictSame(await search({}, admin), await search({}))
  t.equal((await ada.get('/api/proofs')).status, 403)
  const print = async (caller: Caller, code: string) => (await caller.get(`/api/proofs/${code}.pdf`)).status
  t.strictSame([await print(responsible, open), await print(responsible, later)], [200, 404])
  t.strictSame([await print(auditor, later), await print(admin, later), await print(ada, later)], [200, 200, 404])
  t.equal(await print(bo, later), 200, 'the owner')
  const token = async (scope: string) => {
    const { body } = await admin.post('/api/auth/tokens', { name: scope, scopes: [scope] })
    return callerOf(app, undefined, body.token)
  }
  t.equal(await print(await token('read'), later), 404, 'a token for own data')
  t.equal(await print(await token('admin'), later), 403, 'PDFs need the scope `read`')
  const { assignments } = (await responsible.get('/api/proofs/choices')).body
  t.strictSame(assignments, [{ id: fire, title: 'Brandschutz' }])
})

t.test('a view is recorded once a day and caller, and the persons see it', async (t) => {
  await search({ q: 'x' }, responsible)
  await responsible.get(`/api/proofs/${open}.pdf`)
  const views = await db.selectFrom('audit_log').selectAll().where('action', '=', 'proof.view').execute()
  t.strictSame(
    views.filter(({ actor_id }) => actor_id === responsible.id).map(({ details }) => details),
    [{ day: '2026-12-04', assignments: [fire] }],
  )
  t.equal(views.filter(({ actor_id }) => actor_id === auditor.id).length, 1)
  const actorsOf = async (caller: Caller) => {
    const { accesses } = (await caller.get('/api/accounts/me/accesses')).body
    return accesses.filter(({ kind, title }: { kind: string; title: null }) => kind === 'view' && title === null).length
  }
  t.equal(await actorsOf(ada), 3, 'auditor, responsible person and administrator')
  t.equal(await actorsOf(await service.member()), 0, 'a person without proofs')
})

t.test('lists proofs and open tasks that end soon', async (t) => {
  const list = async (caller: Caller, query = '') => {
    const { items } = (await caller.get(`/api/proofs/expiring${query}`)).body
    return items.map(({ kind, person, assignment, ends_on }: Item) => [
      ...[kind, person.display_name, assignment.id],
      ends_on,
    ])
  }
  const nameOf = async (id: number) =>
    (await db.selectFrom('users').select('display_name').where('id', '=', id).executeTakeFirstOrThrow()).display_name
  for (const caller of [ada, bo]) await caller.get('/api/assignments/mine')
  const tasks = async (assignment: number) => [
    ['task', await nameOf(ada.id), assignment, '2026-12-31'],
    ['task', await nameOf(bo.id), assignment, '2026-12-31'],
  ]
  const proof = ['proof', 'Bo Birne', fire, '2027-01-03']
  t.strictSame(await list(responsible), [...(await tasks(fire)), proof])
  t.strictSame((await list(auditor)).length, 5)
  t.strictSame(await list(auditor, `?assignment=${fire}`), [...(await tasks(fire)), proof])
  t.strictSame(await list(admin, `?assignment=${fire}`), [proof], 'administrators see no state of persons')
  t.strictSame((await list(admin, '?days=60')).length, 4, 'proofs, and tasks that they are responsible for')
  const table = await responsible.get('/api/proofs/expiring.csv')
  t.match(table.text, /^\ufeffArt;Name;Personalnummer;Teams;Aufgabe;Endet am;Nachweis\r\n/)
  t.match(table.text, new RegExp(`Nachweis;Bo Birne;;[^;]*;Brandschutz;2027-01-03;${soon}\r\n$`))
  t.equal((await ada.get('/api/proofs/expiring')).status, 403)
  await issue(fire, bo.id, { name: 'Bo Birne', valid_until: '2028-01-03' })
  t.strictSame(await list(responsible), await tasks(fire), 'a later proof replaces the one that ends')
})

t.test('persons see who looked at their tasks and proofs that end soon, and who exported them for what', async (t) => {
  const [cy, dora, eve] = [await service.member(), await service.member(), await service.member()]
  const values = { ...ASSIGNMENT, title: 'Leitern', parts: [await sheetPart(db)], responsible_id: responsible.id }
  const { id } = (await admin.post('/api/assignments', { ...values, audience: { user_ids: [cy.id, eve.id] } })).body
    .assignment
  await admin.post('/api/assignments', { ...values, title: 'Aufzug', audience: { user_ids: [dora.id] } })
  await issueCertificate(db, { id, title: 'Leitern' }, bo.id, { name: 'Bo Birne', valid_until: '2026-12-20' })
  for (const caller of [cy, dora, eve]) await caller.get('/api/assignments/mine')
  const list = `/api/proofs/expiring?assignment=${id}`
  const table = `/api/proofs/expiring.csv?assignment=${id}`
  const accessesOf = async (caller: Caller) => {
    const { accesses } = (await caller.get('/api/accounts/me/accesses')).body
    return accesses
      .filter(({ title }: { title: string | null }) => title !== null)
      .map(({ kind, title, purpose }: Record<string, string | null>) => [kind, title, purpose])
  }
  const before = (await accessesOf(bo)).length

  for (const _ of [1, 2]) t.equal((await auditor.get(list)).status, 200)
  const view = ['view', 'Leitern', null]
  t.strictSame(await accessesOf(cy), [view], 'a person without a proof, once a day')
  await auditor.get(`/api/assignments/${id}/occurrences`)
  t.strictSame(await accessesOf(cy), [view], 'the same entry as for the state')
  t.equal((await responsible.get(table)).status, 200)
  t.strictSame(await accessesOf(cy), [view, view], 'one for each viewer')

  const refused = await auditor.get(table)
  t.match(refused, { status: 400, headers: { 'x-error-field': 'purpose' } })
  t.equal((await responsible.get(`${table}&purpose=`)).status, 400)
  for (const _ of [1, 2]) t.equal((await auditor.get(`${table}&purpose=Audit`)).status, 200)
  const exported = ['export', 'Leitern', 'Audit']
  t.strictSame(await accessesOf(cy), [exported, exported, view, view], 'every export')
  t.strictSame((await accessesOf(bo)).slice(0, -before), [exported, exported], 'a person with a proof')
  t.strictSame(await accessesOf(dora), [], 'a person of another assignment')

  const ofTeam = ['export', 'Leitern', 'Team']
  const team = await createTeam(db, { members: [cy.id] })
  await issueCertificate(db, { id, title: 'Leitern' }, cy.id, { name: 'Cy', valid_until: '2026-12-20' })
  t.equal((await auditor.get(`${table}&team=${team}&purpose=Team`)).status, 200)
  t.strictSame((await accessesOf(cy)).slice(0, 2), [ofTeam, ofTeam], 'a member with a task and a proof')
  for (const caller of [eve, bo]) t.notMatch(await accessesOf(caller), [ofTeam], 'persons who are not in the team')

  await auditor.get('/api/proofs/expiring')
  t.strictSame(await accessesOf(dora), [['view', 'Aufzug', null]], 'all assignments that are shown')
})

t.test('reads what ends soon in batches, in order, without what is deleted meanwhile', async (t) => {
  const id = await assign('Erste Hilfe', responsible.id)
  for (const caller of [ada, bo]) await caller.get('/api/assignments/mine')
  const proofs: { code: string; ends_on: string }[] = []
  for (let number = 0; number < 600; number++) {
    const ends_on = `2026-12-${28 + (number % 4)}`
    const code = await issueCertificate(db, { id, title: 'Erste Hilfe' }, bo.id, {
      name: 'Bo Birne',
      valid_until: ends_on,
    })
    proofs.push({ code, ends_on })
  }
  // The sort is stable, and the tasks of 31 December follow the proofs of that day.
  proofs.sort((one, other) => one.ends_on.localeCompare(other.ends_on))
  const expected = [...proofs.map(({ code }) => code), '', '']

  const { items, complete } = (await responsible.get(`/api/proofs/expiring?assignment=${id}`)).body
  t.strictSame(
    items.map(({ code }: { code: string | null }) => code ?? ''),
    expected,
  )
  t.equal(complete, true)
  const codesOf = (table: string) =>
    table
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(';').at(-1) ?? '')
  const table = await responsible.get(`/api/proofs/expiring.csv?assignment=${id}`)
  t.match(table.headers, { 'content-type': 'text/csv; charset=utf-8' })
  t.strictSame(codesOf(table.text), expected)

  const actor = { actor_id: auditor.id, actor: username, via: 'session' as const, address: null }
  const tasks = { responsibleId: responsible.id }
  const filter = { assignmentId: id, teamId: undefined, today: '2026-12-04', until: '2027-01-03', purpose: undefined }
  const chunks = await exportEnding(db, actor, { scope: 'all', tasks }, filter)
  const read = [(await chunks.next()).value, (await chunks.next()).value]
  const [first, last] = [proofs[0]?.code ?? '', proofs.at(-1)?.code ?? '']
  await db.deleteFrom('proofs').where('code', 'in', [first, last]).execute()
  await db.deleteFrom('occurrences').where('assignment_id', '=', id).where('user_id', '=', bo.id).execute()
  for await (const chunk of chunks) read.push(chunk)
  t.equal(read.length, 4, 'heading and three batches')
  t.strictSame(
    codesOf(read.join('')),
    expected.slice(0, -1).filter((code) => code !== last),
  )
})
