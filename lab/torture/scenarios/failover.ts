import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ROOT, SECRET } from '../../../dist/test/support/constants.js'
import { createDatabase } from '../../../dist/test/support/database.js'
import { startNginx } from '../../../dist/test/support/nginx.js'
import { accountForServer, type Cluster, freePort, startCluster } from '../../../dist/test/support/postgres.js'
import { runCommand, startProcess } from '../../../dist/test/support/process.js'
import type { Outcome, Scope } from '../outcome.js'
import { startServer } from './server.js'

const LEARNERS = 20
const DATABASE = 'training'
const PASSWORD = 'ein gutes Passwort'
const RATINGS_BEFORE = 300
const RECOVERY_LIMIT_MS = 60_000

/** Kills a primary while learners send ratings. Promotes the synchronous standby and points PgBouncer to it. */
export async function failOver(scope: Scope): Promise<Outcome[]> {
  const primary = await startServer(scope)
  const standby = await startCluster([], {}, primary.url)
  scope.teardown(() => standby.stop())
  await execute(primary.url, `alter system set synchronous_standby_names = '*'`)
  await execute(primary.url, 'select pg_reload_conf()')
  while (!(await isSynchronous(primary.url))) await sleep(100)

  const databaseUrl = await createDatabase(primary.url, DATABASE)
  const pooler = await startPgBouncer(scope, primary)
  const variables = {
    PORT: '0',
    TIME_ZONE: 'Europe/Berlin',
    LOG_LEVEL: 'fatal',
    SESSION_SECRET: SECRET,
    ADMIN_USERNAME: 'admin',
    ADMIN_PASSWORD: PASSWORD,
    CONTENT_DIR: path.join(ROOT, 'content'),
    DATABASE_URL: `${pooler.url}/${DATABASE}`,
    DATABASE_PREPARE: 'false',
    RATE_LIMIT: '0',
    TRUST_PROXY: '127.0.0.1',
  }
  for (const command of ['migrate', 'import']) {
    const { code, stderr } = await runCommand({ ...variables, DATABASE_URL: databaseUrl }, [command])
    if (code !== 0) throw new Error(`${command}: ${stderr}`)
  }
  const instances = [await startProcess(scope, variables), await startProcess(scope, variables)]
  const nginx = await startNginx(
    scope,
    instances.map(({ url }) => new URL(url).host),
  )
  const call = createCaller(scope, nginx.port)
  const admin = await logIn(call, 'admin')
  const cookies: string[] = []
  for (let index = 0; index < LEARNERS; index++) {
    const username = `lernende-${index}`
    await call('/api/admin/users', admin, { username, display_name: username, password: PASSWORD })
    cookies.push(await logIn(call, username))
  }

  const load = await startRatings(call, cookies)
  while (load.acknowledged.size < RATINGS_BEFORE) await sleep(50)
  const before = load.acknowledged.size
  const killed = performance.now()
  await primary.kill()
  await execute(standby.url, 'select pg_promote()')
  const promoted = performance.now()
  await pooler.pointTo(standby)
  const pointed = performance.now()
  const limit = pointed + RECOVERY_LIMIT_MS
  while (load.lastAt < pointed && performance.now() < limit) await sleep(10)
  const defects = load.lastAt < pointed ? [`no recovery in ${RECOVERY_LIMIT_MS} ms`] : []
  const recovered = performance.now()
  const wanted = load.acknowledged.size + RATINGS_BEFORE
  while (load.acknowledged.size < wanted && performance.now() < limit) await sleep(50)
  await load.stop()

  const stored = await query<{ client_id: string }>(
    standby.url.replace(/\/postgres$/, `/${DATABASE}`),
    `select client_id from review_log where kind = 'review'`,
  )
  const times = new Map<string, number>()
  for (const { client_id } of stored) times.set(client_id, (times.get(client_id) ?? 0) + 1)
  const lost = [...load.acknowledged].filter((id) => !times.has(id))
  const twice = [...times].filter(([, count]) => count > 1)
  for (const { child } of instances) if (child.exitCode !== null) defects.push('an instance has ended')
  defects.push(...new Set(load.defects), ...lost.map((id) => `lost: ${id}`), ...twice.map(([id]) => `twice: ${id}`))
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1)
  return [
    {
      fault: 'primary killed, failover',
      done: `SIGKILL to the primary under ${LEARNERS} rating learners, two instances behind nginx; synchronous standby promoted, PgBouncer pointed to it`,
      observed: [
        Object.entries(load.statuses)
          .map(([status, count]) => `${count} × ${status}`)
          .join(', '),
        `${before} ratings before the kill, ${load.acknowledged.size} in all`,
        `promoted ${seconds(killed, promoted)} s after the kill`,
        `rated again ${seconds(killed, recovered)} s after the kill, ${seconds(pointed, recovered)} s after RELOAD`,
      ].join('; '),
      lost: lost.length === 0 ? `nothing of ${load.acknowledged.size} acknowledged` : `${lost.length} ratings`,
      defects: defects.slice(0, 20),
    },
  ]
}

