import t, { type Test } from 'tap'
import { lockFormRequest } from '../../db/queries/form-requests.js'
import type { FormKind } from '../../src/domain/form-requests.js'
import { ASSIGNMENT, createTeam } from '../support/assignments.js'
import { startBehindLock } from '../support/database.js'
import { createEditor, createSource } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { errorBody, type ServiceResponse, startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const admin = await service.admin()
const other = await service.admin()
const member = await service.member()
const source_id = await createSource(db)
const parts = [{ kind: 'personal', title: 'Rundgang' }]

/** An object that a form creates */
interface Formed {
  kind: FormKind
  url: string
  body: () => object
  /** Field that the tests change */
  field: string
  /** Values that name the object in `X-Error-Details` */
  nameOf: (object: { id: number; slug: string }) => { id: number } | { slug: string }
  pathOf: (object: { id: number; slug: string }) => string
  remove: (object: { id: number; slug: string }) => Promise<unknown>
}

const FORMED: Formed[] = [
  {
    kind: 'assignment',
    url: '/api/assignments',
    field: 'title',
    body: () => ({ ...ASSIGNMENT, title: unique('Aufgabe'), parts, audience: { user_ids: [member.id] } }),
    nameOf: ({ id }) => ({ id }),
    pathOf: ({ id }) => `/api/assignments/${id}`,
    remove: ({ id }) => admin.delete(`/api/assignments/${id}`),
  },
  {
    kind: 'team',
    url: '/api/teams',
    field: 'name',
    body: () => ({ name: unique('Team') }),
    nameOf: ({ id }) => ({ id }),
    pathOf: ({ id }) => `/api/teams/${id}`,
    remove: ({ id }) => admin.delete(`/api/teams/${id}`),
  },
  {
    kind: 'deck',
    url: '/api/content/decks',
    field: 'name',
    body: () => ({ source_id, name: unique('Deck') }),
    nameOf: ({ slug }) => ({ slug }),
    pathOf: ({ slug }) => `/api/content/decks/${slug}`,
    remove: ({ slug }) => db.deleteFrom('decks').where('slug', '=', slug).execute(),
  },
  {
    kind: 'source',
    url: '/api/content/sources',
    field: 'name',
    body: () => ({ name: unique('Quelle') }),
    nameOf: ({ id }) => ({ id }),
    pathOf: ({ id }) => `/api/content/sources/${id}`,
    remove: ({ id }) => admin.delete(`/api/content/sources/${id}?purge=true`),
  },
]

function isUsed(t: Test, { body, headers }: ServiceResponse, details: object): void {
  t.strictSame(body, errorBody(409, 'Das ist schon angelegt, aber mit anderen Angaben'))
  t.equal(headers['x-error-code'], 'client_id_used')
  t.equal(headers['x-error-field'], 'client_id')
  t.strictSame(JSON.parse(String(headers['x-error-details'])), details)
}

for (const { kind, url, body, field, nameOf, pathOf, remove } of FORMED) {
  t.test(`${kind}: a repeated request returns the object in its current state and creates none`, async (t) => {
    const request = { ...body(), client_id: unique('client') }
    const first = await admin.post(url, request)
    t.equal(first.status, 200)
    const created = first.body[kind]
    t.strictSame((await admin.post(url, request)).body, first.body)
    isUsed(t, await admin.post(url, { ...request, [field]: unique('Anders') }), nameOf(created))
    const changed = (await admin.patch(pathOf(created), { [field]: unique('Neu') })).body
    t.strictSame((await admin.post(url, request)).body, changed)
    const { count } = await db
      .selectFrom('form_requests')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('client_id', '=', request.client_id)
      .executeTakeFirstOrThrow()
    t.equal(count, 1)
  })

  t.test(`${kind}: of two concurrent requests, one creates the object and both return it`, async (t) => {
    const client_id = unique('client')
    const request = { ...body(), client_id }
    const key = { user_id: admin.id, kind, client_id }
    const responses = await startBehindLock(service.database, (transaction) => lockFormRequest(transaction, key), [
      () => admin.post(url, request),
      () => admin.post(url, request),
    ])
    t.strictSame(
      responses.map(({ status }) => status),
      [200, 200],
    )
    t.strictSame(nameOf(responses[0]?.body[kind]), nameOf(responses[1]?.body[kind]))
  })

  t.test(`${kind}: a client id belongs to one user, and is free again after the deletion`, async (t) => {
    const client_id = unique('client')
    const [first, second] = [
      await admin.post(url, { ...body(), client_id }),
      await other.post(url, { ...body(), client_id }),
    ]
    t.strictSame([first.status, second.status], [200, 200])
    t.notSame(nameOf(first.body[kind]), nameOf(second.body[kind]))
    await remove(first.body[kind])
    const request = { ...body(), client_id }
    const again = await admin.post(url, request)
    t.equal(again.status, 200)
    t.strictSame((await admin.post(url, request)).body, again.body)
  })

  t.test(`${kind}: a refused request leaves the client id free`, async (t) => {
    const request = { ...body(), client_id: unique('client') }
    t.equal((await admin.post(url, { ...request, [field]: ' ' })).status, 400)
    t.equal((await admin.post(url, request)).status, 200)
    for (const client_id of ['kurz', 'x'.repeat(65), 'null\u0000-byte']) {
      t.equal((await admin.post(url, { ...body(), client_id })).headers['x-error-field'], 'client_id')
    }
  })
}

t.test('a repeated request for a token replaces the token that was lost', async (t) => {
  const request = { name: 'Import', scopes: ['read'], client_id: unique('client') }
  const lost = (await member.post('/api/auth/tokens', request)).body
  const { status, body } = await member.post('/api/auth/tokens', request)
  t.strictSame([status, { ...body, token: '' }], [200, { ...lost, token: '' }])
  t.equal((await member.get('/api/auth/tokens')).body.tokens.length, 1)
  const statusWith = async (token: string) =>
    (await service.app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } })).statusCode
  t.strictSame([await statusWith(lost.token), await statusWith(body.token)], [401, 200])
  isUsed(t, await member.post('/api/auth/tokens', { ...request, name: 'Anders' }), { id: lost.id })
  await member.delete(`/api/auth/tokens/${lost.id}`)
  t.equal((await member.post('/api/auth/tokens', { ...request, name: 'Anders' })).status, 200)
})

t.test('a repeated request does not show an assignment that its author may no longer see', async (t) => {
  const author = await createEditor(service, source_id)
  const team = await createTeam(db, { leads: [author.id] })
  const request = { ...ASSIGNMENT, parts, audience: { team_ids: [team] }, client_id: unique('client') }
  const { id } = (await author.post('/api/assignments', request)).body.assignment
  t.match((await author.post('/api/assignments', request)).body.assignment, { id })
  const change = { audience: { user_ids: [member.id] }, mandatory: false, responsible_id: admin.id }
  t.equal((await admin.patch(`/api/assignments/${id}`, change)).status, 200)
  t.equal((await author.post('/api/assignments', request)).status, 404)
})
