import { sql } from 'kysely'
import t from 'tap'
import { createUser, unique } from '../../support/factories.js'
import { connectProvider, patchOf, scimError } from '../../support/scim.js'
import { callerOf, startService } from '../../support/service.js'

const service = await startService(t, { config: { publicUrl: 'https://training.example.org/' } })
const { db } = service
const provider = await connectProvider(service)
const adopting = await startService(t, { database: service.database, config: { scimAdopt: true } })
const adopter = callerOf(adopting.app, undefined, provider.token)
const { owner } = provider

// One after the other, because groups list their members in the order of the ids.
const people = [await createUser(db), await createUser(db), await createUser(db)]
const [a, b, c] = people.map(({ id }) => String(id)) as [string, string, string]

const create = async (...members: string[]) => {
  const displayName = unique('team')
  const body = { displayName, externalId: `id-${displayName}`, members: members.map((value) => ({ value })) }
  const created = await provider.post('/scim/v2/Groups', body)
  t.equal(created.status, 201)
  return created.body
}
const membersOf = async (id: string) =>
  (await provider.get(`/scim/v2/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value)
const change = (id: string, ...operations: object[]) => provider.patch(`/scim/v2/Groups/${id}`, patchOf(...operations))
const addByHand = (id: string, userId: string, role = 'member') =>
  owner.put(`/api/teams/${id}/members/${userId}`, { role })
const entriesOf = (id: string) =>
  db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'via', 'details'])
    .where('target_id', '=', Number(id))
    .where('action', 'like', 'team.%')
    .orderBy('id')
    .execute()

t.test('creates a team with its members', async (t) => {
  const { body, headers, status } = await provider.post('/scim/v2/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: ' Vertrieb ',
    externalId: 'G-1',
    members: [{ value: b, display: 'x' }, { value: a }],
  })
  t.equal(status, 201)
  const location = `https://training.example.org/scim/v2/Groups/${body.id}`
  t.equal(headers.location, location)
  const { meta, ...rest } = body
  t.strictSame(rest, {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    id: body.id,
    externalId: 'G-1',
    displayName: 'Vertrieb',
    members: [a, b].map((value) => ({ value, display: 'Erika Muster', type: 'User' })),
  })
  t.match(meta, { resourceType: 'Group', location })
  t.strictSame((await provider.get(`/scim/v2/Groups/${body.id}`)).body, body)
  const { members: _, ...without } = body
  t.strictSame((await provider.get(`/scim/v2/Groups/${body.id}?excludedAttributes=members`)).body, without)
  const joins = [a, b].map((id) => people.find((one) => String(one.id) === id)?.username)
  t.strictSame(await entriesOf(body.id), [
    { action: 'team.create', actor: 'Entra', via: 'scim', details: { external_id: 'G-1' } },
    ...joins.map((username) => ({
      action: 'team.join',
      actor: 'Entra',
      via: 'scim',
      details: { username, role: 'member' },
    })),
  ])
  const found = async (filter: string) =>
    (await provider.get(`/scim/v2/Groups?filter=${encodeURIComponent(filter)}`)).body.Resources.map(
      (one: { id: string }) => one.id,
    )
  for (const filter of [
    'displayName eq "VERTRIEB"',
    'externalId eq "G-1"',
    `id eq "${body.id}" and members.value eq "${a}"`,
    `members eq "${b}" and displayName eq "Vertrieb"`,
  ]) {
    t.strictSame(await found(filter), [body.id], filter)
  }
  t.strictSame(await found(`members.value eq "${c}" and id eq "${body.id}"`), [])
  t.equal((await provider.get('/scim/v2/Groups?filter=active%20eq%20true')).body.scimType, 'invalidFilter')
})

t.test('adds, removes and replaces members; repeated requests change nothing', async (t) => {
  const { id } = await create(a)
  for (const _ of [1, 2]) {
    t.equal((await change(id, { op: 'Add', path: 'members', value: [{ value: b }, { value: a }] })).status, 204)
    t.strictSame(await membersOf(id), [a, b])
  }
  for (const _ of [1, 2]) {
    t.equal((await change(id, { op: 'Remove', path: `members[value eq "${a}"]` })).status, 204)
    t.strictSame(await membersOf(id), [b])
  }
  await change(
    id,
    { op: 'add', path: 'members', value: [{ value: c }] },
    { op: 'remove', path: 'members', value: [{ value: b }] },
  )
  t.strictSame(await membersOf(id), [c])
  await provider.put(`/scim/v2/Groups/${id}`, { displayName: unique('neu') })
  t.strictSame(await membersOf(id), [c], 'a PUT without members keeps them')
  await provider.put(`/scim/v2/Groups/${id}`, { displayName: unique('neu'), members: [{ value: a }] })
  t.strictSame(await membersOf(id), [a])
  await change(id, { op: 'remove', path: 'members' })
  t.strictSame(await membersOf(id), [])
  const rows = await db.selectFrom('team_members').selectAll().where('team_id', '=', Number(id)).execute()
  t.ok(rows.length >= 4 && rows.every(({ until_on }) => until_on !== null), 'former memberships stay as evidence')
})

