import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { WEBHOOK_EVENTS } from '../../src/domain/webhooks/events.js'
import { createUser, unique } from '../support/factories.js'
import { startReceiver, verify } from '../support/receiver.js'
import { errorBody, type ServiceResponse, startService } from '../support/service.js'
import { announceReports, LOOPBACK } from '../support/webhooks.js'

const service = await startService(t, { config: { webhookAllow: [LOOPBACK] } })
const { database, db } = service
const strict = await startService(t, { database })
const simulated = await startService(t, { database, config: { simulatedDate: '2027-01-01' } })
const admin = await service.admin()
const URL = 'https://hr.example.org:8443/hooks/geheim?sig=abc'

const webhook = (values: object = {}) => ({ name: 'Personal', url: URL, events: ['account.disabled'], ...values })
const create = async (values: object = {}) => (await admin.post('/api/webhooks', webhook(values))).body
const ageLogin = (id: number) =>
  sql`update sessions set authenticated_at = now() - interval '11 minutes' where user_id = ${id}`.execute(db)

function concerns(t: Test, { status, headers }: ServiceResponse, code: string, field?: string): void {
  t.strictSame([status, headers['x-error-code'], headers['x-error-field']], [400, code, field])
}

t.beforeEach(async () => {
  await db.deleteFrom('webhooks').execute()
})

t.test('shows the secret once, and never more of the address than its host', async (t) => {
  const created = await admin.post('/api/webhooks', webhook())
  t.equal(created.status, 200)
  t.match(created.body, {
    webhook: {
      name: 'Personal',
      host: 'hr.example.org:8443',
      kind: 'standard',
      events: ['account.disabled'],
      include_names: false,
      paused_at: null,
      waiting: 0,
      version: 1,
    },
    secret: /^whsec_[A-Za-z0-9+/]{43}=$/,
  })
  const { id } = created.body.webhook
  const shown = [
    await admin.get('/api/webhooks'),
    await admin.get(`/api/webhooks/${id}`),
    await admin.patch(`/api/webhooks/${id}`, { name: 'Neuer Name', version: 1 }),
    await admin.get('/api/accounts/audit'),
  ]
  for (const { status, text } of shown) {
    t.equal(status, 200)
    t.notMatch(text, /geheim|sig=|whsec_/)
    t.match(text, /hr\.example\.org/)
  }
  t.notMatch(created.text, /geheim|sig=/)
  t.match(shown[0]?.body, { webhooks: [{ id, host: 'hr.example.org:8443' }], held: false })
  t.strictSame(created.body.webhook, shown[1]?.body.webhook)
})

t.test('a new secret replaces the present one', async (t) => {
  const { webhook: created, secret } = await create()
  const changed = await admin.patch(`/api/webhooks/${created.id}`, { new_secret: true })
  t.match(changed.body, { webhook: { version: 2 }, secret: /^whsec_/ })
  t.not(changed.body.secret, secret)
  const row = await db.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow()
  t.equal(`whsec_${row.secret.toString('base64')}`, changed.body.secret)
  t.notOk('secret' in (await admin.patch(`/api/webhooks/${created.id}`, { new_secret: false })).body)
})

t.test('refuses invalid fields', async (t) => {
  const refused = (values: object) => admin.post('/api/webhooks', webhook(values))
  for (const url of ['', 'hr.example.org', 'ftp://hr.example.org/', 'https://a:b@hr.example.org/', 'https://h/#a']) {
    concerns(t, await refused({ url }), 'invalid_input', 'url')
  }
  concerns(t, await refused({ url: `https://hr.example.org/${'x'.repeat(2_000)}` }), 'invalid_input', 'url')
  for (const host of ['10.0.0.1', '169.254.169.254', '[::1]', '[::ffff:10.0.0.1]', '0x0a000001', '[fd00::1]']) {
    concerns(t, await refused({ url: `https://${host}/` }), 'address_not_allowed', 'url')
    concerns(t, await refused({ url: `http://${host}/` }), 'address_not_allowed', 'url')
  }
  concerns(t, await refused({ url: 'http://8.8.8.8/' }), 'https_needed', 'url')
  for (const name of ['', '  ', 'x'.repeat(101), 'a\nb', 'a\u202eb']) {
    concerns(t, await refused({ name }), 'invalid_input', 'name')
  }
  concerns(t, await refused({ events: [] }), 'invalid_input', 'events')
  concerns(t, await refused({ events: ['user.login'] }), 'invalid_input', 'events/0')
  concerns(t, await refused({ kind: 'slack' }), 'invalid_input', 'kind')
  concerns(t, await admin.post('/api/webhooks', { name: 'x', url: URL }), 'invalid_input', 'events')
  const { webhook: created } = await create()
  concerns(
    t,
    await admin.patch(`/api/webhooks/${created.id}`, { url: 'https://10.0.0.1/' }),
    'address_not_allowed',
    'url',
  )
  t.strictSame((await admin.get('/api/webhooks')).body.webhooks, [created])
  const events = [...WEBHOOK_EVENTS].reverse()
  t.strictSame((await create({ events: [...events, ...events] })).webhook.events, [...WEBHOOK_EVENTS])
})

