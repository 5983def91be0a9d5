import t from 'tap'
import { waitUntilBlocked } from '../support/database.js'
import { createUser, PASSWORD, unique } from '../support/factories.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const admin = await service.admin()

const ADMINS_ONLY = errorBody(403, 'Administratorrechte erforderlich')
const NOT_A_LEAD = errorBody(403, 'Das sehen nur die Leitung des Teams und Administratoren')
const NOT_FOUND = errorBody(404, 'Dieses Team gibt es nicht')
const TAKEN = errorBody(409, 'Ein Team mit diesem Namen oder dieser Gruppe gibt es schon')

async function createTeam(values: object = {}) {
  const { body } = await admin.post('/api/teams', { name: unique('team'), ...values })
  return body.team as { id: number; name: string; external_group: string | null }
}

const put = (teamId: number, userId: number, role: string, by: Caller = admin) =>
  by.send({ method: 'PUT', url: `/api/teams/${teamId}/members/${userId}`, payload: { role } })
const membersOf = async (teamId: number) => (await admin.get(`/api/teams/${teamId}`)).body.members
const rowsOf = (userId: number) =>
  db.selectFrom('team_members').selectAll().where('user_id', '=', userId).orderBy('id').execute()

t.test('administrators create, change and delete teams, with audit entries', async (t) => {
  const name = unique('Werkstatt')
  const { status, body } = await admin.post('/api/teams', { name: ` ${name} ` })
  t.equal(status, 200)
  t.match(body, { team: { id: Number, name, external_group: null } })
  const url = `/api/teams/${body.team.id}`
  t.strictSame((await admin.post('/api/teams', { name })).body, TAKEN)
  t.match((await admin.patch(url, { external_group: 'g-7' })).body.team, { name, external_group: 'g-7' })
  t.strictSame((await admin.post('/api/teams', { name: unique('x'), external_group: 'g-7' })).body, TAKEN)
  const other = await createTeam()
  t.strictSame((await admin.patch(`/api/teams/${other.id}`, { name })).body, TAKEN)
  t.strictSame((await admin.patch(`/api/teams/${other.id}`, { external_group: 'g-7' })).body, TAKEN)
  t.equal((await admin.patch(`/api/teams/${other.id}`, { external_group: null })).status, 200)
  const { teams } = (await admin.get('/api/teams')).body
  t.match(
    teams.find((team: { name: string }) => team.name === name),
    { members: 0 },
  )
  const { entries } = (await admin.get('/api/accounts/audit?action=team.update&limit=1')).body
  t.match(entries, [{ target: name, details: { fields: ['external_group'], external_group: 'g-7' } }])
  for (const bad of ['', '  ', 'x'.repeat(201)]) t.equal((await admin.post('/api/teams', { name: bad })).status, 400)
  t.strictSame((await admin.delete(url)).body, { ok: true })
  t.strictSame((await admin.delete(url)).body, { ok: true }, 'again')
  t.strictSame((await admin.get(url)).body, NOT_FOUND)
  t.strictSame((await admin.patch(url, { name: 'x' })).body, NOT_FOUND)
})

t.test('of two concurrent teams with one name, one is created', async (t) => {
  const name = unique('team')
  const responses = await Promise.all([admin.post('/api/teams', { name }), admin.post('/api/teams', { name })])
  t.strictSame(responses.map(({ status }) => status).sort(), [200, 409])
})

t.test('lists the members in pages, also after one of them has left', async (t) => {
  const team = await createTeam()
  const names = ['Zoe', 'anna', 'Ärmel', 'Berta', 'Cäsar']
  const users: number[] = []
  for (const display_name of names) users.push((await createUser(db, { display_name })).id)
  for (const [index, id] of users.entries()) await put(team.id, id, index === 0 ? 'lead' : 'member')
  const pageAfter = async (query: string) => {
    const { body } = await admin.get(`/api/teams/${team.id}?${query}`)
    return { names: body.members.map((member: { display_name: string }) => member.display_name), next: body.next_after }
  }
  t.same(await pageAfter(''), { names, next: null })
  t.same(await pageAfter('limit=2'), { names: ['Zoe', 'anna'], next: users[1] })
  await admin.delete(`/api/teams/${team.id}/members/${users[1]}`)
  t.same(await pageAfter(`limit=2&after=${users[1]}`), { names: ['Ärmel', 'Berta'], next: users[3] })
  t.same(await pageAfter(`limit=2&after=${users[3]}`), { names: ['Cäsar'], next: null })
  t.match(await admin.get(`/api/teams/${team.id}?after=${admin.id}`), {
    status: 400,
    headers: { 'x-error-field': 'after' },
  })
})

