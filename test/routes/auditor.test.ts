import t from 'tap'
import { ASSIGNMENT, sheetPart } from '../support/assignments.js'
import { createUser } from '../support/factories.js'
import { type Caller, startService } from '../support/service.js'

let now = new Date('2026-12-04T10:00:00Z')
const service = await startService(t, { now: () => now, config: { trustProxy: ['127.0.0.1'] } })
const { db } = service
const admin = await service.admin()
const person = await service.member()
const headers = { 'x-forwarded-for': '203.0.113.7' }

async function createAuditor(auditor_until: string | null = null): Promise<Caller & { id: number }> {
  const { id, username } = await createUser(db, { is_auditor: true, auditor_until })
  return { ...(await service.loginAs(username)), id }
}
const values = { ...ASSIGNMENT, parts: [await sheetPart(db)], audience: { user_ids: [person.id] } }
const { body } = await admin.post('/api/assignments', values, { headers })
const id: number = body.assignment.id
const [occurrence] = (await person.get('/api/assignments/mine')).body.occurrences
const list = `/api/assignments/${id}/occurrences`

t.test('the role ends after its last day in the time zone of the service', async (t) => {
  t.teardown(() => {
    now = new Date('2026-12-04T10:00:00Z')
  })
  const auditor = await createAuditor('2026-12-04')
  const look = async () => {
    const { roles } = (await auditor.get('/api/auth/me')).body
    return [(await auditor.get(list)).status, roles.auditor, roles.overseer]
  }
  t.strictSame(await look(), [200, true, true])
  now = new Date('2026-12-04T22:59:59Z')
  t.strictSame(await look(), [200, true, true], 'the last second in Berlin')
  now = new Date('2026-12-04T23:00:00Z')
  t.strictSame(await look(), [403, false, false])
  t.equal((await auditor.get('/api/accounts/audit')).status, 403)
  t.equal((await auditor.get('/api/proofs/export?purpose=Audit')).status, 403)
  t.equal((await auditor.get('/api/assignments/mine')).status, 200, 'the own tasks stay')
})

t.test('an auditor sees states, but not who has an address, and changes nothing', async (t) => {
  const auditor = await createAuditor()
  const { occurrences } = (await auditor.get(list)).body
  t.match(occurrences, [{ user: { id: person.id, reachable: null }, state: 'open' }])
  t.match((await auditor.get(`/api/assignments/${id}`)).body.assignment, {
    rights: { change: false, see_state: true, decide: false },
    persons: [{ id: person.id }],
  })
  const decision = { reason: 'Elternzeit', until: '2027-06-01' }
  const of = `/api/assignments/occurrences/${occurrence.id}`
  for (const [method, url, payload] of [
    ['PATCH', `/api/assignments/${id}`, { title: 'Anders' }],
    ['DELETE', `/api/assignments/${id}`, undefined],
    ['POST', `/api/assignments/${id}/renew`, undefined],
    ['POST', `${of}/exempt`, decision],
    ['POST', `${of}/extend`, decision],
    ['POST', '/api/assignments/occurrences/confirm-personal', { ids: [occurrence.id], held_on: '2026-12-04' }],
    ['GET', `/api/assignments/${id}/list.pdf`, undefined],
  ] as const) {
    t.equal((await auditor.send({ method, url, ...(payload && { payload }) })).status, 403, `${method} ${url}`)
  }
})

t.test('a table for an auditor needs a purpose, which the person sees', async (t) => {
  const auditor = await createAuditor()
  t.equal((await auditor.get(`${list}.csv`)).status, 400)
  for (const _ of [1, 2]) t.equal((await auditor.get(`${list}.csv?purpose=Audit+ISO`)).status, 200)
  const { accesses } = (await person.get('/api/accounts/me/accesses')).body
  t.match(accesses.slice(0, 2), [
    { kind: 'export', title: 'Brandschutz', purpose: 'Audit ISO' },
    { kind: 'export', title: 'Brandschutz', purpose: 'Audit ISO' },
  ])
})

t.test('the audit trail shows an auditor the entries on assignments and proofs, without addresses', async (t) => {
  const auditor = await createAuditor()
  await admin.patch(`/api/accounts/${person.id}`, { email: 'geheim@example.org' }, { headers })
  await auditor.get('/api/proofs/export?purpose=Audit', { headers })
  const { entries } = (await auditor.get('/api/accounts/audit')).body
  const seen = new Set<string>(entries.map(({ action }: { action: string }) => action))
  t.ok(seen.has('assignment.create') && seen.has('proof.export'))
  t.strictSame(
    [...seen].filter((action) => !/^(assignment|occurrence|proof)\./.test(action)),
    [],
  )
  t.ok(entries.every(({ address }: { address: string | null }) => address === null))
  t.strictSame((await auditor.get('/api/accounts/audit?action=user.update')).body.entries, [])
  const all = (await admin.get('/api/accounts/audit?action=proof.export')).body.entries
  t.match(all, [{ address: '203.0.113.7' }], 'administrators see addresses')
  t.match((await auditor.get('/api/accounts/privacy')).body.privacy, { results_keep: 'all' })
})

t.test('the role takes no right: an auditor has own tasks and may lead and administer', async (t) => {
  const both = await createUser(db, { is_auditor: true, is_admin: true })
  const caller = await service.loginAs(both.username)
  t.match((await caller.get('/api/accounts/audit?action=user.update')).body.entries, [{ address: '203.0.113.7' }])
  t.equal((await caller.get(list)).status, 200)
  t.match((await caller.get(`/api/assignments/${id}`)).body.assignment.rights, { change: true, see_state: true })
})
