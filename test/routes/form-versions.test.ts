import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { ASSIGNMENT, createTeam, sheetPart } from '../support/assignments.js'
import { deckFile } from '../support/content.js'
import { startBehindLock } from '../support/database.js'
import { createEditor, createSource, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { type Caller, errorBody, type ServiceResponse, startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

const service = await startService(t)
const { db } = service
const admin = await service.admin()
const second = await service.admin()
const source = await createSource(db)
const editor = await createEditor(service, source)

/** An object with a form, in a table of the database */
interface Formed {
  table: 'assignments' | 'teams' | 'decks'
  url: string
  /** Name of the object in responses */
  key: string
  /** Name of the field that the tests change */
  field: string
}

async function createAssignment(values: object = {}): Promise<{ id: number; url: string }> {
  const parts = [await sheetPart(db)]
  const { body } = await admin.post('/api/assignments', { ...ASSIGNMENT, parts, audience: AUDIENCE, ...values })
  return { id: body.assignment.id, url: `/api/assignments/${body.assignment.id}` }
}

const member = await service.member()
const AUDIENCE = { user_ids: [member.id] }
const { url: assignment } = await createAssignment()
const team = `/api/teams/${await createTeam(db, {})}`
const deck = `/api/content/decks/${await writeDeck(admin, source)}`
const FORMED: Formed[] = [
  { table: 'assignments', url: assignment, key: 'assignment', field: 'title' },
  { table: 'teams', url: team, key: 'team', field: 'name' },
  { table: 'decks', url: deck, key: 'deck', field: 'name' },
]

const isOutdated = (t: Test, { body, headers }: ServiceResponse, version: number, message = 'a stale version') => {
  t.strictSame(body, errorBody(409, 'Inzwischen geändert'), message)
  t.equal(headers['x-error-code'], 'version_outdated')
  t.equal(headers['x-error-field'], 'version')
  t.equal(headers['x-error-details'], `{"version":${version}}`)
}
const deckOf = async (slug: string, by: Caller = editor) =>
  (await by.get('/api/content/decks')).body.decks.find((deck: { slug: string }) => deck.slug === slug)

for (const { table, url, key, field } of FORMED) {
  t.test(`${table}: each change raises the version by one, a change without effect does not`, async (t) => {
    const name = unique('Name')
    const change = async (body: object) => {
      const response = await admin.patch(url, body)
      return response.status === 200 ? response.body[key] : response
    }
    t.match(await change({}), { version: 1 }, 'an empty change')
    t.match(await change({ [field]: name }), { [field]: name, version: 2 }, 'without a version')
    t.match(await change({ version: 2, [field]: `${name} b` }), { version: 3 })
    t.match(await change({ version: 3, [field]: `${name} b` }), { version: 3 }, 'the same value')
    isOutdated(t, await admin.patch(url, { version: 2, [field]: name }), 3)
    isOutdated(t, await admin.patch(url, { version: 4, [field]: name }), 3, 'a later version')
    t.match(await change({ version: 3 }), { [field]: `${name} b`, version: 3 }, 'nothing is written')
    t.equal((await admin.patch(url, { version: '3a', [field]: name })).status, 400)
  })

  t.test(`${table}: of two editors who save at once, one is told the present version`, async (t) => {
    const { version } = (await admin.patch(url, {})).body[key]
    const save = (caller: Caller) => () => caller.patch(url, { version, [field]: unique('Name') })
    const lock = sql`lock table ${sql.table(table)} in share mode`
    const saves = await startBehindLock(service.database, (transaction) => lock.execute(transaction), [
      save(admin),
      save(second),
    ])
    t.strictSame(saves.map(({ status }) => status).sort(), [200, 409])
    const [won, lost] = saves.toSorted((a, b) => a.status - b.status) as [ServiceResponse, ServiceResponse]
    t.equal(won.body[key].version, version + 1)
    isOutdated(t, lost, version + 1)
    t.match((await admin.patch(url, {})).body[key], { [field]: won.body[key][field], version: version + 1 })
  })
}

t.test('an assignment counts changes of each field of its form, but no renewal', async (t) => {
  const { id, url } = await createAssignment({ description: 'Kurz' })
  const other = await sheetPart(db)
  const teamId = await createTeam(db, { members: [member.id] })
  const changes = [
    { description: 'Lang' },
    { mandatory: false },
    { parts: [other] },
    { parts: [other, { kind: 'personal', title: 'Rundgang' }] },
    { audience: { user_ids: [member.id], team_ids: [teamId] } },
    { audience: { team_ids: [teamId] } },
    { audience: { everybody: true } },
    { starts: { joining: true }, due: { days_after_start: 7 } },
    { due: { days_after_start: 8 } },
    { recurrence: { every_months: 12 } },
    { recurrence: null },
    { retention_years: 3 },
    { responsible_id: member.id },
    { responsible_id: null },
  ]
  for (const [index, change] of changes.entries()) {
    const name = JSON.stringify(change)
    t.match((await admin.patch(url, change)).body.assignment, { version: index + 2 }, name)
    t.match((await admin.patch(url, change)).body.assignment, { version: index + 2 }, `${name} again`)
  }
  const version = changes.length + 1
  t.match((await admin.post(`${url}/renew`)).body.assignment, { version, renewals: 1 })
  t.match((await admin.get(url)).body.assignment, { id, version, renewals: 1 })
  const { assignments } = (await admin.get('/api/assignments?limit=1')).body
  t.match(assignments, [{ id, version, renewals: 1 }])
})

t.test('an assignment counts a change of the responsible person with the leads of its team', async (t) => {
  const [lead, next] = [await createEditor(service), await service.member()]
  const teamId = await createTeam(db, { leads: [lead.id, next.id] })
  const { url } = await createAssignment({ audience: { team_ids: [teamId] }, responsible_id: lead.id })
  t.strictSame((await admin.delete(`/api/teams/${teamId}/members/${lead.id}`)).body, { ok: true })
  t.match((await admin.get(url)).body.assignment, { responsible_id: next.id, version: 2 })
  isOutdated(t, await admin.patch(url, { version: 1, responsible_id: lead.id }), 2)
})

t.test('a team shows its version to administrators only and counts no members', async (t) => {
  const lead = await service.member()
  const id = await createTeam(db, { leads: [lead.id] })
  const member = { method: 'PUT', url: `/api/teams/${id}/members/${admin.id}`, payload: { role: 'member' } } as const
  t.strictSame((await admin.send(member)).body, { ok: true })
  t.match((await admin.get(`/api/teams/${id}`)).body.team, { version: 1 })
  t.match((await admin.patch(`/api/teams/${id}`, { external_group: unique('g') })).body.team, { version: 2 })
  const { teams } = (await admin.get('/api/teams')).body
  t.match(
    teams.find((team: { id: number }) => team.id === id),
    { version: 2 },
  )
  t.strictSame(Object.keys((await lead.get(`/api/teams/${id}`)).body.team), ['id', 'name'])
})

t.test('a deck counts changes of each field of its form', async (t) => {
  for (const tests_only of [false, true]) {
    const slug = await writeDeck(editor, source, { tests_only })
    const changes = [
      { description: 'Kurz' },
      { sort_order: -7 },
      { lang: 'en' },
      { desired_retention: 0.9 },
      { desired_retention: null },
      { archived: true },
      { archived: false },
      { name: 'Neu', lang: 'de', desired_retention: 0.8, archived: true },
    ]
    for (const [index, change] of changes.entries()) {
      const name = JSON.stringify(change)
      const save = async () => (await editor.patch(`/api/content/decks/${slug}`, change)).body.deck
      t.match(await save(), { version: index + 2 }, name)
      t.match(await save(), { version: index + 2 }, `${name} again`)
    }
  }
})

t.test('a deck counts changes by an import and the archiving of its source, but none of its cards', async (t) => {
  const author = await createEditor(service)
  const slug = unique('deck')
  const upload = async (parameters: string, name: string, answer = 'A') => {
    const file = await zipOf({ [`decks/${slug}.md`]: deckFile(name, [{ id: 'eins', answer }]) })
    const headers = { 'content-type': 'application/octet-stream' }
    return author.post(`/api/content/imports?${parameters}`, file, { headers })
  }
  const { body } = await upload('name=Versionen.zip', 'Alt')
  const url = `source=${body.source.id}`
  t.match(await deckOf(slug, author), { name: 'Alt', version: 1 })
  t.equal((await upload(url, 'Alt', 'B')).status, 200)
  t.match(await deckOf(slug, author), { name: 'Alt', version: 1 }, 'a changed card')
  t.equal((await upload(url, 'Neu', 'B')).status, 200)
  t.match(await deckOf(slug, author), { name: 'Neu', version: 2 })
  isOutdated(t, await author.patch(`/api/content/decks/${slug}`, { version: 1, name: 'Mein' }), 2)
  const stored = `/api/content/sources/${body.source.id}`
  t.equal((await author.delete(stored)).status, 200)
  t.match(await deckOf(slug, author), { archived_at: String, version: 3 })
  t.equal((await author.post(`${stored}/restore`)).status, 200)
  t.match(await deckOf(slug, author), { archived_at: null, version: 4 })
})
