import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deckFile, writeContentFolder } from '../../../dist/test/support/content.js'
import { loginOver, openSession } from '../../../dist/test/support/process.js'
import { readMemory } from '../../bench/processes.js'
import type { Outcome, Scope } from '../outcome.js'
import { type Service, startService } from './server.js'

/** Server URL that selects the embedded database; these scenarios do not depend on the kind of database. */
const EMBEDDED = ''
const MAX_WAIT_MS = 2_000

interface Watch {
  slowestMs: number
  /** Maximum growth of the service's resident memory in megabytes */
  memoryGrowth: number
  stop(): Promise<string[]>
}

/**
 * Simulates another client: requests the deck list repeatedly, with pauses of 100 ms, and observes the memory of the
 * service. `stop` returns the defects.
 */
async function watchOthers({ service, send }: Service): Promise<Watch> {
  const pid = service.child.pid as number
  await send('/api/decks')
  const before = await readMemory(pid)
  const defects: string[] = []
  const watch = { slowestMs: 0, memoryGrowth: 0 }
  let done = false
  const watching = (async () => {
    while (!done) {
      const started = performance.now()
      const status = await send('/api/decks').then(
        (response) => response.status,
        (error: Error) => error.message,
      )
      watch.slowestMs = Math.max(watch.slowestMs, performance.now() - started)
      watch.memoryGrowth = Math.max(watch.memoryGrowth, (await readMemory(pid).catch(() => 0)) - before)
      if (status !== 200) defects.push(`others get ${status}`)
      await sleep(100)
    }
  })()
  return Object.assign(watch, {
    stop: async () => {
      done = true
      await watching
      if (watch.slowestMs > MAX_WAIT_MS) defects.push(`others wait ${Math.round(watch.slowestMs)} ms`)
      return defects
    },
  })
}

function describe({ slowestMs, memoryGrowth }: Watch): string {
  return `others were answered within ${Math.round(slowestMs)} ms; memory + ${Math.round(memoryGrowth)} MB`
}

/** Sends bytes on a new connection. `response` returns the text so far; `closed` resolves when the connection closes. */
async function open(
  url: string,
  bytes: string,
): Promise<{ socket: Socket; response: () => string; closed: Promise<unknown> }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let response = ''
  socket.on('data', (chunk) => {
    response += chunk
  })
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  socket.write(bytes)
  return { socket, response: () => response, closed }
}

const TOO_SLOW =
  /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*\{"statusCode":408,"error":"Request Timeout","message":"Zeitüberschreitung der Anfrage"\}$/

export async function sendHalfRequests(scope: Scope): Promise<Outcome[]> {
  const running = await startService(scope, EMBEDDED)
  const watch = await watchOthers(running)
  const head = 'POST /api/quiz/submit HTTP/1.1\r\nhost: x\r\n'
  const body = `${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"total":`
  const clients = await Promise.all(
    [head, body, ''].flatMap((bytes) => Array.from({ length: 200 }, () => open(running.service.url, bytes))),
  )
  const started = performance.now()
  await Promise.race([Promise.all(clients.map(({ closed }) => closed)), sleep(60_000)])
  const seconds = (performance.now() - started) / 1000
  const told = clients.filter(({ response }) => TOO_SLOW.test(response())).length
  const defects = await watch.stop()
  if (told !== clients.length)
    defects.push(
      `${clients.length - told} were not told: ${clients.find(({ response }) => !TOO_SLOW.test(response()))?.response()}`,
    )
  return [
    {
      fault: 'half a request, then nothing',
      done: '600 connections: 200 stop in the headers, 200 in the body, 200 send nothing at all',
      observed: `${told} got 408 in German and were cut, the last after ${seconds.toFixed(0)} s; ${describe(watch)}`,
      lost: 'nothing',
      defects,
    },
  ]
}

const IDLE = 10_000

export async function openIdleConnections(scope: Scope): Promise<Outcome[]> {
  const running = await startService(scope, EMBEDDED)
  const { url } = running.service
  const watch = await watchOthers(running)
  const sockets: Socket[] = []
  scope.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  let refused = 0
  while (sockets.length < IDLE) {
    const request = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
    const opened = await Promise.allSettled(Array.from({ length: 100 }, () => open(url, request)))
    for (const one of opened) {
      if (one.status === 'fulfilled') sockets.push(one.value.socket)
      else refused++
    }
    if (refused > 0) break
  }
  await sleep(10_000)
  const alive = sockets.filter((socket) => !socket.destroyed && socket.readable).length
  const submitted = await running.send('/api/quiz/submit', { body: { total: 1 } })
  const login = await loginOver(url, running.login).then(
    () => 200,
    () => 0,
  )
  const defects = await watch.stop()
  if (refused > 0) defects.push(`${refused} connections were refused`)
  if (submitted.status !== 200 || login !== 200) defects.push(`submit ${submitted.status}, login ${login}`)
  return [
    {
      fault: `${IDLE} idle connections`,
      done: `${sockets.length} connections opened, one request on each, then silence`,
      observed: `${alive} open after 10 s; login and submit work; ${describe(watch)}`,
      lost: 'nothing',
      defects,
    },
  ]
}

