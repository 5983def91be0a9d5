// A bare Fastify handler that sends the statements of the deck list through pg. Measures the cost of a request without
// cookie signatures, limits, headers, log and error handling.
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import fastify from 'fastify'
import pg from 'pg'

/** Maximum age of a session in days: the default of SESSION_MAX_DAYS */
const MAX_DAYS = 30

const [session, decks] = JSON.parse(await readFile(process.env.STATEMENTS, 'utf8'))
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const app = fastify()

app.get('/readyz', () => ({ status: 'ok' }))

app.get('/api/decks', async (request, reply) => {
  const [, id] = /=([^.]+)\./.exec(decodeURIComponent(request.headers.cookie)) ?? []
  const found = await pool.query({ name: 'session', text: session, values: [hash('sha256', id, 'buffer'), MAX_DAYS] })
  const user = found.rows[0]
  const today = new Date().toISOString().slice(0, 10)
  const { rows } = await pool.query({ name: 'decks', text: decks, values: [today, user.id] })
  return reply.type('application/json; charset=utf-8').send(rows[0].json)
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
