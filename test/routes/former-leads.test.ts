import t from 'tap'
import { calendarIn } from '../../src/domain/time/calendar.js'
import { runJob } from '../../src/services/jobs/job.js'
import { JOBS } from '../../src/services/jobs/jobs.js'
import { followProviderGroups } from '../../src/services/teams/follow-groups.js'
import { ASSIGNMENT, assignedTest, createTeam } from '../support/assignments.js'
import { createEditor, createSource } from '../support/editing.js'
import { type Caller, errorBody, startService } from '../support/service.js'

const TIME_ZONE = 'Europe/Berlin'
const TODAY = '2026-12-01'
let now = new Date(`${TODAY}T10:00:00Z`)
t.beforeEach(() => {
  now = new Date(`${TODAY}T10:00:00Z`)
})
const service = await startService(t, { now: () => now })
const { db } = service
const admin = await service.admin()
const source = await createSource(db)
const { slug } = await assignedTest(db, source)
const parts = [{ kind: 'test', slug }]

interface Led {
  author: Caller & { id: number; username: string }
  team: number
  /** Id of the assignment that the author gave the team */
  id: number
}

/** Creates an author who leads a new team, and an assignment of the author for the team. */
async function lead(): Promise<Led> {
  const author = await createEditor(service, source)
  const member = await service.member()
  const team = await createTeam(db, { members: [member.id], leads: [author.id] })
  const { body } = await author.post('/api/assignments', { ...ASSIGNMENT, parts, audience: { team_ids: [team] } })
  return { author, team, id: body.assignment.id }
}
async function addLead(team: number, from_on = '2021-01-01'): Promise<Caller & { id: number }> {
  const caller = await service.member()
  await db
    .insertInto('team_members')
    .values({ team_id: team, user_id: caller.id, role: 'lead', origin: 'hand', from_on })
    .execute()
  return caller
}
const memberUrl = ({ author, team }: Led) => `/api/teams/${team}/members/${author.id}`
const responsibleOf = async (id: number): Promise<number | null> =>
  (await admin.get(`/api/assignments/${id}`)).body.assignment.responsible_id
const detailsOf = async (id: number) => (await admin.get(`/api/assignments/${id}`)).body.assignment

/** The ways in which an account stops leading a team that continues to exist */
const WAYS: Record<string, (led: Led) => Promise<unknown>> = {
  'the membership ends': (led) => admin.delete(memberUrl(led)),
  'the role changes': (led) => admin.send({ method: 'PUT', url: memberUrl(led), payload: { role: 'member' } }),
  'the account is disabled': ({ author }) => admin.patch(`/api/accounts/${author.id}`, { disabled_on: TODAY }),
  'the account is deleted': ({ author }) => admin.delete(`/api/admin/users/${author.id}`),
  'the day of a planned deactivation comes': async ({ author }) => {
    await admin.patch(`/api/accounts/${author.id}`, { disabled_on: '2026-12-02' })
    now = new Date('2026-12-02T10:00:00Z')
    const dayOf = calendarIn(TIME_ZONE)
    const clock = { moment: (at = now) => ({ at, today: dayOf(at) }), timeZone: TIME_ZONE }
    const rest = { answersKeepDays: 90, defaultLanguage: 'de', resultsKeep: 'all', onError: () => {} } as const
    await runJob(db, JOBS['plan-occurrences'], { ...clock, ...rest, signal: new AbortController().signal })
  },
  'the groups of the provider change': async ({ author, team }) => {
    await db.updateTable('team_members').set({ origin: 'claim' }).where('team_id', '=', team).execute()
    const actor = { actor_id: author.id, actor: author.username, via: 'oidc', address: null } as const
    await db
      .transaction()
      .execute((transaction) =>
        followProviderGroups(transaction, actor, author.id, { groups: ['andere'], today: TODAY }),
      )
  },
  'the team gets another group': async ({ team }) => {
    await db.updateTable('team_members').set({ origin: 'claim' }).where('team_id', '=', team).execute()
    // The memberships by hand of the other leads stay.
    await db
      .updateTable('team_members')
      .set({ origin: 'hand' })
      .where('team_id', '=', team)
      .where('from_on', '>', '2020-01-01')
      .execute()
    await admin.patch(`/api/teams/${team}`, { external_group: `gruppe-${team}` })
  },
}

for (const [way, end] of Object.entries(WAYS)) {
  t.test(`${way}: the oldest other lead becomes responsible`, async (t) => {
    const led = await lead()
    const [later, oldest] = [await addLead(led.team, '2022-01-01'), await addLead(led.team, '2021-01-01')]
    const gone = await addLead(led.team, '2020-06-01')
    await db.updateTable('users').set({ disabled_on: TODAY }).where('id', '=', gone.id).execute()
    t.equal(await responsibleOf(led.id), led.author.id)
    await end(led)
    t.equal(await responsibleOf(led.id), oldest.id, `not ${later.id}`)
  })

  t.test(`${way}: without another lead the assignment has no responsible person`, async (t) => {
    const led = await lead()
    await end(led)
    t.match(await detailsOf(led.id), { responsible_id: null, responsible: null, responsible_missing: true })
  })
}

