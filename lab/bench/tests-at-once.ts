import { randomBytes, randomInt } from 'node:crypto'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import type { Kysely } from 'kysely'
import { openDatabase } from '../../dist/db/client.js'
import { migrateToLatest } from '../../dist/db/migrate.js'
import * as attempts from '../../dist/db/queries/tests/attempts.js'
import * as live from '../../dist/db/queries/tests/live-tests.js'
import type { Database } from '../../dist/db/types.js'
import { buildApp } from '../../dist/src/app.js'
import { SECRET } from '../../dist/test/support/constants.js'
import { createUser, PASSWORD } from '../../dist/test/support/factories.js'
import { CONFIG } from '../../dist/test/support/service.js'
import { publishTest, singleChoice } from '../../dist/test/support/taken-tests.js'

/**
 * Lets many people start a test of 40 questions at once and answer some of them: `npm run simulate -- tests [--people
 * 500]`. Needs an empty PostgreSQL database in DATABASE_URL. Prints the 95th percentiles of the response times of the
 * service and of a bare handler that sends the same statements without a framework, sessions, checks and JSON schemas.
 */
const { values: options } = parseArgs({
  allowPositionals: true,
  options: { people: { type: 'string', default: '500' }, answers: { type: 'string', default: '4' } },
})
const PEOPLE = Number(options.people)
const ANSWERS = Number(options.answers)
const QUESTIONS = 40

const { DATABASE_URL: databaseUrl } = process.env
if (databaseUrl === undefined) throw new Error('DATABASE_URL names an empty PostgreSQL database')
const database = await openDatabase({ databaseUrl, dataDir: '', poolMax: 10, onIdleError: console.error })
const { db } = database
await migrateToLatest(db)
const cards = Array.from({ length: QUESTIONS }, (_, index) => singleChoice(`Frage ${index}`))
const usernames = []
for (let person = 0; person < PEOPLE; person++) usernames.push((await createUser(db)).username)

const app = await buildApp({
  config: CONFIG,
  sessionSecrets: [SECRET],
  database,
  logger: false,
  maxDelayMs: 60_000,
})
await app.listen({ host: '127.0.0.1', port: 0 })
const agent = new Agent({ keepAlive: true, maxSockets: PEOPLE })

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are those of the API
  body: any
  ms: number
  cookie: string | undefined
}

function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: object,
): Promise<Reply> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, port, method, path, headers: { ...headers, 'content-type': 'application/json' } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(Buffer.concat(chunks).toString()),
            ms: performance.now() - started,
            cookie: response.headers['set-cookie']?.[0]?.split(';', 1)[0],
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

const portOf = (address: string | AddressInfo | null) => (address as AddressInfo).port

const cookies: string[] = []
for (const username of usernames) {
  const { cookie } = await send(
    portOf(app.server.address()),
    'POST',
    '/api/auth/login',
    {},
    { username, password: PASSWORD },
  )
  cookies.push(cookie ?? '')
}

