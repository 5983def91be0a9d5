import diagnostics from 'node:diagnostics_channel'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createAddressRules } from '../../../src/domain/webhooks/networks.js'
import { limitLookups, openReceiver, type ResolveName } from '../../../src/services/webhooks/post.js'
import { LOOPBACK } from '../../support/webhooks.js'

const MESSAGE = { headers: {}, body: '{}' }
const CHANNEL = 'http.client.response.finish'

/** Starts a server that answers each request with these bytes. Returns a connection to it, and a way to end attempts. */
async function answerWith(t: Test, bytes: string, { closes = false } = {}) {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      if (closes) socket.end(bytes)
      else socket.write(bytes)
      received()
    })
  })
  let received = () => {}
  const request = new Promise<void>((resolve) => {
    received = resolve
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const limit = new AbortController()
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}/hook`)
  const receiver = openReceiver(url, createAddressRules([LOOPBACK]), undefined, () => limit.signal)
  t.teardown(async () => {
    receiver.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { receiver, limit, request }
}

const signal = new AbortController().signal

t.test('a switch of protocols counts as a refusal', async (t) => {
  const { receiver } = await answerWith(
    t,
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
  )
  t.match(await receiver.post(MESSAGE, signal), { status: 101, fault: null })
})

t.test('a connection that ends without a response is a fault', async (t) => {
  const { receiver } = await answerWith(t, '', { closes: true })
  t.match(await receiver.post(MESSAGE, signal), { status: null, fault: 'connection' })
})

t.test('the limit ends an attempt without a response', async (t) => {
  const { receiver, limit, request } = await answerWith(t, '')
  const posted = receiver.post(MESSAGE, signal)
  await request
  limit.abort()
  t.match(await posted, { status: null, fault: 'timeout' })
  t.match(await receiver.post(MESSAGE, signal), { status: null, fault: 'timeout' }, 'at once if it is over already')
})

t.test('an abortion rejects with its reason', async (t) => {
  const { receiver, request } = await answerWith(t, '')
  const stopping = new AbortController()
  const posted = receiver.post(MESSAGE, stopping.signal)
  await request
  stopping.abort(new Error('the service stops'))
  await t.rejects(posted, { message: 'the service stops' })
})

t.test('the status counts if the body stays open until the limit', async (t) => {
  const { receiver, limit } = await answerWith(t, 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n')
  const onResponse = () => setImmediate(() => limit.abort())
  diagnostics.subscribe(CHANNEL, onResponse)
  t.teardown(() => diagnostics.unsubscribe(CHANNEL, onResponse))
  t.match(await receiver.post(MESSAGE, signal), { status: 200, fault: null })
})

t.test('at most two names are looked up at the same time', async (t) => {
  const started: string[] = []
  const answers: (() => void)[] = []
  const slow: ResolveName = (name, _options, done) => {
    started.push(name)
    answers.push(() => done(null, []))
  }
  const resolveName = limitLookups(slow, 2)
  const done: string[] = []
  for (const name of ['a', 'b', 'c']) resolveName(name, { all: true }, () => done.push(name))
  t.strictSame(started, ['a', 'b'])
  answers[1]?.()
  t.strictSame([started, done], [['a', 'b', 'c'], ['b']])
  for (const index of [0, 2]) answers[index]?.()
  t.strictSame(done, ['b', 'a', 'c'])
})