t.test('without WEBHOOK_ALLOW, an address needs https', async (t) => {
  const chef = await strict.admin()
  concerns(t, await chef.post('/api/webhooks', webhook({ url: 'http://hr.example.org/' })), 'https_needed', 'url')
  concerns(t, await chef.post('/api/webhooks', webhook({ url: 'http://127.0.0.1/' })), 'address_not_allowed', 'url')
  t.equal((await chef.post('/api/webhooks', webhook())).status, 200)
})

t.test('requires a recent login for an address, a secret and names', async (t) => {
  const chef = await service.admin()
  const { webhook: created } = await create()
  const path = `/api/webhooks/${created.id}`
  await ageLogin(chef.id)
  for (const response of [
    await chef.post('/api/webhooks', webhook()),
    await chef.post('/api/webhooks', { name: 5 }),
    await chef.patch(path, { url: URL }),
    await chef.patch(path, { new_secret: true }),
    await chef.patch(path, { include_names: true }),
    await chef.patch('/api/webhooks/999999', { url: URL }),
  ]) {
    t.strictSame(response.body, errorBody(403, 'Bitte erneut anmelden'))
  }
  for (const body of [
    { name: 'Neu' },
    { paused: true },
    { paused: false },
    { include_names: false },
    { events: ['proof.issued'] },
  ]) {
    t.equal((await chef.patch(path, body)).status, 200, JSON.stringify(body))
  }
  t.equal((await chef.delete(path)).status, 200)
})

t.test('a change names its version, and pausing is a change', async (t) => {
  const { webhook: created } = await create()
  const path = `/api/webhooks/${created.id}`
  t.match((await admin.patch(path, { paused: true, version: 1 })).body.webhook, { pause_cause: 'hand', version: 2 })
  const outdated = await admin.patch(path, { name: 'Neu', version: 1 })
  t.match(outdated, {
    status: 409,
    headers: { 'x-error-code': 'version_outdated', 'x-error-details': '{"version":2}' },
  })
  t.match((await admin.patch(path, { paused: true, name: 'Personal' })).body.webhook, { version: 2 }, 'no change')
  t.match((await admin.patch(path, { paused: false })).body.webhook, { paused_at: null, pause_cause: null, version: 3 })
  t.match((await admin.get('/api/accounts/audit?limit=3')).body.entries, [
    { action: 'webhook.update', target: 'Personal', details: { fields: ['paused'], paused: false } },
    { action: 'webhook.update', details: { fields: ['paused'], paused: true } },
    {
      action: 'webhook.create',
      details: { host: 'hr.example.org:8443', kind: 'standard', events: ['account.disabled'] },
    },
  ])
})

t.test('a repeated creation returns the same webhook with another secret', async (t) => {
  const client_id = unique('client-id')
  const first = await create({ client_id })
  const second = await create({ client_id })
  t.equal(second.webhook.id, first.webhook.id)
  t.not(second.secret, first.secret)
  const other = await admin.post('/api/webhooks', webhook({ client_id, name: 'Anders' }))
  t.match(other, {
    status: 409,
    headers: { 'x-error-code': 'client_id_used', 'x-error-details': `{"id":${first.webhook.id}}` },
  })
  t.equal((await admin.get('/api/webhooks')).body.webhooks.length, 1)
  t.strictSame([first.webhook.version, second.webhook.version], [1, 2])
  t.match((await admin.get('/api/accounts/audit?limit=1')).body.entries, [
    { action: 'webhook.update', target: 'Personal', details: { fields: ['secret'] } },
  ])
})

t.test('there are at most 50 webhooks', async (t) => {
  await sql`
    insert into webhooks (name, url, kind, events, include_names, secret)
    select 'W ' || number, 'https://example.org/', 'standard', '{proof.issued}', false, '\\x00'
    from generate_series(1, 50) as number`.execute(db)
  const refused = await admin.post('/api/webhooks', webhook())
  t.match(refused, { status: 409, headers: { 'x-error-code': 'too_many_webhooks' } })
})

t.test('deletes a webhook with its events', async (t) => {
  const { webhook: created } = await create({ events: ['report.created'] })
  await announceReports(db, [1, 2])
  t.match((await admin.get(`/api/webhooks/${created.id}`)).body.webhook, { waiting: 2 })
  t.equal((await admin.delete(`/api/webhooks/${created.id}`)).status, 200)
  t.equal((await admin.delete(`/api/webhooks/${created.id}`)).status, 200, 'also if it is deleted already')
  t.equal((await admin.get(`/api/webhooks/${created.id}`)).status, 404)
  t.strictSame(await db.selectFrom('webhook_events').selectAll().execute(), [])
})

