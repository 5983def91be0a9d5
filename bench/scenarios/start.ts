import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Postgres } from '../postgres.js'
import { ROOT, readMemory, startServer, startService } from '../processes.js'
import { below, type Measure } from '../report.js'
import { SMALL } from '../seed.js'

/** From the start of the process to the first good answer of /readyz. */
export async function measureStart(postgres: Postgres): Promise<Measure[]> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'svc-training-bench-'))
  const startEmbedded = () =>
    startServer(`${ROOT}dist/src/cli.js`, ['serve'], { DATA_DIR: dataDir, LOG_LEVEL: 'warn' }, '/readyz')
  const first = await timed(startEmbedded)
  const again = await timed(startEmbedded)
  await rm(dataDir, { recursive: true })
  const databaseUrl = await postgres.database(SMALL)
  const onServer = await timed(() => startService(databaseUrl))
  return [
    below('embedded, first', first.seconds, 8, 's'),
    below('embedded, again', again.seconds, 3, 's'),
    below('with DATABASE_URL, migrated and filled', onServer.seconds, 2, 's'),
    below('idle memory with PostgreSQL', onServer.memory, 150, 'MB'),
    { what: 'idle memory, embedded', value: `${Math.round(again.memory)} MB` },
  ]
}

async function timed(start: () => ReturnType<typeof startServer>): Promise<{ seconds: number; memory: number }> {
  const started = performance.now()
  const server = await start()
  const seconds = (performance.now() - started) / 1000
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const memory = await readMemory(server.process.pid as number)
  await server.stop()
  return { seconds, memory }
}