t.test('a former lead can no longer change, renew, delete or list the assignment', async (t) => {
  const led = await lead()
  const { author, id } = led
  const url = `/api/assignments/${id}`
  t.equal((await author.get(`${url}/occurrences`)).status, 200)
  t.match((await author.get(url)).body.assignment.rights, { change: true, decide: true })
  await admin.delete(memberUrl(led))
  const joiner = await service.member()
  await admin.send({
    method: 'PUT',
    url: `/api/teams/${led.team}/members/${joiner.id}`,
    payload: { role: 'member' },
  })
  const refused = errorBody(403, 'Als Autor gibst du Aufgaben nur den Teams, die du leitest')
  t.strictSame((await author.patch(url, { title: 'Neu' })).body, refused)
  t.strictSame((await author.patch(url, { responsible_id: author.id })).body, refused)
  t.strictSame((await author.post(`${url}/renew`)).body, refused)
  t.strictSame((await author.post(`${url}/correction`, { changed_at: now.toISOString() })).body, refused)
  t.strictSame((await author.delete(url)).body, refused)
  t.equal((await author.get(`${url}/occurrences`)).status, 403)
  t.equal((await author.get(`${url}/list.pdf`)).status, 403)
  t.equal((await author.get(url)).status, 404)
  t.strictSame((await author.get('/api/assignments')).body.assignments, [])
  await admin.send({ method: 'PUT', url: memberUrl(led), payload: { role: 'lead' } })
  t.equal((await author.patch(url, { responsible_id: author.id })).status, 200, 'a lead again')
})

t.test('an author changes an assignment only while its audience and content are the own ones', async (t) => {
  const { author, team, id } = await lead()
  const url = `/api/assignments/${id}`
  const other = await createTeam(db, {})
  await admin.patch(url, { audience: { team_ids: [team, other] } })
  const notYourTeam = { status: 403, headers: { 'x-error-code': 'not_your_team' } }
  t.match(await author.post(`${url}/renew`), notYourTeam, 'a team of another lead')
  await admin.patch(url, { audience: { team_ids: [team], user_ids: [admin.id] } })
  t.match(await author.post(`${url}/renew`), notYourTeam, 'a person')
  await admin.patch(url, { audience: { team_ids: [team] } })
  t.equal((await author.post(`${url}/renew`)).status, 200)
  await db.deleteFrom('source_editors').where('user_id', '=', author.id).execute()
  t.match(await author.post(`${url}/renew`), { status: 403, headers: { 'x-error-code': 'not_an_editor' } })
  t.match((await author.get(url)).body.assignment.rights, { change: false, decide: true })
})

t.test('with the deletion of its last team, an assignment loses its responsible person and its author', async (t) => {
  const led = await lead()
  await addLead(led.team)
  await admin.delete(`/api/teams/${led.team}`)
  t.match(await detailsOf(led.id), { responsible_id: null, responsible_missing: true })
  t.equal((await led.author.patch(`/api/assignments/${led.id}`, { title: 'Neu' })).status, 403)
})

t.test(
  'an assignment for two teams stays with its lead as long as the lead leads the teams of its audience',
  async (t) => {
    const { author, team, id } = await lead()
    const second = await createTeam(db, { leads: [author.id] })
    await author.patch(`/api/assignments/${id}`, { audience: { team_ids: [team, second] } })
    const leadOfOne = await addLead(team)
    await admin.delete(`/api/teams/${second}`)
    t.equal(await responsibleOf(id), author.id, 'the other team stays')
    const third = await createTeam(db, { leads: [author.id] })
    await author.patch(`/api/assignments/${id}`, { audience: { team_ids: [team, third] } })
    await admin.delete(`/api/teams/${team}/members/${author.id}`)
    t.equal(await responsibleOf(id), null, `${leadOfOne.id} does not lead the other team`)
  },
)

t.test('a former lead with another right stays responsible', async (t) => {
  const officer = await service.member()
  const team = await createTeam(db, { leads: [officer.id] })
  const values = { ...ASSIGNMENT, parts, responsible_id: officer.id }
  const create = async (audience: object): Promise<number> =>
    (await admin.post('/api/assignments', { ...values, audience })).body.assignment.id
  const ids = [await create({ everybody: true }), await create({ team_ids: [team, await createTeam(db, {})] })]
  await admin.delete(`/api/teams/${team}/members/${officer.id}`)
  for (const id of ids) t.equal(await responsibleOf(id), officer.id)
})

t.test('administrators see how many assignments lack a responsible person', async (t) => {
  const missing = async () => (await admin.get('/api/assignments')).body.without_responsible
  const before = await missing()
  const led = await lead()
  t.equal(await missing(), before)
  const officer = await service.member()
  const values = { ...ASSIGNMENT, parts, audience: { everybody: true }, responsible_id: officer.id }
  const { id } = (await admin.post('/api/assignments', values)).body.assignment
  t.match(await detailsOf(id), { responsible_missing: false })
  await admin.patch(`/api/accounts/${officer.id}`, { disabled_on: TODAY })
  t.match(await detailsOf(id), { responsible_id: officer.id, responsible_missing: true })
  await admin.delete(memberUrl(led))
  t.equal(await missing(), before + 2)
  t.match((await led.author.get('/api/assignments')).body, { without_responsible: null })
  const { entries } = (await admin.get('/api/accounts/audit?action=assignment.update&limit=1')).body
  t.match(entries, [{ target_id: led.id, details: { fields: ['responsible_id'], responsible_id: null } }])
})