/** Returns a server that only executes the statements of starting an attempt and of saving an answer. */
function bareServer(store: Kysely<Database>, slug: string) {
  const ids = new Map<number, number>()
  const newId = () => randomBytes(6).toString('base64url')
  const start = async (userId: number, clientId: string) => {
    await attempts.findAttemptByClientId(store, userId, clientId)
    const test = await live.findLiveTest(store, slug)
    if (test === undefined) throw new Error('no test')
    await attempts.sumUpAttempts(store, userId, { groupId: test.group_id })
    await live.findTestTaker(store, userId, test.id)
    const drawn = await live.listDrawable(store, test.id, test.version)
    const contents = await live.findQuestions(
      store,
      drawn.map(({ id }) => id),
    )
    const questions = drawn.map(({ id }) => {
      const content = contents.get(id)
      const options = content !== undefined && 'options' in content ? content.options : []
      return { question_id: id, places: options.map(({ id: of }) => ({ id: newId(), of })) }
    })
    const now = new Date()
    const row = {
      test_id: test.id,
      version: test.version,
      user_id: userId,
      client_id: clientId,
      number: 1,
      counted: true,
    }
    const id = await attempts.insertAttempt(store, { ...row, started_at: now, deadline_at: null }, questions)
    ids.set(userId, id ?? 0)
    return { questions }
  }
  const answer = async (userId: number, slot: number, seq: number) => {
    const id = ids.get(userId) ?? 0
    await attempts.findAttempt(store, userId, id)
    const question = await attempts.findAttemptQuestion(store, id, slot)
    const option = question?.places[0]?.id ?? ''
    await attempts.writeAnswer(store, { id, slot, seq, answer: { option_ids: [option] }, at: new Date() })
    return { slot }
  }
  return createServer(async (incoming, response) => {
    const [, kind, user, slot] = (incoming.url ?? '').split('/')
    for await (const _ of incoming);
    const told =
      kind === 'start' ? await start(Number(user), newId() + newId()) : await answer(Number(user), Number(slot), 1)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(told))
  })
}

const p95 = (times: number[]) => Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0)
const slots = Array.from({ length: ANSWERS }, () => randomInt(QUESTIONS))

/** Checks that all requests succeeded. @throws Error if a request was refused */
function checkAccepted(replies: Reply[], name: string): void {
  const refused = replies.filter(({ status }) => status !== 200)
  const [first] = refused
  if (first === undefined) return
  const text = `${first.status} ${JSON.stringify(first.body)}`
  throw new Error(`${refused.length} of ${replies.length} ${name} refused, the first with ${text}`)
}

async function measureService() {
  const { slug } = await publishTest(db, { time_limit_minutes: null }, { cards })
  const port = portOf(app.server.address())
  const started = await Promise.all(
    cookies.map((cookie) =>
      send(port, 'POST', `/api/tests/${slug}/attempts`, { cookie }, { client_id: randomBytes(12).toString('hex') }),
    ),
  )
  checkAccepted(started, 'starts')
  const saves: number[] = []
  for (const [round, slot] of slots.entries()) {
    const replies = await Promise.all(
      started.map(({ body }, index) => {
        const { id, questions } = body.attempt
        const answer = { option_ids: [questions[slot].options[0].id] }
        const path = `/api/tests/attempts/${id}/answers/${slot}`
        return send(port, 'PUT', path, { cookie: cookies[index] ?? '' }, { seq: round + 1, answer })
      }),
    )
    checkAccepted(replies, 'answers')
    saves.push(...replies.map(({ ms }) => ms))
  }
  return { start: p95(started.map(({ ms }) => ms)), answer: p95(saves) }
}

async function measureBare() {
  const { slug } = await publishTest(db, { time_limit_minutes: null }, { cards })
  const users = await db.selectFrom('users').select('id').orderBy('id').execute()
  const server = bareServer(db, slug).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const port = portOf(server.address())
  const started = await Promise.all(users.map(({ id }) => send(port, 'POST', `/start/${id}`, {}, {})))
  const saves: number[] = []
  for (const slot of slots) {
    const replies = await Promise.all(users.map(({ id }) => send(port, 'POST', `/answer/${id}/${slot}`, {}, {})))
    saves.push(...replies.map(({ ms }) => ms))
  }
  server.close()
  server.closeAllConnections()
  return { start: p95(started.map(({ ms }) => ms)), answer: p95(saves) }
}

// The first of the three printed rounds includes the warm-up.
for (let round = 0; round < 3; round++) {
  const [service, bare] = [await measureService(), await measureBare()]
  console.log(
    `${PEOPLE} people, ${QUESTIONS} questions: start p95 ${service.start} ms (bare ${bare.start} ms), answer p95 ${service.answer} ms (bare ${bare.answer} ms)`,
  )
}
agent.destroy()
await app.close()