type Call = (url: string, cookie: string, body?: object) => Promise<{ status: number; text: string; cookies: string[] }>

function createCaller(scope: Scope, port: number): Call {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  scope.teardown(() => agent.destroy())
  return (url, cookie, body) =>
    new Promise((resolve, reject) => {
      const headers = { host: 'localhost', cookie, ...(body && { 'content-type': 'application/json' }) }
      const method = body ? 'POST' : 'GET'
      const sent = request(
        { host: '127.0.0.1', servername: 'localhost', port, path: url, method, headers, agent, timeout: 60_000 },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (part) => {
            text += part
          })
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text, cookies: response.headers['set-cookie'] ?? [] }),
          )
          response.on('error', reject)
        },
      )
      sent.on('timeout', () => sent.destroy(new Error('a request hangs')))
      sent.on('error', reject)
      sent.end(body && JSON.stringify(body))
    })
}

async function logIn(call: Call, username: string): Promise<string> {
  const { cookies, text } = await call('/api/auth/login', '', { username, password: PASSWORD })
  const cookie = cookies[0]?.split(';', 1)[0]
  if (cookie === undefined) throw new Error(`login of ${username}: ${text}`)
  return cookie
}

/** Starts learners who rate cards one by one. Each learner repeats a rating with its `client_id` until it succeeds. */
async function startRatings(call: Call, cookies: string[]) {
  const queue = JSON.parse((await call('/api/review/queue', cookies[0] as string)).text)
  const ids = queue.cards.map(({ card_id }: { card_id: number }) => card_id)
  const load = {
    acknowledged: new Set<string>(),
    statuses: {} as Record<string, number>,
    defects: [] as string[],
    lastAt: 0,
  }
  let isOver = false
  const rate = async (cookie: string, rating: { card_id: number; rating: string; client_id: string }) => {
    while (!isOver) {
      const status = await call('/api/review', cookie, rating).then(
        ({ status, text }) => {
          if (![200, 502, 503, 504].includes(status)) load.defects.push(`${status} ${text}`)
          return String(status)
        },
        (error: Error) => {
          if (error.message === 'a request hangs') load.defects.push(error.message)
          return 'cut'
        },
      )
      load.statuses[status] = (load.statuses[status] ?? 0) + 1
      if (status === '200') {
        load.acknowledged.add(rating.client_id)
        load.lastAt = performance.now()
        return
      }
      await sleep(100)
    }
  }
  const working = cookies.map(async (cookie) => {
    for (let index = 0; !isOver; index++) {
      await rate(cookie, { card_id: ids[index % ids.length], rating: 'medium', client_id: randomUUID() })
    }
  })
  return Object.assign(load, {
    stop: async () => {
      isOver = true
      await Promise.all(working)
    },
  })
}

/** Starts PgBouncer in transaction mode. Uses the account of PostgreSQL, because PgBouncer refuses to run as root. */
async function startPgBouncer(scope: Scope, first: Cluster) {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-pgbouncer-'))
  scope.teardown(() => rm(folder, { recursive: true }))
  const account = accountForServer()
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  const port = await freePort()
  const file = path.join(folder, 'pgbouncer.ini')
  const users = path.join(folder, 'users.txt')
  const configure = (cluster: Cluster) =>
    writeFile(
      file,
      `[databases]
* = host=127.0.0.1 port=${new URL(cluster.url).port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
admin_users = postgres
pool_mode = transaction
server_login_retry = 1
logfile = ${path.join(folder, 'log')}
`,
    )
  await writeFile(users, '"postgres" ""\n')
  await configure(first)
  const child: ChildProcess = spawn('/usr/sbin/pgbouncer', ['--quiet', file], {
    ...account,
    cwd: folder,
    stdio: 'inherit',
  })
  const ended = once(child, 'exit')
  scope.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = `postgres://postgres@127.0.0.1:${port}`
  for (;;) {
    const isUp = await execute(`${url}/pgbouncer`, 'show version').then(
      () => true,
      () => false,
    )
    if (isUp) break
    await sleep(100)
  }
  return {
    url,
    pointTo: async (cluster: Cluster) => {
      await configure(cluster)
      await execute(`${url}/pgbouncer`, 'reload')
    },
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

async function execute(url: string, statement: string): Promise<void> {
  await query(url, statement)
}

async function isSynchronous(url: string): Promise<boolean> {
  return (await query(url, `select from pg_stat_replication where sync_state = 'sync'`)).length > 0
}
