import t from 'tap'
import { createUser, unique } from '../../support/factories.js'
import { connectProvider, patchOf } from '../../support/scim.js'
import { callerOf, startService } from '../../support/service.js'

const service = await startService(t)
const { db } = service
const former = await connectProvider(service, 'Former provider')
const adopting = await startService(t, { database: service.database, config: { scimAdopt: true } })
const { token } = await connectProvider(service, 'New provider')
const [current, adopter] = [service, adopting].map(({ app }) => callerOf(app, undefined, token)) as [
  typeof former,
  typeof former,
]
const { owner } = former

const people = [await createUser(db), await createUser(db), await createUser(db)]
const [a, b, c] = people.map(({ id }) => id) as [number, number, number]

async function createGroup(...members: number[]): Promise<{ id: string; displayName: string }> {
  const displayName = unique('team')
  const body = { displayName, externalId: unique('id'), members: members.map((id) => ({ value: String(id) })) }
  return (await former.post('/scim/v2/Groups', body)).body
}
const release = (id: string | number) => owner.delete(`/api/teams/${id}/scim`)
async function read(id: string) {
  const { team, members } = (await owner.get(`/api/teams/${id}`)).body
  return {
    team,
    members: members
      .map(({ id, by_group, by_hand }: { id: number; by_group: boolean; by_hand: boolean }) => [id, by_group, by_hand])
      .sort(([x]: [number], [y]: [number]) => x - y),
  }
}

t.test('a released team keeps its members, whom administrators may remove', async (t) => {
  const { id } = await createGroup(a, b, c)
  await owner.put(`/api/teams/${id}/members/${b}`, { role: 'lead' })
  const before = await read(id)
  t.equal(before.team.by_scim, true)
  t.strictSame(before.members, [
    [a, true, false],
    [b, true, true],
    [c, true, false],
  ])
  t.strictSame((await release(id)).body, { ok: true })
  const { team, members } = await read(id)
  t.match(team, { by_scim: false, external_id: null, external_group: null, version: before.team.version + 1 })
  t.strictSame(members, [
    [a, false, true],
    [b, false, true],
    [c, false, true],
  ])
  t.equal((await owner.delete(`/api/teams/${id}/members/${a}`)).status, 200)
  const users = [{ username: people[2]?.username, teams: [] }]
  t.match((await owner.post('/api/accounts/bulk?mode=update', { users })).body.changes, [
    { field: 'teams', to: { length: 0 } },
  ])
  t.strictSame((await read(id)).members, [[b, false, true]])
  t.equal((await owner.delete(`/api/teams/${id}/members/${b}`)).status, 200)
  t.strictSame((await read(id)).members, [], 'both memberships end')

  t.equal((await release(id)).status, 200, 'again')
  const entries = await db
    .selectFrom('audit_log')
    .select(['via', 'details'])
    .where('target_id', '=', Number(id))
    .where('action', '=', 'team.update')
    .execute()
  const details = { fields: ['scim_state', 'external_id'], scim_state: null, external_id: null }
  t.strictSame(entries, [{ via: 'session', details }], 'one entry')
})

t.test('SCIM keeps what it manages: administrators cannot remove its members', async (t) => {
  const { id } = await createGroup(a)
  t.equal((await owner.delete(`/api/teams/${id}/members/${a}`)).status, 409)
  const users = [{ username: people[0]?.username, teams: [] }]
  t.strictSame((await owner.post('/api/accounts/bulk?mode=update', { users })).body.changes, [])
})

t.test('the former provider deletes its group and its users late: a released team keeps its members', async (t) => {
  const leaver = await createUser(db)
  const { id } = await createGroup(a, leaver.id)
  const managed = await createGroup(leaver.id)
  await release(id)
  const { team, members } = await read(id)
  for (const attempt of ['first', 'second']) {
    t.equal((await former.delete(`/scim/v2/Groups/${id}`)).status, 204, attempt)
  }
  t.strictSame(await read(id), { team, members })
  t.equal((await current.get(`/scim/v2/Groups/${id}`)).status, 200, 'the next provider finds it')

  t.equal((await former.delete(`/scim/v2/Users/${leaver.id}`)).status, 204)
  t.strictSame(await read(id), { team, members })
  t.strictSame((await read(managed.id)).members, [], 'SCIM manages this one')
  const entries = await db
    .selectFrom('audit_log')
    .select(['action', 'target_id'])
    .where('via', '=', 'scim')
    .where('target_id', 'in', [Number(id), Number(managed.id)])
    .where('action', '<>', 'team.create')
    .where('action', '<>', 'team.join')
    .execute()
  t.strictSame(entries, [{ action: 'team.leave', target_id: Number(managed.id) }])
})

