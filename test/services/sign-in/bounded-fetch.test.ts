import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { boundedFetch } from '../../../src/services/sign-in/bounded-fetch.js'

let listener: RequestListener
let sent = 0
const server = createServer((request, response) => listener(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
const MEGABYTE = 2 ** 20

t.test('returns status, headers and body', async (t) => {
  listener = (request, response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Basic' })
    response.end(JSON.stringify({ method: request.method }))
  }
  const response = await boundedFetch(url, { method: 'POST', body: undefined })
  t.equal(response.status, 401)
  t.equal(response.headers.get('www-authenticate'), 'Basic')
  t.strictSame(await response.json(), { method: 'POST' })
  listener = (_request, response) => response.writeHead(204).end()
  t.equal((await boundedFetch(url)).status, 204)
})

t.test('accepts a body of exactly 1 MiB and refuses one byte more', async (t) => {
  let size = MEGABYTE
  listener = (_request, response) => response.end(Buffer.alloc(size))
  t.equal((await (await boundedFetch(url)).arrayBuffer()).byteLength, MEGABYTE)
  size++
  await t.rejects(boundedFetch(url), {
    message: 'fetch failed',
    cause: { message: 'the response is larger than 1048576 bytes' },
  })
})

t.test('stops reading an endless body', async (t) => {
  listener = (_request, response) => {
    const piece = Buffer.alloc(MEGABYTE)
    const write = () => {
      while (sent < 700 && !response.destroyed) {
        sent++
        if (!response.write(piece)) return response.once('drain', write)
      }
      return response.end()
    }
    write()
  }
  await t.rejects(boundedFetch(url), { message: 'fetch failed' })
  t.ok(sent < 50, `${sent} MB sent`)
})

t.test('counts bytes after decompression', async (t) => {
  const packed = gzipSync(Buffer.alloc(20 * MEGABYTE))
  listener = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
  await t.rejects(boundedFetch(url), { message: 'fetch failed' })
})

t.test("aborts a stalled body and obeys the caller's signal", async (t) => {
  listener = (_request, response) => {
    response.write('{')
  }
  await t.rejects(boundedFetch(url, {}, { timeoutMs: 200 }), { name: 'TimeoutError' })
  const caller = new AbortController()
  listener = (_request, response) => {
    response.write('{')
    caller.abort()
  }
  await t.rejects(boundedFetch(url, { signal: caller.signal }), { name: 'AbortError' })
})
