import { sql } from 'kysely'
import t from 'tap'
import { announce, announceDisabled } from '../../../db/queries/webhooks/announce.js'
import { forgetPerson, holdLane, releaseLane, settleEvent, takeLane } from '../../../db/queries/webhooks/outbox.js'
import { createAddressRules } from '../../../src/domain/webhooks/networks.js'
import type { ResolveName } from '../../../src/services/webhooks/post.js'
import { KEPT_DELIVERIES } from '../../../src/services/webhooks/send.js'
import { changeWebhook, removeWebhook, sendAgain, sendTestEvent } from '../../../src/services/webhooks/webhooks.js'
import { CERTIFICATE_OF_LOCALHOST, TEST_KEY } from '../../support/certificates.js'
import { createMigratedDatabase } from '../../support/database.js'
import { createUser } from '../../support/factories.js'
import { type ReceivedMessage, startReceiver, verify } from '../../support/receiver.js'
import { addWebhook, announceReports, endDelays, LOOPBACK, openSender, sendDue } from '../../support/webhooks.js'

const database = await createMigratedDatabase()
const { db } = database
t.teardown(() => database.close())

const ACTOR = { actor_id: null, actor: 'test', via: 'cli', address: null } as const
const LEASES = ['7a5c1c5e-0000-4000-8000-000000000001', '7a5c1c5e-0000-4000-8000-000000000002'] as const

t.beforeEach(async () => {
  await db.deleteFrom('webhooks').execute()
})

const reportsOf = (received: readonly ReceivedMessage[]) => received.map(({ body }) => body.data.report?.id)
const listEvents = () => db.selectFrom('webhook_events').selectAll().orderBy('id').execute()
const findWebhook = (id: number) => db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const direct = { rules: createAddressRules([LOOPBACK]), defaultLanguage: 'de' } as const
const signal = new AbortController().signal
const NUMBERS = Array.from({ length: 120 }, (_, index) => index + 1)

t.test('sends signed messages in order over one connection', async (t) => {
  const receiver = await startReceiver(t)
  const { id, secret } = await addWebhook(db, receiver.url)
  await announceReports(db, NUMBERS)
  const sender = openSender(t, db)
  await sendDue(sender)
  t.strictSame(reportsOf(receiver.received), NUMBERS)
  for (const message of receiver.received) verify(secret, message)
  t.match(receiver.received[0]?.headers, { 'content-type': 'application/json', connection: 'keep-alive' })
  t.equal(new Set(receiver.received.map((message) => message.id)).size, NUMBERS.length)
  t.throws(() => verify(`whsec_${'A'.repeat(43)}=`, receiver.received[0] as ReceivedMessage), 'another secret')
  const events = await listEvents()
  t.equal(events.length, KEPT_DELIVERIES, 'the oldest deliveries are deleted')
  t.match(events.at(-1), { state: 'delivered', attempts: 1, status: 200, fault: null, answer: 'ok' })
  t.match(await findWebhook(id), { lease: null, leased_until: null, failing_since: null, last_delivered_at: Date })
  await sendDue(sender)
  t.equal(receiver.received.length, NUMBERS.length, 'nothing is sent twice')
})