t.test('a change by the former provider makes SCIM the manager again, also if it removes members', async (t) => {
  for (const remove of [
    (id: string, displayName: string) =>
      former.put(`/scim/v2/Groups/${id}`, { displayName, members: [{ value: String(b) }] }),
    (id: string) => former.patch(`/scim/v2/Groups/${id}`, patchOf({ op: 'remove', path: `members[value eq "${a}"]` })),
  ]) {
    const { id, displayName } = await createGroup(a, b)
    await release(id)
    t.ok((await remove(id, displayName)).status < 300)
    const { team, members } = await read(id)
    t.equal(team.by_scim, true)
    t.strictSame(members, [[b, true, false]])
    t.equal((await former.delete(`/scim/v2/Groups/${id}`)).status, 204)
    t.strictSame((await read(id)).members, [], 'DELETE ends what SCIM manages')
  }
})

t.test('another provider takes over a released team with the members that SCIM has left', async (t) => {
  for (const takeOver of [
    (displayName: string, members: object[]) =>
      adopter.post('/scim/v2/Groups', { displayName, externalId: unique('new'), members }),
    async (displayName: string, value: object[]) => {
      const filter = encodeURIComponent(`displayName eq "${displayName}"`)
      const [{ id }] = (await current.get(`/scim/v2/Groups?filter=${filter}`)).body.Resources
      const set = [
        { op: 'replace', path: 'externalId', value: unique('new') },
        { op: 'replace', path: 'members', value },
      ]
      return current.patch(`/scim/v2/Groups/${id}`, patchOf(...set))
    },
  ]) {
    const { id, displayName } = await createGroup(a, b)
    const { external_id: before } = (await read(id)).team
    await release(id)
    t.ok(
      (
        await takeOver(
          displayName,
          [b, c].map((id) => ({ value: String(id) })),
        )
      ).status < 300,
    )
    const { team, members } = await read(id)
    t.equal(team.by_scim, true)
    t.match(team.external_id, /^new/)
    t.not(team.external_id, before)
    t.strictSame(members, [
      [b, true, false],
      [c, true, false],
    ])
    t.equal((await owner.delete(`/api/teams/${id}/members/${b}`)).status, 409, 'managed again')
  }
})

t.test('a team that is not released belongs to the former provider', async (t) => {
  const { displayName } = await createGroup(a)
  const taken = await adopter.post('/scim/v2/Groups', { displayName, externalId: unique('new') })
  t.strictSame([taken.status, taken.body.scimType], [409, 'uniqueness'])
})

t.test('a team that SCIM has deleted may be released too', async (t) => {
  const { id } = await createGroup(a)
  await former.delete(`/scim/v2/Groups/${id}`)
  t.equal((await read(id)).team.by_scim, false)
  await release(id)
  t.equal((await current.get(`/scim/v2/Groups/${id}`)).status, 200, 'SCIM sees it again')
})

t.test('a team without SCIM stays as it is, and leads do not see who manages theirs', async (t) => {
  const lead = await service.member()
  const { team } = (await owner.post('/api/teams', { name: unique('hand'), external_id: unique('id') })).body
  await owner.put(`/api/teams/${team.id}/members/${lead.id}`, { role: 'lead' })
  t.equal((await release(team.id)).status, 200)
  t.match((await read(team.id)).team, team)
  t.strictSame((await lead.get(`/api/teams/${team.id}`)).body.team, { id: team.id, name: team.name })
  t.equal((await release(99_999)).headers['x-error-code'], 'team_not_found')
})

t.test('an account without its external id is taken over by another provider', async (t) => {
  const { username: userName } = await createUser(db)
  const post = (externalId: string) => adopter.post('/scim/v2/Users', { userName, externalId })
  const first = await post(unique('former'))
  const externalId = unique('new')
  t.equal((await post(externalId)).status, 409)
  t.equal((await owner.patch(`/api/accounts/${first.body.id}`, { external_id: null })).status, 200)
  t.match((await post(externalId)).body, { id: first.body.id, externalId })

  const filter = encodeURIComponent(`userName eq "${userName}"`)
  const [found] = (await current.get(`/scim/v2/Users?filter=${filter}`)).body.Resources
  const changed = await current.put(`/scim/v2/Users/${found.id}`, { userName, externalId: unique('third') })
  t.equal(changed.status, 200, 'a provider that searches first needs no release')
})
