import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import t from 'tap'
import errors from '../../plugins/errors.js'
import fairShare from '../../plugins/fair-share.js'

const WAITING = 30

interface Running {
  name: string
  finish: () => void
}

/** Starts an app whose routes wait until the test finishes them. The header `x-user` names the user. */
async function startApp() {
  const app = fastify()
  const running: Running[] = []
  const entered: (() => void)[] = []
  const hold = (name: string) =>
    new Promise<void>((resolve) => {
      running.push({ name, finish: resolve })
      for (const notify of entered.splice(0)) notify()
    })
  /** Waits until `count` handlers or batches run, and returns their names. */
  const untilRunning = async (count: number): Promise<string[]> => {
    while (running.length < count) await new Promise<void>((resolve) => entered.push(resolve))
    return running.map(({ name }) => name)
  }
  const finish = (name: string) => {
    const index = running.findIndex((one) => one.name === name)
    running.splice(index, 1)[0]?.finish()
  }
  const auth = fp(
    async (scope) => {
      scope.decorateRequest('user', {
        getter(this: FastifyRequest) {
          return { id: Number(this.headers['x-user']) } as FastifyRequest['user']
        },
      })
    },
    { name: 'auth' },
  )
  await app.register(errors)
  await app.register(auth)
  await app.register(fairShare)
  app.get<{ Params: { name: string } }>('/expensive/:name', { config: { isExpensive: true } }, async ({ params }) => {
    await hold(params.name)
    return params.name
  })
  app.get('/failing', { config: { isExpensive: true } }, async () => {
    throw new Error('failed')
  })
  app.get('/cheap', async () => 'cheap')
  async function* batches(name: string) {
    for (const batch of [1, 2]) {
      await hold(`${name}-${batch}`)
      yield `${batch}`
    }
  }
  const streamOf = (reply: FastifyReply, name: string) =>
    Readable.from(reply.takeTurns(batches(name)), { objectMode: false, highWaterMark: 1 })
  app.get<{ Params: { name: string } }>('/streamed/:name', async ({ params: { name } }, reply) =>
    reply.send(streamOf(reply, name)),
  )
  app.get<{ Params: { name: string } }>(
    '/table/:name',
    { config: { isExpensive: true } },
    async ({ params: { name } }, reply) => {
      await hold(`${name}-head`)
      return streamOf(reply, name)
    },
  )
  const ask = async (url: string, user = 1) => {
    const { statusCode, headers, payload } = await app.inject({ url, headers: { 'x-user': `${user}` } })
    return { statusCode, headers, payload }
  }
  t.teardown(() => app.close())
  return { app, ask, untilRunning, finish }
}

t.test('runs one expensive request of a user at a time, and other requests beside it', async (t) => {
  const { ask, untilRunning, finish } = await startApp()
  const first = ask('/expensive/first')
  await untilRunning(1)
  const second = ask('/expensive/second')
  t.equal((await ask('/cheap')).payload, 'cheap')
  const other = ask('/expensive/other', 2)
  t.same(await untilRunning(2), ['first', 'other'])
  finish('first')
  t.equal((await first).payload, 'first')
  t.same(await untilRunning(2), ['other', 'second'])
  finish('second')
  finish('other')
  t.same([(await second).payload, (await other).payload], ['second', 'other'])
})

t.test('refuses a request of a user with too many waiting ones', async (t) => {
  const { ask, untilRunning, finish } = await startApp()
  const accepted = Array.from({ length: WAITING + 1 }, (_, index) => ask(`/expensive/${index}`))
  await untilRunning(1)
  const { statusCode, headers } = await ask('/expensive/refused')
  t.equal(statusCode, 429)
  t.equal(headers['retry-after'], '2')
  for (let index = 0; index <= WAITING; index++) {
    t.same(await untilRunning(1), [`${index}`])
    finish(`${index}`)
  }
  for (const response of await Promise.all(accepted)) t.equal(response.statusCode, 200)
})

t.test('starts the next request after a failed one', async (t) => {
  const { ask, untilRunning, finish } = await startApp()
  t.equal((await ask('/failing')).statusCode, 500)
  const next = ask('/expensive/next')
  t.same(await untilRunning(1), ['next'])
  finish('next')
  t.equal((await next).payload, 'next')
})

t.test('does not run a waiting request whose client has disconnected', async (t) => {
  const { app, ask, untilRunning, finish } = await startApp()
  const aborted = new Promise<void>((resolve) => {
    app.server.on('request', ({ url }, response) => {
      if (url === '/expensive/gone') response.once('close', resolve)
    })
  })
  const received = new Promise<void>((resolve) => {
    app.server.on('request', ({ url }) => {
      if (url === '/expensive/gone') setImmediate(resolve)
    })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const first = ask('/expensive/first')
  await untilRunning(1)
  const { port } = app.server.address() as AddressInfo
  const gone = get({ port, path: '/expensive/gone', headers: { 'x-user': '1' } })
  gone.on('error', () => {})
  await received
  gone.destroy()
  await aborted
  const next = ask('/expensive/next')
  finish('first')
  await first
  t.same(await untilRunning(1), ['next'])
  finish('next')
  t.equal((await next).payload, 'next')
})

t.test('reads one batch of the streamed responses of a user at a time', async (t) => {
  const { ask, untilRunning, finish } = await startApp()
  const one = ask('/streamed/one')
  await untilRunning(1)
  const two = ask('/streamed/two')
  const expensive = ask('/expensive/beside')
  t.same(await untilRunning(2), ['one-1', 'beside'], 'an expensive request does not wait for a batch')
  finish('beside')
  await expensive
  finish('one-1')
  t.same(await untilRunning(1), ['two-1'])
  finish('two-1')
  t.same(await untilRunning(1), ['one-2'])
  finish('one-2')
  t.same(await untilRunning(1), ['two-2'])
  finish('two-2')
  t.same([(await one).payload, (await two).payload], ['12', '12'])
})

t.test('an expensive request that returns a stream holds no turn while it streams', async (t) => {
  const { ask, untilRunning, finish } = await startApp()
  const one = ask('/table/one')
  const two = ask('/table/two')
  t.same(await untilRunning(1), ['one-head'])
  finish('one-head')
  t.same((await untilRunning(2)).toSorted(), ['one-1', 'two-head'])
  finish('two-head')
  for (let batches = 0; batches < 4; batches++) {
    const [batch = ''] = await untilRunning(1)
    finish(batch)
  }
  t.same([(await one).payload, (await two).payload], ['12', '12'])
})
