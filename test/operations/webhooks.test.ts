import { setTimeout } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { migrateToLatest } from '../../db/migrate.js'
import type { Database } from '../../db/types.js'
import { ASSIGNMENT } from '../support/assignments.js'
import { TEST_DATABASE_URL } from '../support/database.js'
import {
  createStoreVariables,
  firstLogin,
  loginOver,
  type RunningService,
  runCommand,
  startProcess,
  withStore,
} from '../support/process.js'
import { type ReceivedMessage, type Receiver, startReceiver, verify } from '../support/receiver.js'
import { until } from '../support/until.js'
import { addWebhook, announceReports, LOOPBACK } from '../support/webhooks.js'

t.setTimeout(600_000)

const EVENTS = 30
/** Message at which the service is killed, and what it is doing at that time */
const KILLS = [
  { at: 1, during: 'before the response to the first message' },
  { at: 7, during: 'after the response, before it is stored' },
  { at: 13, during: 'between two messages' },
  { at: EVENTS, during: 'after the response to the last message' },
] as const

type Variables = Record<string, string>

async function createStore(t: Parameters<typeof startReceiver>[0]): Promise<Variables> {
  return { ...(await createStoreVariables(t)), WEBHOOK_ALLOW: LOOPBACK }
}

const idsOf = (received: readonly ReceivedMessage[]) => received.map(({ body }) => body.data.report?.id as number)
const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

async function fill(db: Kysely<Database>, receiver: Receiver): Promise<string> {
  await migrateToLatest(db)
  const { secret } = await addWebhook(db, receiver.url, { events: ['report.created'] })
  await announceReports(db, range(EVENTS))
  return secret
}

const listStates = (db: Kysely<Database>) => db.selectFrom('webhook_events').select('state').orderBy('id').execute()

t.test('a kill at any point of sending loses no event and keeps the order', async (t) => {
  const variables = await createStore(t)
  const receiver = await startReceiver(t)
  const secret = await withStore(variables, (db) => fill(db, receiver))
  for (const { at, during } of KILLS) {
    let service: RunningService | undefined
    let ended: Promise<unknown> | undefined
    const killed = new Promise<void>((resolve) => {
      receiver.onMessage = async ({ body }) => {
        if (body.data.report?.id !== at || ended !== undefined) return undefined
        if (during.startsWith('before')) {
          // The receiver has the message, but never answers.
          ended = service?.stop('SIGKILL')
          await ended
          resolve()
        } else {
          // The response is on its way when the service is killed.
          setImmediate(() => {
            ended = service?.stop('SIGKILL')
            void ended?.then(() => resolve())
          })
        }
        return undefined
      }
    })
    service = await startProcess(t, variables)
    await killed
    t.pass(`killed ${during}`)
    // The lease of the killed service would expire only after 30 seconds.
    await withStore(variables, (db) =>
      db
        .updateTable('webhooks')
        .set({ leased_until: new Date(0) })
        .execute(),
    )
  }
  receiver.onMessage = () => undefined
  await withStore(variables, (db) => announceReports(db, [EVENTS + 1]))
  const service = await startProcess(t, variables)
  await until(() => idsOf(receiver.received).includes(EVENTS + 1))
  t.equal(await service.stop('SIGTERM'), 0)
  const states = await withStore(variables, listStates)
  t.ok(
    states.every(({ state }) => state === 'delivered'),
    JSON.stringify(states),
  )
  const ids = idsOf(receiver.received)
  const first = ids.filter((id, index) => ids.indexOf(id) === index)
  t.strictSame(first, range(EVENTS + 1), 'each event at least once, in order')
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
  t.ok(repeated.length <= KILLS.length, `repeated: ${repeated}`)
  for (const [index, message] of receiver.received.entries()) {
    verify(secret, message)
    const before = ids[index - 1] ?? 0
    t.ok(ids[index] === before || ids[index] === before + 1, `${before} is followed by ${ids[index]}`)
  }
  const byId = new Map(receiver.received.map(({ id, body }) => [body.data.report?.id, id]))
  t.ok(receiver.received.every(({ id, body }) => byId.get(body.data.report?.id) === id))
})