t.test('repeats a message with the same id after a fault, and keeps the order', async (t) => {
  const receiver = await startReceiver(t)
  const { id, secret } = await addWebhook(db, receiver.url)
  await announceReports(db, [1, 2, 3])
  const sender = openSender(t, db)
  const answers = [500, 429, 408, 503]
  receiver.onMessage = () => ({ status: answers.shift() ?? 200 })
  await sendDue(sender)
  t.match(await findWebhook(id), { lease: null, failing_since: Date, next_attempt_at: Date, paused_at: null })
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from next_attempt_at - failing_since)::float8 as seconds from webhooks`.execute(db)
  t.equal(rows[0]?.seconds, 5, 'the first repetition follows after 5 seconds')
  await sendDue(sender)
  t.equal(receiver.received.length, 1, 'waits')
  for (let attempt = 0; attempt < 4; attempt++) {
    await endDelays(db)
    await sendDue(sender)
  }
  t.strictSame(reportsOf(receiver.received), [1, 1, 1, 1, 1, 2, 3])
  t.equal(new Set(receiver.received.slice(0, 5).map((message) => message.id)).size, 1)
  for (const message of receiver.received) verify(secret, message)
  t.match(await findWebhook(id), { failing_since: null, next_attempt_at: null })
  t.strictSame(
    (await listEvents()).map(({ attempts, state }) => [attempts, state]),
    [
      [5, 'delivered'],
      [1, 'delivered'],
      [1, 'delivered'],
    ],
  )
})

t.test('a refused event does not hold up the next ones', async (t) => {
  const receiver = await startReceiver(t)
  await addWebhook(db, receiver.url)
  await announceReports(db, [1, 2, 3, 4])
  const elsewhere = await startReceiver(t)
  receiver.onMessage = ({ body }) => {
    if (body.data.report?.id === 1) return { status: 400, text: `wrong ${'x'.repeat(2_000)} ${receiver.url}` }
    if (body.data.report?.id === 2) return { status: 301, headers: { location: elsewhere.url } }
    if (body.data.report?.id === 3) return { status: 307, headers: { location: 'http://169.254.169.254/' } }
    return undefined
  }
  await sendDue(openSender(t, db))
  t.strictSame(reportsOf(receiver.received), [1, 2, 3, 4])
  t.strictSame(elsewhere.received, [], 'redirects are not followed')
  const events = await listEvents()
  t.strictSame(
    events.map(({ state, status }) => [state, status]),
    [
      ['failed', 400],
      ['failed', 301],
      ['failed', 307],
      ['delivered', 200],
    ],
  )
  t.equal(events[0]?.answer?.length, 1_024)
})

t.test('pauses a webhook after failing for a day, and resumes where it was', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(db, receiver.url)
  const paused: number[] = []
  const sender = openSender(t, db, { onPaused: ({ webhook }) => paused.push(webhook) })
  receiver.onMessage = () => ({ status: 500 })
  await announceReports(db, [1])
  await sendDue(sender)
  const back = (hours: number) =>
    sql`update webhooks set next_attempt_at = null, failing_since = now() - make_interval(hours => ${hours})`.execute(
      db,
    )
  await back(23)
  await sendDue(sender)
  t.strictSame(paused, [])
  await back(24)
  await sendDue(sender)
  t.strictSame(paused, [id])
  t.match(await findWebhook(id), { paused_at: Date, pause_cause: 'faults' })
  await announceReports(db, [2])
  await endDelays(db)
  await sendDue(sender)
  t.equal(receiver.received.length, 3, 'sends nothing while paused')
  receiver.onMessage = () => undefined
  await changeWebhook(db, ACTOR, { id, change: { paused: false }, at: new Date('2026-12-01T10:00:00Z') })
  await sendDue(sender)
  t.strictSame(reportsOf(receiver.received), [1, 1, 1, 1, 2])
})

const secondsToRetry = async () => {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from next_attempt_at - attempted_at)::float8 as seconds
    from webhooks join webhook_events on webhook_id = webhooks.id`.execute(db)
  return rows[0]?.seconds
}

t.test('the delays start again after a resumption or a new address', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(db, receiver.url)
  receiver.onMessage = () => ({ status: 500 })
  await announceReports(db, [1])
  const sender = openSender(t, db)
  for (const seconds of [5, 10, 20, 40]) {
    await sendDue(sender)
    t.equal(await secondsToRetry(), seconds)
    await endDelays(db)
  }
  const at = new Date('2026-12-01T10:00:00Z')
  await changeWebhook(db, ACTOR, { id, change: { paused: true }, at })
  await changeWebhook(db, ACTOR, { id, change: { paused: false }, at })
  await sendDue(sender)
  t.equal(await secondsToRetry(), 5)
  await changeWebhook(db, ACTOR, { id, change: { url: `${receiver.url}/new` }, at })
  await sendDue(sender)
  t.equal(await secondsToRetry(), 5)
  t.match(await listEvents(), [{ attempts: 6 }])
})

