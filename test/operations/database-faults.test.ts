import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { TEST_DATABASE_URL } from '../support/database.js'
import { createStoreVariables, firstLogin, loginOver, startProcess } from '../support/process.js'

if (TEST_DATABASE_URL === undefined) {
  t.pass('the embedded database runs inside the service: test/process/embedded.test.ts lets it die')
  process.exit(0)
}

async function createProxy(t: Test, target: URL) {
  const sockets = new Set<Socket>()
  let mode: 'open' | 'refusing' | 'stalling' = 'open'
  const server = createServer((near) => {
    if (mode === 'refusing') return near.destroy()
    const far = connect(Number(target.port || 5432), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => {
        if (mode !== 'stalling') to.write(data)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    port,
    set: (next: typeof mode) => {
      mode = next
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

const variables = await createStoreVariables(t)
const databaseUrl = new URL(variables.DATABASE_URL as string)
const line = await createProxy(t, new URL(databaseUrl))
databaseUrl.hostname = '127.0.0.1'
databaseUrl.port = String(line.port)
const service = await startProcess(t, { ...variables, DATABASE_URL: databaseUrl.href, LOG_LEVEL: 'silent' })
const send = await loginOver(service.url, firstLogin(service, variables), { repeats: false })

async function expectUnavailable(t: Test, path = '/api/decks') {
  const response = await send(path)
  t.equal(response.status, 503)
  t.ok(Number(response.headers.get('retry-after')) > 0)
  t.match(await response.json(), {
    statusCode: 503,
    message: 'Dienst vorübergehend nicht verfügbar',
    requestId: String,
  })
}

async function expectRecovery(t: Test) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if ((await send('/api/decks')).status === 200) return t.pass('it answers again')
    await sleep(100)
  }
  return t.fail('it does not recover')
}

t.test('answers 503 while the database is down', async (t) => {
  line.set('refusing')
  line.cut()
  await expectUnavailable(t)
  t.equal((await fetch(`${service.url}/readyz`)).status, 503)
  t.equal((await fetch(`${service.url}/healthz`)).status, 200)
  t.equal((await fetch(`${service.url}/api/decks`)).status, 401, 'an anonymous request needs no database')
  line.set('open')
  await expectRecovery(t)
  t.equal((await fetch(`${service.url}/readyz`)).status, 200)
})

t.test('recovers from a restart of the database', async (t) => {
  for (let round = 0; round < 5; round++) {
    line.cut()
    const responses = await Promise.all(Array.from({ length: 20 }, () => send('/api/decks')))
    for (const { status } of responses) t.ok(status === 200 || status === 503, `${status}`)
    await expectRecovery(t)
  }
})

t.test('answers 503 if the database stalls and discards its connections', async (t) => {
  line.set('stalling')
  await expectUnavailable(t)
  line.set('open')
  line.cut()
  await expectRecovery(t)
})

t.test('keeps acknowledged writes and no partial ones', async (t) => {
  let acknowledged = 0
  let done = false
  const burst = (async () => {
    while (!done) {
      const response = await send('/api/quiz/submit', { body: { total: 1, correct: 1, deck: 'burst' } })
      if (response.status === 200) acknowledged++
      else t.equal(response.status, 503)
    }
  })()
  for (let round = 0; round < 5; round++) {
    const before = acknowledged
    while (acknowledged === before) await sleep(20)
    line.cut()
  }
  done = true
  await burst
  await expectRecovery(t)
  const { results } = (await (await send('/api/quiz/history')).json()) as { results: { deck_slug: string }[] }
  t.ok(acknowledged > 0)
  t.ok(results.filter(({ deck_slug }) => deck_slug === 'burst').length >= Math.min(acknowledged, 20))
  t.equal(await service.stop(), 0)
})
