import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Burst, findLost, startBurst } from '../../../dist/test/support/burst.js'
import type { Cluster } from '../../../dist/test/support/postgres.js'
import type { Outcome, Scope } from '../outcome.js'
import { type Service, startServer, startService } from './server.js'

const WORKERS = 20
const RECOVERY_LIMIT_MS = 15_000

interface Fault {
  fault: string
  done: string
  settings?: string[]
  /** Applies the fault, ends it, and resolves with the defects observed during the fault. */
  inflict: (cluster: Cluster, service: Service) => Promise<string[]>
}

/** Submits results before, during and after the fault; every acknowledged result must be stored. */
async function inflictUnderLoad(scope: Scope, { fault, done, settings = [], inflict }: Fault): Promise<Outcome[]> {
  const cluster = await startServer(scope, settings)
  const running = await startService(scope, cluster.url, { LOG_LEVEL: 'fatal' })
  const { service, send } = running
  const burst = startBurst(send, { workers: WORKERS })
  await burst.reach(500)
  const defects = await inflict(cluster, running)
  const healed = performance.now()
  const limit = AbortSignal.timeout(RECOVERY_LIMIT_MS)
  await Promise.race([burst.reach(WORKERS), sleep(RECOVERY_LIMIT_MS)])
  if (limit.aborted) defects.push(`no recovery in ${RECOVERY_LIMIT_MS} ms`)
  const recovery = performance.now() - healed
  await Promise.race([burst.reach(500), sleep(RECOVERY_LIMIT_MS)])
  await burst.stop()
  const ready = (await fetch(`${service.url}/readyz`)).status
  if (ready !== 200) defects.push(`/readyz: ${ready}`)
  if (service.child.exitCode !== null) defects.push('the service has ended')
  const lost = await findLost(send, burst.acknowledged)
  const observed = [
    describe(burst),
    `slowest answer ${(burst.slowestMs / 1000).toFixed(1)} s`,
    `served again ${(recovery / 1000).toFixed(1)} s after the end of the fault, same process`,
  ]
  return [
    {
      fault,
      done,
      observed: observed.join('; '),
      lost: lost.length === 0 ? `nothing of ${burst.acknowledged.size} acknowledged` : `${lost.length} results`,
      defects: [...defects, ...new Set(burst.defects), ...lost.map((number) => `lost: ${number}`)].slice(0, 20),
    },
  ]
}

function describe({ statuses }: Burst): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')
}

/** Sends health checks and an anonymous request while the database is unavailable; returns the unexpected statuses. */
async function checkDuringOutage({ service }: Service): Promise<string[]> {
  const expected = { '/healthz': 200, '/readyz': 503, '/api/decks': 401 }
  const defects: string[] = []
  for (const [path, status] of Object.entries(expected)) {
    const response = await fetch(service.url + path, { signal: AbortSignal.timeout(40_000) })
    if (response.status !== status) defects.push(`${path} while the database is away: ${response.status}`)
  }
  return defects
}

export const stopDatabase = (scope: Scope) =>
  inflictUnderLoad(scope, {
    fault: 'PostgreSQL stopped',
    done: `fast shutdown under ${WORKERS} submitting clients, started again after 5 s`,
    inflict: async (cluster, service) => {
      await cluster.halt()
      const defects = await checkDuringOutage(service)
      await sleep(5_000)
      await cluster.start()
      return defects
    },
  })

export const restartDatabase = (scope: Scope) =>
  inflictUnderLoad(scope, {
    fault: 'PostgreSQL killed and restarted',
    done: `SIGKILL to all its processes and start, 5 times, under ${WORKERS} submitting clients`,
    inflict: async (cluster) => {
      for (let round = 0; round < 5; round++) {
        await cluster.kill()
        await cluster.start()
        await sleep(1_500)
      }
      return []
    },
  })

export const freezeDatabase = async (scope: Scope) => {
  const outcomes: Outcome[] = []
  for (const seconds of [5, 45]) {
    const found = await inflictUnderLoad(scope, {
      fault: `PostgreSQL frozen for ${seconds} s`,
      done: `SIGSTOP to all its processes under ${WORKERS} submitting clients, SIGCONT after ${seconds} s`,
      inflict: async (cluster, service) => {
        await cluster.freeze()
        // Sends no checks during the short outage, which ends before any request times out.
        const away = seconds < 20 ? Promise.resolve([]) : checkDuringOutage(service)
        await sleep(seconds * 1_000)
        const defects = await away
        await cluster.thaw()
        return defects
      },
    })
    outcomes.push(...found)
  }
  return outcomes
}

export const fillConnections = (scope: Scope) =>
  inflictUnderLoad(scope, {
    fault: 'PostgreSQL full of connections',
    done: `max_connections=20, all taken by others, the service's own ended, for 5 s, under ${WORKERS} submitting clients`,
    settings: ['max_connections=20'],
    inflict: async ({ url }, service) => {
      const others: pg.Client[] = []
      const control = new pg.Client(url)
      await control.connect()
      while (others.length < 19) {
        const client = new pg.Client(url)
        client.on('error', () => {})
        const connected = await client.connect().then(
          () => true,
          () => false,
        )
        if (connected) others.push(client)
        else
          await control.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-training'`,
          )
      }
      const defects = await checkDuringOutage(service)
      await sleep(5_000)
      for (const client of [...others, control]) await client.end()
      return defects
    },
  })
