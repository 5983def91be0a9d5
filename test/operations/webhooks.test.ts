import { type Kysely, sql } from 'kysely'
import t from 'tap'
import { migrateToLatest } from '../../db/migrate.js'
import type { Database } from '../../db/types.js'
import type { EventData } from '../../src/domain/webhooks/events.js'
import { TEST_DATABASE_URL } from '../support/database.js'
import { createUser } from '../support/factories.js'
import {
  createStoreVariables,
  firstLogin,
  loginOver,
  type RunningService,
  startProcess,
  withStore,
} from '../support/process.js'
import { type ReceivedMessage, type Receiver, startReceiver, verify } from '../support/receiver.js'
import { until } from '../support/until.js'
import { addWebhook, announceReports, LOOPBACK } from '../support/webhooks.js'

const EVENTS = 30

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

/** Variables of a service that stops at a statement for good, once the statements of its transaction match. */
const pausing = (when: 'before' | 'after', statements: RegExp): Variables => ({
  NODE_OPTIONS: `--import=${new URL('../support/pause-statement.js', import.meta.url)}`,
  PAUSE_WHEN: when,
  PAUSE_STATEMENTS: statements.source,
})

t.test('a kill at each of five moments loses no event, and keeps the order and the ids', async (t) => {
  const variables = await createStore(t)
  const receiver = await startReceiver(t)
  // The first start creates the administrator.
  const first = await startProcess(t, variables)
  const login = firstLogin(first, variables)
  await first.stop()
  const { secret, persons } = await withStore(variables, async (db) => ({
    ...(await addWebhook(db, receiver.url, { events: ['account.disabled'] })),
    persons: [await createUser(db), await createUser(db), await createUser(db)],
  }))
  const ids = persons.map(({ id }) => id)
  /** Disables all persons in one transaction, and kills the service when it has stopped at its statement. */
  const killWhileDisabling = async (service: RunningService) => {
    const send = await loginOver(service.url, login, { repeats: false })
    const body = { users: persons.map(({ username }) => ({ username, disabled_on: '2026-01-02' })) }
    const sent = send('/api/accounts/bulk?mode=update', { body }).catch(() => undefined)
    await killAtStatement(service)
    await sent
  }
  const killAtStatement = async (service: RunningService) => {
    await until(() => service.output().includes('paused'))
    await service.stop('SIGKILL')
  }
  /** Returns which persons are disabled and have events, and the states of the events. Ends the lease. */
  const look = () =>
    withStore(variables, async (db) => {
      // The lease of the killed service would expire only after 30 seconds.
      await sql`update webhooks set leased_until = now()`.execute(db)
      const disabled = await db.selectFrom('users').select('id').where('disabled_on', 'is not', null).execute()
      const events = await db.selectFrom('webhook_events').select(['data', 'state']).orderBy('id').execute()
      return {
        disabled: disabled.map(({ id }) => id).sort((a, b) => a - b),
        events: events.map(({ data, state }) => `${(data as EventData).person?.id} ${state}`),
      }
    })
  const [one, two, three] = ids
  const waiting = { disabled: ids, events: ids.map((id) => `${id} waiting`) }

  const beforeCommit = pausing('before', /insert into webhook_events .*;commit;$/)
  await killWhileDisabling(await startProcess(t, { ...variables, ...beforeCommit }))
  t.strictSame(await look(), { disabled: [], events: [] }, 'before the commit')

  const afterCommit = pausing('before', /update webhooks set lease = [^;]*;$/)
  await killWhileDisabling(await startProcess(t, { ...variables, ...afterCommit }))
  t.strictSame(await look(), waiting, 'after the commit, before sending')

  const arrived = new Promise<void>((resolve) => {
    receiver.onMessage = () => {
      resolve()
      // Never answers
      return new Promise(() => {})
    }
  })
  const whileSending = await startProcess(t, variables)
  await arrived
  await whileSending.stop('SIGKILL')
  receiver.onMessage = () => undefined
  t.strictSame(await look(), waiting, 'before the response')

  const mark = /update webhook_events set state = [^;]*;$/
  await killAtStatement(await startProcess(t, { ...variables, ...pausing('before', mark) }))
  t.strictSame(await look(), waiting, 'after the response, before the mark')

  await killAtStatement(await startProcess(t, { ...variables, ...pausing('after', mark) }))
  const marked = [`${one} delivered`, `${two} waiting`, `${three} waiting`]
  t.strictSame((await look()).events, marked, 'after the mark, before the next message')

  const service = await startProcess(t, variables)
  await until(() => receiver.received.length >= 5)
  t.equal(await service.stop('SIGTERM'), 0)
  t.strictSame(
    receiver.received.map(({ body }) => body.data.person?.id),
    [one, one, one, two, three],
    'only what was not marked is repeated',
  )
  t.strictSame(
    (await look()).events,
    ids.map((id) => `${id} delivered`),
  )
  for (const message of receiver.received) verify(secret, message)
  const messageIds = receiver.received.map(({ id }) => id)
  t.equal(new Set(messageIds.slice(0, 3)).size, 1, 'a repeated event keeps its id')
  t.equal(new Set(messageIds).size, 3)
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