const HUGE = 2 ** 30
const MAX_GROWTH_MB = 100

export async function sendHugeBody(scope: Scope): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const isChunked of [false, true]) {
    const running = await startService(scope, EMBEDDED)
    const watch = await watchOthers(running)
    const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${HUGE}`
    const head = `POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${length}\r\n\r\n`
    const started = performance.now()
    const { socket, response, closed } = await open(running.service.url, head)
    let answeredMs = 0
    socket.once('data', () => {
      answeredMs = performance.now() - started
    })
    const piece = Buffer.alloc(2 ** 16, 'x')
    const framed = isChunked ? Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]) : piece
    let sent = 0
    while (sent < HUGE && !socket.destroyed) {
      if (!socket.write(framed)) await Promise.race([once(socket, 'drain').catch(() => {}), closed])
      sent += piece.length
    }
    await Promise.race([closed, sleep(2_000)])
    socket.destroy()
    const defects = await watch.stop()
    if (!/^HTTP\/1\.1 413 [\s\S]*Anfrage zu groß/.test(response()))
      defects.push(`response: ${response().slice(0, 200)}`)
    if (watch.memoryGrowth > MAX_GROWTH_MB) defects.push(`memory + ${watch.memoryGrowth} MB`)
    outcomes.push({
      fault: `a body of 1 GB (${isChunked ? 'length unknown' : 'length announced'})`,
      done: 'POST of 1 GB to the login, as fast as it is taken',
      observed: `413 after ${Math.round(answeredMs)} ms; ${Math.round(sent / 2 ** 20)} MB were sent until the end of the connection; ${describe(watch)}`,
      lost: 'nothing',
      defects,
    })
  }
  return outcomes
}

const READERS = 50
const MAX_MB_A_READER = 8
const CARDS = 10_000

export async function readSlowly(scope: Scope): Promise<Outcome[]> {
  const answerText = 'Zeile mit Text, die den Export groß macht.\n'.repeat(28)
  const cards = Array.from({ length: CARDS }, (_, index) => ({ id: `karte-${index}`, answer: answerText }))
  const folder = await writeContentFolder(scope, { 'decks/groß.md': deckFile('Groß', cards) })
  const running = await startService(scope, EMBEDDED, { CONTENT_DIR: folder })
  const size = (await (await running.send('/api/decks/export-anki')).text()).length
  const cookie = await openSession(running.service.url, running.login)
  const watch = await watchOthers(running)
  const readers = await Promise.all(
    Array.from({ length: READERS }, () =>
      open(
        running.service.url,
        `GET /api/decks/export-anki HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: ${cookie}\r\n\r\n`,
      ),
    ),
  )
  for (const { socket } of readers) socket.pause()
  // Each client reads at most 64 KiB every 200 ms, far less than the service can write.
  for (let round = 0; round < 50; round++) {
    for (const { socket } of readers) socket.read(2 ** 16)
    await sleep(200)
  }
  const defects = await watch.stop()
  const [last, ...others] = readers
  for (const { socket } of others) socket.destroy()
  last?.socket.resume()
  await last?.closed
  const whole = (last?.response() ?? '').split('\r\n\r\n').slice(1).join('\r\n\r\n')
  if (!whole.endsWith('0\r\n\r\n') && !/\r\n0\r\n\r\n$/.test(last?.response() ?? ''))
    defects.push('who reads on does not get the end')
  // The limit allows for the current batch and the connection buffers of every client.
  if (watch.memoryGrowth > READERS * MAX_MB_A_READER) defects.push(`memory + ${watch.memoryGrowth} MB`)
  return [
    {
      fault: 'slow readers of the export',
      done: `${READERS} at once read an export of ${Math.round(size / 1e6)} MB slowly for 10 s; one then reads on`,
      observed: `${describe(watch)}; who read on got the end`,
      lost: 'nothing',
      defects,
    },
  ]
}