t.test('sends a test event at once and says what happened', async (t) => {
  const receiver = await startReceiver(t)
  const { webhook: created, secret } = await create({ url: receiver.url })
  const test = () => admin.post(`/api/webhooks/${created.id}/test`)
  t.strictSame((await test()).body, {
    ok: true,
    status: 200,
    fault: null,
    answer: 'ok',
    message: 'Der Empfänger hat die Nachricht angenommen (200)',
  })
  const [message] = receiver.received
  t.match(message && verify(secret, message), { type: 'webhook.test', data: {} })
  receiver.onMessage = () => ({ status: 401, text: `unknown address ${receiver.url}` })
  t.match((await test()).body, { ok: false, status: 401, answer: 'unknown address ***' })
  t.match((await admin.get(`/api/webhooks/${created.id}/deliveries`)).body, {
    deliveries: [
      { type: 'webhook.test', state: 'failed', status: 401, attempts: 1, may_send_again: true },
      { type: 'webhook.test', state: 'delivered', message_id: message?.id },
    ],
    next_after: null,
  })
  t.match((await admin.get('/api/accounts/audit?limit=1')).body.entries, [
    { action: 'webhook.test', target: 'Personal' },
  ])
  t.match(await admin.post('/api/webhooks/999999/test'), {
    status: 404,
    headers: { 'x-error-code': 'webhook_not_found' },
  })
})

t.test('lists deliveries in pages and sends one again', async (t) => {
  const receiver = await startReceiver(t)
  const { webhook: created } = await create({ url: receiver.url, events: ['report.created'] })
  await announceReports(db, [1, 2, 3])
  await sql`update webhook_events set state = 'failed', status = 404, attempts = 1 where (data #>> '{report,id}')::int < 3`.execute(
    db,
  )
  const path = `/api/webhooks/${created.id}/deliveries`
  const { body } = await admin.get(`${path}?limit=2`)
  t.match(body.deliveries, [
    { state: 'waiting', attempts: 0, may_send_again: false, answer: null },
    { state: 'failed', status: 404 },
  ])
  const rest = await admin.get(`${path}?limit=2&after=${body.next_after}`)
  t.match(rest.body, { deliveries: [{ state: 'failed' }], next_after: null })
  const [waiting, failed] = body.deliveries
  t.match((await admin.post(`${path}/${failed.id}/send`)).body, { ok: true, status: 200 })
  t.match(receiver.received, [{ id: failed.message_id, body: { data: { report: { id: 2 } } } }])
  t.match((await admin.get(path)).body.deliveries[1], { state: 'delivered', attempts: 2 })
  t.match(await admin.post(`${path}/${waiting.id}/send`), {
    status: 409,
    headers: { 'x-error-code': 'delivery_waiting' },
  })
  t.match(await admin.post(`${path}/999999/send`), { status: 404, headers: { 'x-error-code': 'delivery_not_found' } })
  t.equal((await admin.post(`${path}/x/send`)).status, 400)
  const other = await create({ events: ['report.created'] })
  t.equal((await admin.post(`/api/webhooks/${other.webhook.id}/deliveries/${failed.id}/send`)).status, 404)
  t.match((await admin.get('/api/accounts/audit?action=webhook.resend')).body.entries, [
    { target_id: created.id, details: { delivery: failed.id, type: 'report.created' } },
  ])
})

t.test('limits the messages that are sent by hand', async (t) => {
  const chef = await strict.admin()
  const { body } = await chef.post('/api/webhooks', webhook({ url: 'https://name.invalid/' }))
  // Without a receiver, the service looks up a name that does not exist.
  await db.updateTable('webhooks').set({ url: 'https://127.0.0.1/' }).execute()
  for (let sent = 0; sent < 20; sent++) {
    t.match((await chef.post(`/api/webhooks/${body.webhook.id}/test`)).body, { ok: false, fault: 'address' })
  }
  const refused = await chef.post(`/api/webhooks/${body.webhook.id}/test`)
  t.match(refused, { status: 429, headers: { 'retry-after': /^[1-9][0-9]?$/ } })
})

t.test('sends nothing while the date is simulated', async (t) => {
  const chef = await simulated.admin()
  const { body } = await chef.post('/api/webhooks', webhook())
  t.match((await chef.get('/api/webhooks')).body, { held: true })
  const refused = await chef.post(`/api/webhooks/${body.webhook.id}/test`)
  t.match(refused, { status: 409, headers: { 'x-error-code': 'webhooks_held' } })
})

t.test('only administrators and their tokens of the scope admin have access', async (t) => {
  const member = await service.member()
  const author = await createUser(db, { is_author: true })
  for (const caller of [member, await service.loginAs(author.username)]) {
    t.equal((await caller.get('/api/webhooks')).status, 403)
    t.equal((await caller.post('/api/webhooks', webhook())).status, 403)
  }
  t.equal((await service.anonymous.get('/api/webhooks')).status, 401)
})
