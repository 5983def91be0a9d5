import t from 'tap'
import { unique } from '../../support/factories.js'
import { connectProvider } from '../../support/scim.js'
import { errorBody } from '../../support/service.js'
import { startSignIn } from '../../support/sign-in.js'

const service = await startSignIn(t, { OIDC_GROUPS_CLAIM: 'groups' })
const { browser, db, log } = service
const admin = await service.admin()

async function createTeam(external_group: string): Promise<number> {
  return (await admin.post('/api/teams', { name: unique('team'), external_group })).body.team.id
}

const [north, south] = [await createTeam('nord'), await createTeam('süd')]
const sub = unique('erika')
const signIn = (groups?: string[]) =>
  browser().signIn({ sub, preferred_username: sub, ...(groups !== undefined && { groups }) })
const userId = async () =>
  (await db.selectFrom('users').select('id').where('username', '=', sub).executeTakeFirstOrThrow()).id
const isIn = async (teamId: number): Promise<boolean> => {
  const { members } = (await admin.get(`/api/teams/${teamId}`)).body
  return members.some(({ username }: { username: string }) => username === sub)
}
const teams = async () => [await isIn(north), await isIn(south)]

t.test('memberships follow the groups at each login', async (t) => {
  t.equal(await signIn(['nord', 'unbekannt']), '/')
  t.strictSame(await teams(), [true, false])
  await signIn(['süd'])
  t.strictSame(await teams(), [false, true])
  await signIn(['nord', 'süd', 'nord'])
  t.strictSame(await teams(), [true, true])
  await signIn()
  t.strictSame(await teams(), [true, true], 'a missing claim changes nothing')
  await signIn([])
  t.strictSame(await teams(), [false, false], 'an empty list ends all memberships')
})

t.test('a manually created membership stays, with its role', async (t) => {
  await signIn(['nord'])
  const url = `/api/teams/${north}/members/${await userId()}`
  const membersOf = async () => (await admin.get(`/api/teams/${north}`)).body.members
  t.match(await membersOf(), [{ by_group: true, by_hand: false }])
  t.strictSame(
    (await admin.delete(url)).body,
    errorBody(409, 'Diese Mitgliedschaft kommt vom Anbieter der Anmeldung und endet nur dort'),
  )
  await admin.send({ method: 'PUT', url, payload: { role: 'lead' } })
  const both = { username: sub, role: 'lead', by_group: true, by_hand: true }
  t.match(await membersOf(), [both], 'one member with the higher role')
  await signIn([])
  t.strictSame(await teams(), [true, false])
  t.strictSame((await admin.delete(url)).body, { ok: true })
  t.strictSame(await teams(), [false, false])
})

t.test('another group of a team ends the memberships from the former one', async (t) => {
  await signIn(['nord', 'süd'])
  await admin.patch(`/api/teams/${north}`, { external_group: 'nordwest' })
  t.strictSame(await teams(), [false, true])
})

t.test('the log states once why memberships do not follow the groups', async (t) => {
  const warnings = () =>
    log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'teams do not follow the groups of the provider')
  const before = warnings()
  t.match(before, [{ claim: 'groups', reason: /does not send/ }], 'the warning about the missing claim above')
  const elsewhere = {
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://graph.example' } },
  }
  const cut = { sub, preferred_username: sub, ...elsewhere }
  await signIn(['nordwest', 'süd'])
  for (const person of [cut, cut]) t.equal(await browser().signIn(person), '/')
  await signIn()
  t.match(warnings().slice(1), [{ claim: 'groups', reason: /too long/ }])
  t.strictSame(await teams(), [true, true], 'both change nothing')
})

t.test('memberships that SCIM has left to a team follow its new group', async (t) => {
  await signIn([])
  const scim = await connectProvider(service)
  const members = [{ value: String(await userId()) }]
  const { id } = (await scim.post('/scim/v2/Groups', { displayName: unique('scim'), members })).body
  const setGroup = () => admin.patch(`/api/teams/${id}`, { external_group: 'ost' })
  t.equal((await setGroup()).headers['x-error-code'], 'team_by_scim')
  t.equal((await admin.delete(`/api/teams/${id}/scim`)).status, 200)
  t.equal((await setGroup()).status, 200)
  t.equal(await isIn(id), true, 'until the next login')
  t.equal((await scim.put(`/scim/v2/Groups/${id}`, { displayName: unique('scim') })).status, 409)
  await signIn(['ost'])
  t.equal(await isIn(id), true)
  await signIn([])
  t.equal(await isIn(id), false)
})