t.test('keeps memberships by hand and leads', async (t) => {
  const { id } = await create(b)
  await addByHand(id, a, 'lead')
  await addByHand(id, b)
  t.strictSame(await membersOf(id), [a, b], 'lists all')
  t.equal((await change(id, { op: 'remove', path: `members[value eq "${a}"]` })).status, 204)
  t.equal((await change(id, { op: 'remove', path: `members[value eq "${b}"]` })).status, 204)
  t.strictSame(await membersOf(id), [a, b])
  await change(id, { op: 'add', path: 'members', value: [{ value: a }] })
  const { body } = await owner.get(`/api/teams/${id}`)
  t.strictSame(
    body.members.map(({ id, role, by_group, by_hand }: Record<string, unknown>) => [
      String(id),
      role,
      by_group,
      by_hand,
    ]),
    [
      [a, 'lead', true, true],
      [b, 'member', false, true],
    ],
  )
  await owner.delete(`/api/teams/${id}/members/${a}`)
  t.strictSame(await membersOf(id), [a, b], 'the membership by SCIM remains')
  const refused = await owner.delete(`/api/teams/${id}/members/${a}`)
  t.strictSame([refused.status, refused.headers['x-error-code']], [409, 'member_by_group'])
})

t.test('leaves out unknown members, but refuses a list of unknown members only', async (t) => {
  const { id } = await create(a)
  const unknown = [{ value: '999999' }, { value: 'b0b' }, { value: '99999999999' }]
  t.equal((await change(id, { op: 'add', path: 'members', value: [...unknown, { value: b }] })).status, 204)
  t.strictSame(await membersOf(id), [a, b])
  t.equal((await change(id, { op: 'add', path: 'members', value: unknown })).status, 204)
  t.equal((await change(id, { op: 'remove', path: 'members[value eq "b0b"]' })).status, 204)
  const replaced = await change(id, { op: 'replace', path: 'members', value: unknown })
  t.strictSame(replaced.body, scimError(400, 'Attribute "members" names only unknown users', 'invalidValue'))
  const put = await provider.put(`/scim/v2/Groups/${id}`, { displayName: unique('x'), members: unknown })
  t.equal(put.status, 400)
  t.strictSame(await membersOf(id), [a, b])
  const nested = [
    { value: c, type: 'Group' },
    { value: c, $ref: 'https://x.example.org/scim/v2/Groups/3' },
  ]
  await change(id, { op: 'add', path: 'members', value: nested })
  t.strictSame(await membersOf(id), [a, b], 'a group is no member')
  for (const value of [[{ display: 'x' }], [1], 'x'.repeat(3)]) {
    const { status } = await change(id, { op: 'add', path: 'members', value })
    t.equal(status, typeof value === 'string' ? 204 : 400)
  }
  t.equal((await change(id, { op: 'remove', path: 'members[display eq "x"]' })).body.scimType, 'invalidFilter')
})

t.test('does not list or add accounts that SCIM has deleted', async (t) => {
  const user = (await provider.post('/scim/v2/Users', { userName: unique('u'), externalId: unique('e') })).body
  const { id } = await create(a, user.id)
  await provider.delete(`/scim/v2/Users/${user.id}`)
  t.strictSame(await membersOf(id), [a])
  const other = await create(a)
  await change(other.id, { op: 'add', path: 'members', value: [{ value: user.id }] })
  t.strictSame(await membersOf(other.id), [a])
  await provider.post('/scim/v2/Users', { userName: user.userName, externalId: user.externalId })
  t.strictSame(await membersOf(id), [a], 'the provider adds a revived account again')
})

