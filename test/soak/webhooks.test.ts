import { sql } from 'kysely'
import t from 'tap'
import { createMigratedDatabase } from '../support/database.js'
import { startReceiver, verify } from '../support/receiver.js'
import { startService } from '../support/service.js'
import { addWebhook, announceReports, openSender, sendDue } from '../support/webhooks.js'

t.setTimeout(1_800_000)

const PERSONS = 10_000
const ASSIGNMENT = { title: 'Brandschutz', starts: '2026-12-01', due: '2026-12-31', recurrence: null, mandatory: true }

t.test(`${PERSONS} events at once are sent in order to each of two webhooks`, async (t) => {
  const service = await startService(t, {
    database: await createMigratedDatabase(),
    now: () => new Date('2026-12-05T10:00:00Z'),
  })
  const { db } = service
  const admin = await service.admin()
  await sql`
    insert into users (username, display_name, created_at)
    select 'person-' || number, 'Person ' || number, '2026-01-01' from generate_series(1, ${PERSONS}::integer) as number`.execute(
    db,
  )
  const assign = async () => {
    const parts = [{ kind: 'personal', title: 'Rundgang' }]
    const started = performance.now()
    const body = { ...ASSIGNMENT, retention_years: 2, parts, audience: { everybody: true } }
    const { status } = await admin.post('/api/assignments', body)
    t.equal(status, 200)
    return ((performance.now() - started) / 1_000).toFixed(1)
  }
  t.comment(`${PERSONS} tasks without a webhook: ${await assign()} s`)
  const receivers = [await startReceiver(t), await startReceiver(t)]
  const secrets = new Map<string, string>()
  for (const { url } of receivers) secrets.set(url, (await addWebhook(db, url)).secret)
  t.comment(`${PERSONS} tasks with two webhooks: ${await assign()} s`)
  const started = performance.now()
  await sendDue(openSender(t, db))
  t.comment(`sent twice: ${((performance.now() - started) / 1_000).toFixed(1)} s`)
  const { rows } = await sql<{ id: number }>`
    select id from occurrences where assignment_id = (select max(assignment_id) from occurrences) order by id`.execute(
    db,
  )
  for (const { url, received } of receivers) {
    t.strictSame(
      received.map(({ body }) => body.data.occurrence?.id),
      rows.map(({ id }) => id),
    )
    for (const message of received.slice(-100)) verify(secrets.get(url) ?? '', message)
  }
})

t.test('events that are written while others are sent are neither lost nor sent twice', async (t) => {
  const database = await createMigratedDatabase()
  const { db } = database
  t.teardown(() => database.close())
  const receiver = await startReceiver(t)
  await addWebhook(db, receiver.url)
  const senders = [openSender(t, db), openSender(t, db)]
  let isWriting = true
  const sending = Promise.all(
    senders.map(async (sender) => {
      while (isWriting) {
        await sendDue(sender)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await sendDue(sender)
    }),
  )
  const writers = Array.from({ length: 8 }, (_, writer) =>
    announceReports(
      db,
      Array.from({ length: 250 }, (_, index) => writer * 1_000 + index),
    ),
  )
  await Promise.all(writers)
  isWriting = false
  await sending
  await Promise.all(senders.map(sendDue))
  const ids = receiver.received.map(({ body }) => body.data.report?.id ?? -1)
  t.equal(new Set(ids).size, 2_000)
  t.equal(ids.length, 2_000)
  for (let writer = 0; writer < 8; writer++) {
    const own = ids.filter((id) => Math.floor(id / 1_000) === writer)
    t.strictSame(
      own,
      own.toSorted((a, b) => a - b),
      `the events of writer ${writer} in order`,
    )
  }
})
