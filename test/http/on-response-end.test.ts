import { once } from 'node:events'
import { connect } from 'node:net'
import fastify from 'fastify'
import t from 'tap'
import { cutConnections, onResponseEnd, type ResponseEnd } from '../../src/http/on-response-end.js'

/**
 * Sends a request whose response never ends. The response begins only if `begins` is set. `over` resolves when the
 * connection is closed.
 */
async function hang(t: Pick<typeof import('tap').t, 'teardown'>, begins: boolean) {
  const app = fastify()
  t.teardown(() => app.close())
  const over = new Promise<ResponseEnd>((resolve) => {
    app.addHook('onRequest', async (_request, reply) => onResponseEnd(reply, resolve))
  })
  const reached = new Promise((resolve) => {
    app.get('/', (_request, reply) => {
      if (begins) reply.hijack().raw.writeHead(200).write('a')
      resolve(undefined)
      return reply.hijack()
    })
  })
  await app.listen({ port: 0 })
  const { port } = app.addresses()[0] as { port: number }
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await reached
  return { app, socket, over }
}

for (const begins of [false, true]) {
  const what = begins ? 'an answer that has begun' : 'a request without an answer'
  t.test(`${what} is cut by the client`, async (t) => {
    const { socket, over } = await hang(t, begins)
    socket.destroy()
    t.match(await over, { abortedBy: 'client', status: begins ? 200 : 499 })
  })

  t.test(`${what} is cut by the service that closes`, async (t) => {
    const { app, over } = await hang(t, begins)
    cutConnections(app.server)
    t.match(await over, { abortedBy: 'service', status: begins ? 200 : 503 })
  })
}