t.test('time in which the service is down does not count as failing', async (t) => {
  const receiver = await startReceiver(t)
  await addWebhook(db, receiver.url)
  receiver.onMessage = () => ({ status: 500 })
  await announceReports(db, [1])
  const sender = openSender(t, db)
  await sendDue(sender)
  await sql`
    update webhooks set failing_since = now() - interval '3 days', next_attempt_at = now() - interval '70 hours'
  `.execute(db)
  await sendDue(sender)
  const { rows } = await sql<{ hours: number }>`
    select round(extract(epoch from now() - failing_since) / 3600)::integer as hours from webhooks
    where paused_at is null`.execute(db)
  t.strictSame(rows, [{ hours: 2 }])
  await sql`
    update webhooks set failing_since = now() - interval '3 days', next_attempt_at = now() - interval '40 hours'
  `.execute(db)
  await sendDue(sender)
  t.match(await db.selectFrom('webhooks').selectAll().execute(), [{ pause_cause: 'faults' }])
})

t.test('a slow receiver delays no other webhook', async (t) => {
  const [slow, quick] = [await startReceiver(t), await startReceiver(t)]
  await addWebhook(db, slow.url)
  await addWebhook(db, quick.url)
  await announceReports(db, [1, 2])
  let answer = (_: undefined) => {}
  const held = new Promise<undefined>((resolve) => {
    answer = resolve
  })
  slow.onMessage = () => held
  const quickDone = new Promise<void>((resolve) => {
    quick.onMessage = () => {
      if (quick.received.length === 2) resolve()
      return undefined
    }
  })
  const sender = openSender(t, db)
  await sender.run()
  await quickDone
  await announceReports(db, [3])
  t.strictSame(reportsOf(slow.received), [1])
  answer(undefined)
  await sender.idle()
  t.strictSame(reportsOf(slow.received), [1, 2, 3])
})

t.test('two instances never send from one lane at the same time', async (t) => {
  const receiver = await startReceiver(t)
  await addWebhook(db, receiver.url)
  let active = 0
  let most = 0
  receiver.onMessage = async () => {
    most = Math.max(most, ++active)
    await new Promise((resolve) => setImmediate(resolve))
    active--
    return undefined
  }
  const senders = [openSender(t, db), openSender(t, db)]
  await announceReports(db, NUMBERS.slice(0, 40))
  await Promise.all(senders.map(sendDue))
  await Promise.all(senders.map(sendDue))
  t.strictSame(reportsOf(receiver.received), NUMBERS.slice(0, 40))
  t.equal(most, 1)
})

t.test('a lease is exclusive and ends after at most 30 seconds', async (t) => {
  const { id } = await addWebhook(db, 'https://example.org/')
  t.ok(await takeLane(db, id, LEASES[0]))
  t.equal(await takeLane(db, id, LEASES[1]), undefined)
  const { rows } = await sql<{ is_short: boolean }>`
    select leased_until <= now() + interval '30 seconds' as is_short from webhooks`.execute(db)
  t.equal(rows[0]?.is_short, true)
  t.ok(await holdLane(db, id, LEASES[0]))
  t.equal(await holdLane(db, id, LEASES[1]), undefined)
  await releaseLane(db, id, LEASES[1])
  t.equal(await takeLane(db, id, LEASES[1]), undefined, 'only the holder ends the lease')
  await sql`update webhooks set leased_until = now()`.execute(db)
  t.ok(await takeLane(db, id, LEASES[1]))
  t.equal(await holdLane(db, id, LEASES[0]), undefined, 'the former holder has lost it')
})

t.test('an instance that has lost its lease settles its event and sends no further one', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(db, receiver.url)
  await announceReports(db, [1, 2])
  receiver.onMessage = async () => {
    await db.updateTable('webhooks').set({ lease: LEASES[1] }).execute()
    return undefined
  }
  await sendDue(openSender(t, db))
  t.strictSame(reportsOf(receiver.received), [1])
  t.strictSame(
    (await listEvents()).map(({ state }) => state),
    ['delivered', 'waiting'],
  )
  t.equal((await findWebhook(id)).lease, LEASES[1])
})

