import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startCluster } from './postgres.js'

// Runs a command with TEST_DATABASE_URL set to a temporary server: node dist/test/support/with-postgres.js npm test
const [program, ...args] = process.argv.slice(2)
if (program === undefined) throw new Error('needs a command')
const cluster = await startCluster(['fsync=off'])
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
try {
  const child = spawn(program, args, { env: { ...process.env, TEST_DATABASE_URL: cluster.url }, stdio: 'inherit' })
  const [status] = await once(child, 'exit')
  process.exitCode = status ?? 1
} finally {
  await cluster.stop()
}
