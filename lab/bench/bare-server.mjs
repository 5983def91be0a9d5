// A Fastify route that sends a payload from memory. Its request rate is the maximum that the framework and the load
// generator reach.
import { readFile } from 'node:fs/promises'
import fastify from 'fastify'

const app = fastify()
const payload = await readFile(process.env.PAYLOAD, 'utf8')

app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(payload))

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
