import { median } from '../median.js'
import type { Postgres } from '../postgres.js'
import { makeFolder, ROOT, readMemory, startServer, startService } from '../processes.js'
import { below, type Measure } from '../report.js'
import { SMALL } from '../seed.js'

const ROUNDS = 3

/** Measures the time from the start of the process to the first success of /readyz, and the idle memory. */
export async function measureStart(postgres: Postgres): Promise<Measure[]> {
  const databaseUrl = await postgres.database(SMALL)
  const firsts: Started[] = []
  const again: Started[] = []
  const onServer: Started[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const env = { DATA_DIR: await makeFolder(), LOG_LEVEL: 'warn' }
    const startEmbedded = () => startServer(`${ROOT}dist/src/cli.js`, ['serve'], env, '/readyz')
    firsts.push(await timed(startEmbedded))
    again.push(await timed(startEmbedded))
    onServer.push(await timed(() => startService(databaseUrl)))
  }
  const seconds = (starts: Started[]) => median(starts.map((start) => start.seconds))
  const memory = (starts: Started[]) => median(starts.map((start) => start.memory))
  return [
    { what: 'start, embedded, first: creates the store and imports the content', ...below(8, seconds(firsts), 's') },
    { what: 'start, embedded, again', ...below(3, seconds(again), 's') },
    { what: 'start with DATABASE_URL, migrated and filled', ...below(2, seconds(onServer), 's') },
    { what: 'idle memory with PostgreSQL', ...below(150, memory(onServer), 'MB') },
    { what: 'idle memory, embedded', service: `${Math.round(memory(again))} MB` },
  ]
}

interface Started {
  seconds: number
  memory: number
}

async function timed(start: () => ReturnType<typeof startServer>): Promise<Started> {
  const started = performance.now()
  const server = await start()
  const seconds = (performance.now() - started) / 1000
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const memory = await readMemory(server.process.pid as number)
  await server.stop()
  return { seconds, memory }
}