t.test('a lead sees only the teams that he or she leads', async (t) => {
  const [own, other] = [await createTeam(), await createTeam()]
  const [lead, member] = [await service.member(), await service.member()]
  t.strictSame((await put(own.id, lead.id, 'lead')).body, { ok: true })
  await put(own.id, member.id, 'member')
  t.equal((await lead.get('/api/auth/me')).body.roles.lead, true)
  t.equal((await member.get('/api/auth/me')).body.roles.lead, false)
  const { members } = (await lead.get(`/api/teams/${own.id}`)).body
  t.match(members, [
    { id: lead.id, role: 'lead' },
    { id: member.id, role: 'member' },
  ])
  t.strictSame(Object.keys(members[0]).sort(), ['display_name', 'id', 'role'])
  t.strictSame(
    (await lead.get('/api/teams')).body,
    { teams: [{ id: own.id, name: own.name, members: 2 }] },
    'names only, and not the group of the provider',
  )
  t.strictSame((await lead.get(`/api/teams/${own.id}`)).body.team, { id: own.id, name: own.name })
  t.strictSame((await lead.get(`/api/teams/${other.id}`)).body, NOT_A_LEAD)
  t.strictSame((await lead.get('/api/teams/999999')).body, NOT_A_LEAD, 'does not tell whether a team exists')
  t.strictSame((await lead.patch(`/api/teams/${own.id}`, { name: 'x' })).body, ADMINS_ONLY)
  t.strictSame((await put(own.id, member.id, 'lead', lead)).body, ADMINS_ONLY)
  for (const url of ['/api/teams', `/api/teams/${own.id}`]) t.strictSame((await member.get(url)).body, NOT_A_LEAD)
  await put(own.id, lead.id, 'member')
  t.strictSame((await lead.get('/api/teams')).body, NOT_A_LEAD, 'the role has been removed')
})

t.test('a membership is created, changed and ended, and its days are kept', async (t) => {
  const team = await createTeam()
  const user = await createUser(db)
  const url = `/api/teams/${team.id}/members/${user.id}`
  for (const role of ['member', 'member', 'lead']) t.equal((await put(team.id, user.id, role)).status, 200)
  t.match(await membersOf(team.id), [{ id: user.id, role: 'lead' }])
  t.match(await rowsOf(user.id), [{ role: 'lead', origin: 'hand', until_on: null }], 'one row')
  const account = async () => (await admin.get(`/api/accounts/${user.id}`)).body
  t.strictSame((await account()).teams, [{ id: team.id, name: team.name, role: 'lead' }])
  t.equal((await put(team.id, user.id, 'chef')).status, 400)
  t.strictSame((await admin.delete(url)).body, { ok: true })
  t.strictSame((await admin.delete(url)).body, { ok: true }, 'again')
  t.strictSame(await membersOf(team.id), [])
  t.strictSame((await account()).teams, [])
  await put(team.id, user.id, 'member')
  t.match(await rowsOf(user.id), [{ until_on: String }, { until_on: null }])
  const { entries } = (await admin.get('/api/accounts/audit?limit=2')).body
  const details = { username: user.username }
  t.match(entries, [
    { action: 'team.join', target: team.name, details: { ...details, role: 'member' } },
    { action: 'team.leave', target: team.name, details },
  ])
  t.strictSame((await put(999_999, user.id, 'member')).body, NOT_FOUND)
  t.equal((await put(team.id, 999_999, 'member')).status, 404)
  const own = (await (await service.loginAs(user.username)).get('/api/accounts/me/data')).body
  t.match(own.teams, [
    { name: team.name, until_on: String },
    { name: team.name, role: 'member', until_on: null },
  ])
  t.equal((await admin.delete(`/api/admin/users/${user.id}`)).status, 200)
  t.strictSame(await rowsOf(user.id), [])
})

t.test('refuses a new member while the team is being deleted', async (t) => {
  const [team, user] = [await createTeam(), await createUser(db)]
  let joined: Promise<unknown> | undefined
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('teams').where('id', '=', team.id).execute()
    joined = put(team.id, user.id, 'member')
    await waitUntilBlocked(service.database)
  })
  t.match(await joined, { status: 404, body: NOT_FOUND })
})

t.test('new users in a list join their team; a missing team is a fault of the line', async (t) => {
  const team = await createTeam({ name: unique('Süd') })
  const username = unique('neu')
  const csv = (name: string) =>
    admin.send({
      method: 'POST',
      url: '/api/accounts/bulk',
      payload: `benutzername;team;passwort\n${username};${name};${PASSWORD}\n`,
      headers: { 'content-type': 'text/csv' },
    })
  const refused = await csv('Gibt es nicht')
  t.match(refused.body.errors, [{ line: 2, field: 'team', message: 'Das Team „Gibt es nicht“ gibt es nicht' }])
  t.match((await csv(team.name.normalize('NFD'))).body.users, [{ username, team: team.name }])
  t.match(await membersOf(team.id), [{ username, role: 'member', by_group: false, by_hand: true }])
  const second = await createTeam()
  const { body } = await admin.send({
    method: 'POST',
    url: '/api/accounts/bulk',
    payload: { users: [{ username: unique('beide'), teams: [team.name, second.name], password: PASSWORD }] },
  })
  t.match(body.users, [{ team: team.name, teams: [team.name, second.name] }])
  t.match(await membersOf(second.id), [{ username: body.users[0].username, role: 'member' }])
})