t.test('a change or the end of a webhook applies to the next message', async (t) => {
  const [before, after] = [await startReceiver(t), await startReceiver(t)]
  const { id } = await addWebhook(db, before.url)
  await announceReports(db, [1, 2, 3])
  before.onMessage = async () => {
    await changeWebhook(db, ACTOR, { id, change: { url: after.url }, at: new Date() })
    return undefined
  }
  after.onMessage = async () => {
    await removeWebhook(db, ACTOR, id)
    return undefined
  }
  await sendDue(openSender(t, db))
  t.strictSame([reportsOf(before.received), reportsOf(after.received)], [[1], [2]])
  t.strictSame(await listEvents(), [])
})

t.test('a paused webhook keeps its events', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(db, receiver.url)
  await announceReports(db, [1, 2])
  receiver.onMessage = async () => {
    await changeWebhook(db, ACTOR, { id, change: { paused: true }, at: new Date('2026-12-01T10:00:00Z') })
    return undefined
  }
  await sendDue(openSender(t, db))
  t.strictSame(reportsOf(receiver.received), [1])
  t.match(await findWebhook(id), { pause_cause: 'hand', lease: null })
})

t.test('connects to no address that is not allowed, whatever the name resolves to', async (t) => {
  const receiver = await startReceiver(t)
  const rules = createAddressRules([])
  // The name has a public address at the first look, and that of the loopback interface at the second.
  const answers = [['192.0.2.1'], ['127.0.0.1'], ['127.0.0.1', '::1', '::ffff:127.0.0.1']]
  let looks = 0
  const resolveName: ResolveName = (_name, _options, done) => {
    const addresses = (answers[looks++] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    done(null, addresses)
  }
  const { id } = await addWebhook(db, `https://rebind.example:${receiver.port}/`)
  await announceReports(db, [1])
  const sender = openSender(t, db, { rules, resolveName })
  for (let look = 0; look < answers.length; look++) {
    await endDelays(db)
    await sendDue(sender)
  }
  t.equal(looks, answers.length)
  t.match(await listEvents(), [{ state: 'waiting', fault: 'address', status: null, attempts: 3 }])
  t.strictSame(receiver.received, [])
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254', '[fe80::1]']) {
    await db
      .updateTable('webhooks')
      .set({ url: `https://${host}:${receiver.port}/` })
      .execute()
    t.match(await sendTestEvent(db, ACTOR, id, { ...direct, rules, signal }), { ok: false, fault: 'address' }, host)
  }
  t.strictSame(receiver.received, [])
})

t.test('plain connections are allowed only to networks that are named', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(db, `http://name.example:${receiver.port}/`)
  const to = (address: string): ResolveName => {
    return (_name, _options, done) => done(null, [{ address, family: 4 }])
  }
  const test = (resolveName: ResolveName) => sendTestEvent(db, ACTOR, id, { ...direct, resolveName, signal })
  t.match(await test(to('127.0.0.1')), { ok: true, status: 200 })
  t.match(await test(to('8.8.8.8')), { ok: false, fault: 'address' })
  t.match(await test((_name, _options, done) => done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])), {
    ok: false,
    fault: 'name',
    message: 'Den Namen des Empfängers gibt es nicht',
  })
})

t.test('faults of TLS and of the connection are repeated', async (t) => {
  const tls = await startReceiver(t, { key: TEST_KEY, cert: CERTIFICATE_OF_LOCALHOST })
  const { id } = await addWebhook(db, tls.url)
  await announceReports(db, [1])
  const sender = openSender(t, db)
  await sendDue(sender)
  t.match(await listEvents(), [{ state: 'waiting', fault: 'encryption', answer: /certificate/ }])
  t.strictSame(tls.received, [])
  // A TLS server answers a plain request by closing the connection.
  await db
    .updateTable('webhooks')
    .set({ url: `http://127.0.0.1:${tls.port}/`, next_attempt_at: null })
    .execute()
  await sendDue(sender)
  t.match(await listEvents(), [{ state: 'waiting', fault: 'connection', attempts: 2 }])
  t.match(await findWebhook(id), { paused_at: null, failing_since: Date })
})

t.test('reads at most 64 kB of a response, and counts the status of a broken one', async (t) => {
  const receiver = await startReceiver(t)
  await addWebhook(db, receiver.url)
  await announceReports(db, [1, 2])
  receiver.onMessage = ({ body }) =>
    body.data.report?.id === 1 ? { text: 'x'.repeat(10 * 2 ** 20) } : { text: 'short', isBroken: true }
  await sendDue(openSender(t, db))
  const [first, second] = await listEvents()
  t.match(first, { state: 'delivered', status: 200 })
  t.equal(first?.answer?.length, 1_024)
  t.match(second, { state: 'delivered', status: 200, answer: 'short' })
})