t.test('a kill while events are written leaves no task without its event, and no event without its task', async (t) => {
  const variables = await createStore(t)
  const persons = 400
  // The first start creates the administrator.
  const first = await startProcess(t, variables)
  const login = firstLogin(first, variables)
  await first.stop()
  await withStore(variables, async (db) => {
    await addWebhook(db, 'https://example.org/', { events: ['assignment.assigned'] })
    // The events stay, because nothing is sent.
    await db.updateTable('webhooks').set({ paused_at: new Date(), pause_cause: 'hand' }).execute()
    await sql`
      insert into users (username, display_name, created_at)
      select 'person-' || number, 'Person ' || number, '2020-01-01'
      from generate_series(1, ${persons}::integer) as number`.execute(db)
  })
  const count = () =>
    withStore(variables, async (db) => {
      const { rows } = await sql<{ tasks: number; events: number; both: number }>`
        select (select count(*)::integer from occurrences) as tasks,
          (select count(*)::integer from webhook_events) as events, (
            select count(*)::integer from occurrences join webhook_events
            on (data #>> '{occurrence,id}')::integer = occurrences.id) as both`.execute(db)
      return rows[0]
    })
  for (const delay of [20, 60, 180]) {
    const service = await startProcess(t, variables)
    const send = await loginOver(service.url, login, { repeats: false })
    const parts = [{ kind: 'personal', title: 'Rundgang' }]
    const body = { ...ASSIGNMENT, starts: '2026-01-01', due: '2099-12-31', parts, audience: { everybody: true } }
    const sent = send('/api/assignments', { body }).catch(() => undefined)
    await Promise.race([sent, setTimeout(delay)])
    await service.stop('SIGKILL')
    await sent
    const { tasks = 0, events, both } = (await count()) ?? {}
    t.comment(`killed after ${delay} ms: ${tasks} tasks`)
    t.strictSame([events, both], [tasks, tasks])
  }
  t.match(await runCommand(variables, ['jobs', 'run', 'plan-occurrences']), { code: 0 })
  const { tasks = 0, events, both } = (await count()) ?? {}
  t.ok(tasks >= persons, `${tasks} tasks`)
  t.strictSame([events, both], [tasks, tasks])
})

t.test('two instances send each event once, in order', { skip: !TEST_DATABASE_URL && 'needs a server' }, async (t) => {
  const variables = await createStore(t)
  const receiver = await startReceiver(t)
  await withStore(variables, migrateToLatest)
  const services = await Promise.all([1, 2].map(() => startProcess(t, variables)))
  let active = 0
  let most = 0
  receiver.onMessage = async () => {
    most = Math.max(most, ++active)
    await new Promise((resolve) => setImmediate(resolve))
    active--
    return undefined
  }
  await withStore(variables, (db) => fill(db, receiver))
  await until(() => receiver.received.length >= EVENTS)
  for (const service of services) await service.stop('SIGTERM')
  t.strictSame(idsOf(receiver.received), range(EVENTS))
  t.equal(most, 1)
})

t.test('another instance goes on when one is killed', { skip: !TEST_DATABASE_URL && 'needs a server' }, async (t) => {
  const variables = await createStore(t)
  const receiver = await startReceiver(t)
  await withStore(variables, migrateToLatest)
  const services = await Promise.all([1, 2].map(() => startProcess(t, variables)))
  let killed: Promise<unknown> | undefined
  receiver.onMessage = async ({ body }) => {
    if (body.data.report?.id !== 5 || killed !== undefined) return undefined
    // Which of the instances sends is not known, so both are killed and one of them is started again.
    killed = Promise.all(services.map((service) => service.stop('SIGKILL')))
    await killed
    return undefined
  }
  await withStore(variables, (db) => fill(db, receiver))
  await until(() => killed !== undefined)
  await killed
  // Nothing ends the lease but its own time.
  const service = await startProcess(t, variables)
  await until(() => idsOf(receiver.received).includes(EVENTS))
  await service.stop('SIGTERM')
  const ids = idsOf(receiver.received)
  t.strictSame(ids, [...range(5), ...range(EVENTS).slice(4)], 'the event that was being sent is repeated')
})
