import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import t from 'tap'
import errors from '../../plugins/errors.js'
import { limitToOnePerUser } from '../../src/http/limit-to-one-per-user.js'
import { NOT_FOUND } from '../../src/http/refusals.js'
import { until } from '../support/until.js'

const BODY = 'eins zwei'
const USER = 7

/** Returns a body that ends 100 ms after its last chunk, like a file stream, which ends only after a further read. */
function slowEnd(): Readable {
  async function* pieces() {
    yield BODY.slice(0, 4)
    yield BODY.slice(4)
    await sleep(100)
  }
  return Readable.from(pieces(), { objectMode: false })
}

const app = fastify()
await app.register(errors)
const serveAlone = limitToOnePerUser()
const hanging: (() => void)[] = []
app.get('/known', async (_request, reply) => {
  const body = await serveAlone(USER, reply, async () => {
    reply.header('content-length', BODY.length)
    return slowEnd()
  })
  return reply.send(body)
})
app.get('/chunked', async (_request, reply) => reply.send(await serveAlone(USER, reply, async () => slowEnd())))
app.get('/refused', async (_request, reply) =>
  serveAlone(USER, reply, async () => {
    throw NOT_FOUND
  }),
)
app.get('/hanging', async (_request, reply) =>
  reply.send(
    await serveAlone(USER, reply, async () => {
      await new Promise<void>((resolve) => hanging.push(resolve))
      return slowEnd()
    }),
  ),
)
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo
const agent = new Agent({ keepAlive: true })
t.teardown(async () => {
  agent.destroy()
  await app.close()
})

async function ask(path: string): Promise<{ status: number | undefined; body: string }> {
  const [response] = (await once(get({ port, path, agent }), 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await text(response) }
}

for (const path of ['/known', '/chunked']) {
  t.test(`accepts the next request of a caller that waited for the end of ${path}`, async (t) => {
    for (let round = 0; round < 5; round++) t.strictSame(await ask(path), { status: 200, body: BODY })
  })
}

t.test('accepts a caller whose last request was refused for another reason', async (t) => {
  for (let round = 0; round < 20; round++) t.equal((await ask('/refused')).status, 404)
})

t.test('refuses a second request while the first response is open', async (t) => {
  const first = get({ port, path: '/hanging' })
  first.on('error', () => {})
  await until(() => hanging.length > 0)
  t.equal((await ask('/known')).status, 429)
  first.destroy()
  await until(async () => (await ask('/known')).status === 200)
  t.pass('the user may send requests again after a disconnect')
})