t.test('names of persons are looked up when the message is sent, only with include_names', async (t) => {
  const [plain, named] = [await startReceiver(t), await startReceiver(t)]
  await addWebhook(db, plain.url)
  await addWebhook(db, named.url, { include_names: true })
  const { id } = await createUser(db, { display_name: 'Erika Muster' })
  await sql`update users set disabled_on = '2020-01-01' where id = ${id}`.execute(db)
  await announceDisabled(db, { ids: [id], today: '2026-12-01' })
  t.notMatch(JSON.stringify(await listEvents()), /Erika/)
  await sendDue(openSender(t, db))
  t.strictSame(plain.received[0]?.body.data, { person: { id, external_id: null }, disabled_on: '2020-01-01' })
  t.strictSame(named.received[0]?.body.data.person, { id, external_id: null, name: 'Erika Muster' })
  t.notMatch(JSON.stringify(await listEvents()), /Erika/)
})

t.test('names that are switched on between two messages are in the next one', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(db, receiver.url)
  const persons = [await createUser(db, { display_name: 'Eins' }), await createUser(db, { display_name: 'Zwei' })]
  const ids = persons.map((person) => person.id)
  await db.updateTable('users').set({ disabled_on: '2020-01-01' }).where('id', 'in', ids).execute()
  await announceDisabled(db, { ids, today: '2026-12-01' })
  receiver.onMessage = async () => {
    await changeWebhook(db, ACTOR, { id, change: { include_names: true }, at: new Date('2026-12-01T10:00:00Z') })
    return undefined
  }
  await sendDue(openSender(t, db))
  t.strictSame(
    receiver.received.map(({ body }) => body.data.person?.name),
    [undefined, 'Zwei'],
  )
})

t.test('a Teams webhook gets cards, and its address appears nowhere', async (t) => {
  const receiver = await startReceiver(t)
  const { id, secret } = await addWebhook(db, receiver.url, { kind: 'teams' })
  await announceReports(db, [1])
  receiver.onMessage = () => ({ status: 400, text: `bad request for ${receiver.url}` })
  await sendDue(openSender(t, db))
  t.match(verify(secret, receiver.received[0] as ReceivedMessage), { type: 'message', attachments: [{}] })
  t.match(await listEvents(), [{ state: 'failed', answer: 'bad request for ***' }])
  await sendTestEvent(db, ACTOR, id, { ...direct, signal })
  const { rows } = await sql`select audit_log::text as text from audit_log`.execute(db)
  t.notMatch(JSON.stringify(rows), /geheim-0815|whsec_/)
  t.match(JSON.stringify(rows), new RegExp(`127.0.0.1:${receiver.port}`))
})

t.test('sends a settled event again beside the lane, with the same id', async (t) => {
  const receiver = await startReceiver(t)
  const { id, secret } = await addWebhook(db, receiver.url)
  await announceReports(db, [1])
  receiver.onMessage = () => ({ status: 404 })
  await sendDue(openSender(t, db))
  await changeWebhook(db, ACTOR, { id, change: { paused: true }, at: new Date('2026-12-01T10:00:00Z') })
  await announceReports(db, [2])
  const [failed, waiting] = await listEvents()
  receiver.onMessage = () => undefined
  const again = (delivery: number | undefined) =>
    sendAgain(db, ACTOR, { id, delivery: delivery ?? 0 }, { ...direct, signal })
  t.match(await again(failed?.id), { ok: true, status: 200 })
  t.equal(receiver.received[0]?.id, receiver.received[1]?.id)
  verify(secret, receiver.received[1] as ReceivedMessage)
  t.match(await listEvents(), [{ state: 'delivered', attempts: 2 }, { state: 'waiting' }])
  await t.rejects(again(waiting?.id), { code: 'delivery_waiting' })
  await t.rejects(again(0), { code: 'delivery_not_found' })
  t.match(await sendTestEvent(db, ACTOR, id, { ...direct, signal }), { ok: true, answer: 'ok' })
  t.match(receiver.received.at(-1)?.body, { type: 'webhook.test', data: {} })
  t.match((await listEvents()).at(-1), { type: 'webhook.test', state: 'delivered', status: 200 })
})