t.test('an exact name wins over names in another case', async (t) => {
  const displayName = unique('Fall')
  const exact = (await provider.post('/scim/v2/Groups', { displayName })).body
  const upper = (await provider.post('/scim/v2/Groups', { displayName: displayName.toUpperCase() })).body
  const found = async (text: string) =>
    (await provider.get(`/scim/v2/Groups?filter=${encodeURIComponent(`displayName eq "${text}"`)}`)).body.Resources.map(
      (one: { id: string }) => one.id,
    )
  t.strictSame(await found(displayName), [exact.id])
  t.strictSame(await found(displayName.toUpperCase()), [upper.id])
  t.strictSame(await found(displayName.toLowerCase()), [exact.id, upper.id])
  await provider.delete(`/scim/v2/Groups/${exact.id}`)
  t.strictSame(await found(displayName), [upper.id])
  t.strictSame(await found('x'.repeat(500)), [])
})

t.test('a list of unknown members is refused only if memberships would end', async (t) => {
  const unknown = [{ value: '999999' }]
  const created = await provider.post('/scim/v2/Groups', { displayName: unique('leer'), members: unknown })
  t.strictSame([created.status, created.body.members], [201, []])
  const { id } = created.body
  await addByHand(id, a)
  t.equal((await change(id, { op: 'replace', path: 'members', value: unknown })).status, 204)
  t.strictSame(await membersOf(id), [a])
})

t.test('a team belongs to a group of logins or to SCIM, never to both', async (t) => {
  const bound = await create()
  for (const refused of [
    await owner.patch(`/api/teams/${bound.id}`, { external_group: unique('g') }),
    await owner.put(`/api/teams/by-external-id/${bound.externalId}`, { external_group: unique('g') }),
  ]) {
    t.strictSame([refused.status, refused.headers['x-error-code']], [409, 'team_by_scim'])
  }
  t.equal((await owner.patch(`/api/teams/${bound.id}`, { name: unique('n') })).status, 200)

  const name = unique('login')
  const { id } = (await owner.post('/api/teams', { name, external_group: unique('g') })).body.team
  const detail =
    'The team follows a group of the sign-in provider (OIDC_GROUPS_CLAIM) and cannot be managed by SCIM too'
  for (const response of [
    await change(id, { op: 'add', path: 'members', value: [{ value: a }] }),
    await provider.put(`/scim/v2/Groups/${id}`, { displayName: name }),
    await provider.delete(`/scim/v2/Groups/${id}`),
  ]) {
    t.strictSame(response.body, scimError(409, detail))
  }
  for (const caller of [provider, adopter]) {
    t.equal((await caller.post('/scim/v2/Groups', { displayName: name })).body.scimType, 'uniqueness')
  }
  t.equal((await provider.get(`/scim/v2/Groups/${id}`)).status, 200, 'it may be read')
})

t.test('the first change makes SCIM the manager of a team that was made here', async (t) => {
  const name = unique('hand')
  const { id } = (await owner.post('/api/teams', { name })).body.team
  t.equal((await provider.post('/scim/v2/Groups', { displayName: name })).body.scimType, 'uniqueness')
  const adopted = await adopter.post('/scim/v2/Groups', {
    displayName: name,
    externalId: name,
    members: [{ value: a }],
  })
  t.strictSame([adopted.status, adopted.body.id], [201, String(id)])
  t.equal((await adopter.post('/scim/v2/Groups', { displayName: name })).status, 409, 'only once')
  t.match(await entriesOf(String(id)), [
    { action: 'team.create', via: 'session' },
    { action: 'team.update', via: 'scim', details: { fields: ['scim_state'], scim_state: 'bound' } },
    { action: 'team.update', via: 'scim', details: { fields: ['external_id'] } },
    { action: 'team.join', via: 'scim' },
  ])
  const other = (await owner.post('/api/teams', { name: unique('hand') })).body.team
  t.equal((await change(other.id, { op: 'replace', path: 'externalId', value: unique('e') })).status, 204)
  const { status } = await owner.patch(`/api/teams/${other.id}`, { external_group: 'x' })
  t.equal(status, 409)
})