t.test('a delivered event stays delivered when it is refused the second time', async (t) => {
  const receiver = await startReceiver(t)
  const { id } = await addWebhook(db, receiver.url)
  await announceReports(db, [1])
  await sendDue(openSender(t, db))
  receiver.onMessage = () => ({ status: 404 })
  const [event] = await listEvents()
  t.match(await sendAgain(db, ACTOR, { id, delivery: event?.id ?? 0 }, { ...direct, signal }), { ok: false })
  t.match(await listEvents(), [{ state: 'delivered', status: 404, attempts: 2 }])
})

t.test('a late refusal does not change an event that another instance has delivered', async (t) => {
  const { id } = await addWebhook(db, 'https://example.org/')
  await announceReports(db, [1])
  const eventId = (await listEvents())[0]?.id ?? 0
  const attempt = { webhookId: id, lease: LEASES[0], eventId }
  await settleEvent(db, { ...attempt, outcome: { status: 200, fault: null, answer: '' } }, 'delivered')
  await settleEvent(db, { ...attempt, outcome: { status: 404, fault: null, answer: '' } }, 'failed')
  t.match(await listEvents(), [{ state: 'delivered', status: 200, attempts: 1 }])
})

t.test('deletes the waiting events of a type that is removed', async (t) => {
  const { id } = await addWebhook(db, 'https://example.org/')
  const { id: person } = await createUser(db)
  await sql`update users set disabled_on = '2020-01-01' where id = ${person}`.execute(db)
  await announceDisabled(db, { ids: [person], today: '2026-12-01' })
  await announceReports(db, [1, 2])
  await changeWebhook(db, ACTOR, { id, change: { events: ['account.disabled'] }, at: new Date('2026-12-01T10:00:00Z') })
  t.strictSame(
    (await listEvents()).map(({ type }) => type),
    ['account.disabled'],
  )
})

t.test('the deletion of an account removes what is stored about the person', async (t) => {
  await addWebhook(db, 'https://example.org/')
  const ids = [await createUser(db), await createUser(db)].map((user) => user.id)
  const [gone = 0, other = 0] = ids
  const person = (id: number) => ({ id, external_id: `P-${id}` })
  const occurrence = { id: 1, period: '2026-12-01', due_on: '2026-12-31' }
  await db.transaction().execute(async (transaction) => {
    for (const id of ids) await announce(transaction, 'account.disabled', { person: person(id) })
    await announce(transaction, 'assignment.overdue', {
      overdue: ids.map((id) => ({ person: person(id), occurrence })),
    })
  })
  await db.transaction().execute((transaction) => forgetPerson(transaction, gone))
  const unknown = { id: gone, external_id: null }
  t.strictSame(
    (await listEvents()).map(({ data }) => data),
    [
      { person: unknown },
      { person: person(other) },
      {
        overdue: [
          { person: unknown, occurrence },
          { person: person(other), occurrence },
        ],
      },
    ],
  )
  await db.updateTable('webhook_events').set({ state: 'delivered' }).execute()
  await db.transaction().execute((transaction) => forgetPerson(transaction, gone))
  t.strictSame(
    (await listEvents()).map(({ data }) => data),
    [{ person: person(other) }],
  )
})

t.test('a stop completes the current message and starts no further one', async (t) => {
  const receiver = await startReceiver(t)
  await addWebhook(db, receiver.url)
  await announceReports(db, [1, 2])
  const sender = openSender(t, db)
  let stopped: Promise<void> | undefined
  receiver.onMessage = () => {
    stopped = sender.stop()
    return undefined
  }
  await sendDue(sender)
  await stopped
  t.strictSame(
    (await listEvents()).map(({ state }) => state),
    ['delivered', 'waiting'],
  )
  t.match(await db.selectFrom('webhooks').selectAll().executeTakeFirst(), { lease: null })
  await sendDue(sender)
  t.equal(receiver.received.length, 1)
})