t.test('DELETE ends the memberships by SCIM and keeps the team with its assignments; POST revives it', async (t) => {
  const { id, displayName, externalId } = await create(a, b)
  await addByHand(id, c, 'lead')
  const assignment = await owner.post('/api/assignments', {
    title: 'Unterweisung',
    client_id: unique('assignment'),
    parts: [{ kind: 'personal', title: 'Gespräch' }],
    audience: { team_ids: [Number(id)] },
    starts: '2026-01-01',
    due: '2026-12-31',
    recurrence: { every_months: 12, opens_days_before: 30 },
    mandatory: true,
    retention_years: 2,
  })
  t.equal(assignment.status, 200, assignment.text)
  t.equal((await provider.delete(`/scim/v2/Groups/${id}`)).status, 204)
  t.equal((await provider.delete(`/scim/v2/Groups/${id}`)).status, 404)
  t.equal((await provider.get(`/scim/v2/Groups/${id}`)).status, 404)
  t.equal((await change(id, { op: 'add', path: 'members', value: [] })).status, 404)
  t.equal((await provider.get(`/scim/v2/Groups?filter=id%20eq%20%22${id}%22`)).body.totalResults, 0)
  const { body } = await owner.get(`/api/teams/${id}`)
  t.strictSame(
    body.members.map((one: { id: number }) => String(one.id)),
    [c],
  )
  t.equal((await owner.get(`/api/assignments/${assignment.body.assignment.id}`)).status, 200)
  t.match((await entriesOf(id)).slice(-3), [
    { action: 'team.leave', via: 'scim' },
    { action: 'team.leave', via: 'scim' },
    { action: 'team.update', details: { fields: ['scim_state'], scim_state: 'deleted' } },
  ])
  const revived = await provider.post('/scim/v2/Groups', { displayName, externalId, members: [{ value: a }] })
  t.strictSame([revived.status, revived.body.id], [201, id])
  t.strictSame(
    await membersOf(id),
    [a, c].sort((x, y) => Number(x) - Number(y)),
  )
})

t.test('a team that SCIM has deleted may follow a group of logins', async (t) => {
  const { id, displayName } = await create()
  await provider.delete(`/scim/v2/Groups/${id}`)
  t.equal((await owner.patch(`/api/teams/${id}`, { external_group: unique('g') })).status, 200)
  t.equal((await provider.post('/scim/v2/Groups', { displayName })).status, 409)
})

t.test('refuses names and external ids that are taken', async (t) => {
  const first = await create()
  const second = await create()
  const taken = (attribute: string) => scimError(409, `Another resource has this ${attribute}`, 'uniqueness')
  const post = (body: object) => provider.post('/scim/v2/Groups', body)
  t.strictSame((await post({ displayName: first.displayName })).body, taken('displayName'))
  t.strictSame((await post({ displayName: unique('x'), externalId: first.externalId })).body, taken('externalId'))
  const rename = await change(second.id, { op: 'replace', path: 'displayName', value: first.displayName })
  t.strictSame(rename.body, taken('displayName'))
  const again = await change(second.id, { op: 'replace', path: 'externalId', value: first.externalId })
  t.strictSame(again.body, taken('externalId'))
  for (const body of [{}, { displayName: '' }, { displayName: 7 }, { displayName: 'x'.repeat(201) }]) {
    t.equal((await post(body)).body.scimType, 'invalidValue')
  }
  t.equal((await change(first.id, { op: 'remove', path: 'displayName' })).body.scimType, 'mutability')
})

t.test('of two concurrent requests that create the same group, one succeeds', async (t) => {
  const body = { displayName: unique('zwei'), members: [{ value: a }] }
  const both = await Promise.all([1, 2].map(() => provider.post('/scim/v2/Groups', body)))
  t.strictSame(both.map(({ status }) => status).sort(), [201, 409])
})

t.test('concurrent changes of one group lose no member', async (t) => {
  const { id } = await create()
  const both = await Promise.all(
    [a, b, c].map((value) => change(id, { op: 'add', path: 'members', value: [{ value }] })),
  )
  t.strictSame(
    both.map(({ status }) => status),
    [204, 204, 204],
  )
  t.strictSame(
    await membersOf(id),
    [a, b, c].sort((x, y) => Number(x) - Number(y)),
  )
})

t.test('pages of groups with many members are shorter, so that a response stays small', async (t) => {
  const { body: before } = await provider.get('/scim/v2/Groups')
  const ids = (await Promise.all(Array.from({ length: 3 }, () => create()))).map(({ id }) => Number(id))
  await sql`
    with people as (
      insert into users (username, display_name) select 'viele-' || n, 'Viele' from generate_series(1, 7000) as n
      returning id
    )
    insert into team_members (team_id, user_id, role, origin, from_on)
    select team_id, people.id, 'member', 'scim', '2026-01-01'
    from people cross join unnest(${ids}::integer[]) as team_id`.execute(db)
  const { body } = await provider.get(`/scim/v2/Groups?startIndex=${before.totalResults + 1}`)
  t.match(body, { itemsPerPage: 2, totalResults: before.totalResults + 3 })
})
